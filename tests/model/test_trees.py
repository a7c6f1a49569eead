"""Syntax trees as values: equal where they are written alike."""

from __future__ import annotations

import ast

import pytest

from looptx.model.trees import form


def tree(text: str) -> ast.AST:
    return ast.parse(text).body[0]


def test_what_is_written_alike_has_one_form() -> None:
    stored, read = tree("A[i, j] = 1").targets[0], tree("A[ (i) ,j]").value  # type: ignore[attr-defined]
    assert form(stored) == form(read)
    assert hash(form(stored)) == hash(form(read))


@pytest.mark.parametrize(
    ("one", "two"),
    [("1", "1.0"), ("1", "True"), ("0", "False"), ("a + b", "b + a"), ("f(a)", "f[a]")],
)
def test_what_is_not_has_two(one: str, two: str) -> None:
    assert form(tree(one)) != form(tree(two))
