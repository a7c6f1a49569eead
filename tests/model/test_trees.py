"""Syntax trees as values: equal where they are written alike."""

from __future__ import annotations

import ast

import pytest

from looptx.model.trees import copied, form, walk


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


def test_a_copy_is_one_of_the_whole_tree() -> None:
    whole = tree("for i in range(n): A[i] = f(x=1.5j, *y) if i else None")
    whole.note = [whole.body[0].value]  # type: ignore[attr-defined]
    made = copied(whole)
    both = (ast.dump(x, include_attributes=True) for x in (whole, made))
    assert len({*both}) == 1 and form(made) == form(whole)
    assert {*map(id, walk(made))}.isdisjoint(map(id, walk(whole)))
    assert made.note == [made.body[0].value]  # type: ignore[attr-defined]
