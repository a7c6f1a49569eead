"""A user's package: built with looptx, installed and used without it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "examples" / "packaged"

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")

ABSENT = """
for absent in ("looptx", "Cython", "islpy", "libcst"):
    assert importlib.util.find_spec(absent) is None, absent
"""

USE = f"""
import importlib.util
import numpy as np
import heat
from heat import plate
{ABSENT}
old = np.random.default_rng(0).random((131, 67))
new = old.copy()
heat.diffuse(old, new, 0.1)
flow = old[:-2, 1:-1] + old[2:, 1:-1] + old[1:-1, :-2] + old[1:-1, 2:]
inner = old[1:-1, 1:-1]
assert (new[1:-1, 1:-1] == inner + 0.1 * (flow - 4.0 * inner)).all()
total = 0.0
for row in old:
    for cell in row:
        total += cell
assert heat.energy(old) == total
print(plate.__file__)
"""


def run(*command: str | Path, **variables: str) -> str:
    """What a command prints; it must succeed."""
    done = subprocess.run(
        [str(word) for word in command],
        env={**os.environ, **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


def pip(*arguments: str | Path) -> str:
    """Run pip offline with looptx from this checkout in reach of builds."""
    return run(
        *(sys.executable, "-m", "pip", "--disable-pip-version-check", *arguments),
        PYTHONPATH=str(ROOT),
        PIP_NO_INDEX="1",
    )


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy of the package to build in."""
    copy = tmp_path / "project"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("build", "*.so"))
    return copy


@pytest.fixture
def python(tmp_path: Path) -> Path:
    """The interpreter of a fresh environment that has NumPy and nothing else."""
    place = tmp_path / "fresh"
    venv.create(place, symlinks=True, with_pip=False)
    packages = site_packages(place)
    for folder in Path(np.__file__).parents[1].glob("numpy*"):
        (packages / folder.name).symlink_to(folder)
    return place / "bin" / "python"


def site_packages(place: Path) -> Path:
    """Where an environment keeps its packages."""
    return Path(sysconfig.get_path("purelib", "venv", {"base": str(place)}))


def use(python: Path, tmp_path: Path) -> Path:
    """Use the installed package; where its module came from."""
    script = tmp_path / "use.py"
    script.write_text(USE, encoding="utf-8")
    return Path(run(python, "-I", script).strip())


def test_wheel(project: Path, python: Path, tmp_path: Path) -> None:
    dist = tmp_path / "dist"
    pip("wheel", "--no-build-isolation", "--no-deps", "-w", dist, project)
    (wheel,) = dist.glob("heat-*.whl")
    pip("--python", python, "install", "--no-deps", wheel)
    module = use(python, tmp_path)
    assert module.is_relative_to(python.parents[1])
    names = {path.name for path in module.parent.iterdir()}
    assert "plate.py" in names
    assert any(name.endswith((".so", ".pyd")) for name in names)


def test_editable(project: Path, python: Path, tmp_path: Path) -> None:
    # the build runs in the fresh environment, which borrows our packages meanwhile
    borrowed = site_packages(python.parents[1]) / "borrowed.pth"
    borrowed.write_text(str(Path(np.__file__).parents[1]), encoding="utf-8")
    arguments = ("install", "--no-build-isolation", "--no-deps", "-e", project)
    pip("--python", python, *arguments)
    borrowed.unlink()
    module = use(python, tmp_path)
    assert module.is_relative_to(project)


def test_pure_python_stays_the_fallback(project: Path, tmp_path: Path) -> None:
    """The source alone, never built, gives the same."""
    script = tmp_path / "use.py"
    script.write_text(USE.replace(ABSENT, ""), encoding="utf-8")
    printed = run(sys.executable, script, PYTHONPATH=str(project / "src"))
    assert printed.strip().endswith("plate.py")


def test_started_beside_a_clone(tmp_path: Path) -> None:
    # `looptx` is also the folder of the clone, which could be a namespace package
    clone, site = tmp_path / "looptx", tmp_path / "site"
    clone.mkdir()
    for name in ("looptx", "directives", "setup.py", "pyproject.toml", "README.md"):
        (clone / name).symlink_to(ROOT / name)
    backend = f"from setuptools.build_meta import build_editable as b; b({str(site)!r})"
    site.mkdir()
    run(sys.executable, "-c", f"import os; os.chdir({str(clone)!r}); {backend}")
    with zipfile.ZipFile(next(site.glob("*.whl"))) as wheel:
        wheel.extractall(site)
    script = tmp_path / "script.py"
    script.write_text(
        "import site, sys\n"
        "sys.meta_path = [x for x in sys.meta_path if 'Editable' not in str(x)]\n"
        f"sys.path = [x for x in sys.path if x != {str(ROOT)!r}]\n"
        f"site.addsitedir({str(site)!r})\n"
        "import looptx\n"
        "print(looptx.kernel.__module__, looptx.__file__)",
        encoding="utf-8",
    )
    module, file = run(sys.executable, script, PYTHONPATH="").split()
    assert module == "looptx.decorator"
    assert Path(file) == clone / "looptx" / "__init__.py"
