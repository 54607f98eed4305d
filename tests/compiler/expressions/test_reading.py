"""The short ways to read an expression give what the tokens and the parser give word by word."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wfc.compiler.diagnostics import Place
from wfc.compiler.expressions.syntax.lexer import UnreadableError, tokenize
from wfc.compiler.expressions.syntax.parser import Parser
from wfc.compiler.expressions.syntax.reading import path_alone, read_expression
from wfc.compiler.expressions.syntax.tree import Fields, Node, children, taken_apart

HERE = Place(("steps",))


def shown(node: Node) -> object:
    """A tree as data, in which fields of a name are as they would be word by word."""
    if isinstance(node, Fields):
        apart = taken_apart(node)
        apart.start, apart.end = node.start, node.end
        node = apart
    own = [getattr(node, name, None) for name in ("name", "name_start", "name_end", "value", "operator")]
    return (node.__class__.__name__, node.start, node.end, own, [shown(each) for each in children(node)])


def long_way(text: str, start: int, until: str) -> tuple[object, int] | None:
    try:
        tokens, end = tokenize(text, HERE, start, until=until)
        return shown(Parser(tokens, HERE, start).whole()), end
    except UnreadableError:
        return None


def by_any_way(text: str, start: int, until: str) -> tuple[object, int] | None:
    try:
        tree, end = read_expression(text, HERE, start, until=until)
    except UnreadableError:
        return None
    return shown(tree), end


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


WORDS = st.sampled_from([*"event a true not is x1 _p é 1 . .a + ( ) }} |".split(), " ", "\n", "\u00a0"])


@given(st.lists(WORDS, max_size=8).map("".join), st.sampled_from(["", "}}"]))
def test_whatever_the_text(text: str, until: str) -> None:
    start = 3 if until else 0
    text = "${{"[:start] + text
    short, long = by_any_way(text, start, until), long_way(text, start, until)
    assert ends_where_nothing_follows(text, short) == ends_where_nothing_follows(text, long)


def ends_where_nothing_follows(text: str, read: tuple[object, int] | None) -> tuple[object, int] | None:
    """What is read and where it ends, whether or not the blanks at the text's end count."""
    return None if read is None else (read[0], read[1] if text[read[1] :].strip() else len(text))


@pytest.mark.parametrize(
    "text",
    [
        "event.a == 1 and state.count > 3",
        "(event.a).b + event . c",
        "result.items[0].name.first | default(inputs.name)",
        "[a.b, {x: a.b.c}] | where('a.b', event.x)",
        "not event.a.b if event is A else naïve.a",
        "event.naïve ~ e.a1\u2488b",
    ],
)
def test_paths_inside_expressions_are_read_the_same(text: str) -> None:
    found = by_any_way(text, 0, "")
    assert found is not None
    assert found == long_way(text, 0, "")


@pytest.mark.parametrize(
    "text",
    [
        "not.a",
        "a is event.b",
        "a | b.c",
        "a b.c",
        "{a.b: 1}",
        "event.a()",
        "a.b c.d",
        "in.a",
        "a.b.1",
    ],
)
def test_what_cannot_be_read_is_told_of_single_words(text: str) -> None:
    with pytest.raises(UnreadableError) as short:
        read_expression(text, HERE)
    with pytest.raises(UnreadableError) as long:
        Parser(tokenize(text, HERE)[0], HERE).whole()
    assert short.value.finding == long.value.finding
