"""Every error code is explained, and its example gets it."""

from __future__ import annotations

import textwrap

import pytest

from looptx.cli.codes import EXPLANATIONS
from looptx.cli.transform import transform_text
from looptx.errors import CODES

RUNNABLE = [code for code, page in EXPLANATIONS.items() if page.source]


def test_every_code_is_explained() -> None:
    assert list(EXPLANATIONS) == list(CODES)


@pytest.mark.parametrize("code", EXPLANATIONS)
def test_a_page_is_complete(code: str) -> None:
    page = EXPLANATIONS[code]
    assert page.meaning and page.fix
    assert page.source or page.example


@pytest.mark.parametrize("code", RUNNABLE)
def test_the_example_gets_the_error(code: str) -> None:
    text = textwrap.dedent(EXPLANATIONS[code].source).lstrip("\n")
    validate = EXPLANATIONS[code].validate
    result = transform_text(text, "example.py", validate=validate)
    assert [error.code for error in result.errors] == [code]
    (error,) = result.errors
    assert error.place is not None
    assert error.place.file == "example.py"
    assert 1 <= error.place.line <= text.count("\n")
    assert error.hint
    assert not result.changed
