"""The short way to read a path gives what the tokens and the parser give, wherever it gives anything."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wfc.compiler.diagnostics import Place
from wfc.compiler.expressions.parser import Parser
from wfc.compiler.expressions.paths import path_alone
from wfc.compiler.expressions.tokens import UnreadableError, tokenize
from wfc.compiler.expressions.tree import Attribute, Name, Node

HERE = Place(("steps",))


def shown(node: Node) -> object:
    if isinstance(node, Attribute):
        return ("field", node.start, node.end, node.name, node.name_start, shown(node.of))
    assert isinstance(node, Name)
    return ("name", node.start, node.end, node.name)


def long_way(text: str, start: int, until: str) -> tuple[object, int] | None:
    try:
        tokens, end = tokenize(text, HERE, start, until=until)
        return shown(Parser(tokens, HERE, start).whole()), end
    except (UnreadableError, AssertionError):
        return None


@pytest.mark.parametrize(
    "text", ["event", "event.order.total", "  a.b\n", "a.true", "a . b", "e1.x_2", "not_a", "a.in.is"]
)
def test_paths_are_read_the_same(text: str) -> None:
    found = path_alone(text)
    if found is not None:
        assert (shown(found[0]), len(text)) == long_way(text, 0, "")


@pytest.mark.parametrize("text", ["event.order", " a ", "x.y.z"])
def test_what_is_usual_goes_the_short_way(text: str) -> None:
    assert path_alone(text) is not None
    assert path_alone(f"Hello ${{{{{text}}}}}!", 9, until="}}") is not None


@pytest.mark.parametrize(
    "text", ["true", "none", "not", "in", "", ".", "a.", "_a", "1", "a b", "a.b()", "a}}"]
)
def test_what_is_no_path_does_not(text: str) -> None:
    assert path_alone(text) is None


WORDS = st.sampled_from(
    ["event", "a", "true", "not", "is", "x1", "_p", "é", "1", ".", " ", "\n", "\u00a0", "}}", "|"]
)


@given(st.lists(WORDS, max_size=8).map("".join), st.sampled_from(["", "}}"]))
def test_whatever_the_text(text: str, until: str) -> None:
    found = path_alone(text, until=until)
    if found is not None:
        assert long_way(text, 0, until) is not None
        read, stop = long_way(text, 0, until) or ((), 0)
        assert shown(found[0]) == read
        assert found[1] == stop or not text[found[1] :].strip()
