"""What tests build of texts is kept, as long as nothing changes that it hangs on."""

from __future__ import annotations

from unittest import mock

import pytest
from kit import kept

from looptx.native.compile import build, load

TEXT = "def nest(n):\n    return n + 1\n"


@pytest.fixture
def again(tmp_path, monkeypatch):
    """Builds, once there is a module of ``TEXT``, if it has to."""
    monkeypatch.setenv(kept.FOLDER, str(tmp_path / "kept"))
    for name in ("kept", "first", "second"):
        (tmp_path / name).mkdir()
    made = kept.built(TEXT, "_looptx_kept_{}", tmp_path / "first")
    assert load.load(made.library, made.module).nest(3) == 4

    def build_it(text=TEXT, **options):
        with mock.patch.object(build, "build", side_effect=InterruptedError):
            assert kept.built(text, "_looptx_kept_{}", tmp_path, **options) == made

    return build_it


def test_the_same_is_taken(again):
    again()


@pytest.mark.parametrize(
    "changed",
    [{"text": TEXT + "\n"}, {"openmp": True}, {"vectors": True}, {"flags": ("-O1",)}],
)
def test_anything_else_is_built(again, changed):
    with pytest.raises(InterruptedError):
        again(**changed)


def test_another_compiler_builds_anew(again, monkeypatch):
    monkeypatch.setenv("CPATH", "elsewhere")
    with pytest.raises(InterruptedError):
        again()
