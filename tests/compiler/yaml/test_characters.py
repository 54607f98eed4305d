"""A stretch of a scalar's value is found in the text, however the scalar is written."""

from __future__ import annotations

from random import Random

import pytest
import yaml
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from wfc.compiler.diagnostics import Place
from wfc.compiler.yaml import Document, read
from wfc.compiler.yaml.positions import read_positions

MARK = "Qx7zW"  # stands once in each text, and nothing turns it into something else


def document(text: str) -> Document:
    return read(text.encode(), "spec.yaml", lambda _: None)


def where(text: str, address: tuple[str | int, ...], planted: str = MARK) -> tuple[int, int]:
    """Where the stretch that holds a planted word is found."""
    found = document(text)
    value: object = found.data
    for step in address:
        value = value[step]  # type: ignore[index]
    assert isinstance(value, str)
    assert value.count(planted) == 1
    start = value.index(planted)
    return found.stretch(Place(address).stretch(start, start + len(planted)))


def check(text: str, address: tuple[str | int, ...] = ("a",)) -> None:
    start = text.index(MARK)
    assert where(text, address) == (start, start + len(MARK))


@pytest.mark.parametrize(
    "text",
    [
        f"a: {MARK}",
        f"a: x {MARK} y\n",
        f"a: one\n  two  {MARK}\n\n  three\n",
        f"a: one\r\n\r\n  {MARK}\r\n",
        f"a: 'it''s {MARK}'\n",
        f"a: 'one  \n\n  two {MARK}'\n",
        f'a: "\\u00e9\\t\\x41 {MARK} \\U0001F600"\n',
        f'a: "one \\\n   two {MARK}"\n',
        f'a: "one \\\n\n   two {MARK}"\n',
        f'a: "one\n\n\n   {MARK} \\" x"\n',
        f"a: |\n  one\n    two\n  {MARK}\n",
        f"a: |2-\n    one\n  {MARK}\n\n\n",
        f"a: |+  # a comment\n\n  {MARK}\n\n",
        f"a: >\n  one\n  two\n\n  {MARK}\n",
        f"a: >\n  one\n    two\n    three\n  four {MARK}\n",
        f"a: >-\n  one\n\n\n   two\n\n  {MARK}",
        f"a: >1\n one\n \ttwo\n {MARK}\n",
        f"a: >\n\n\n  one\n  {MARK}\n",
        f"a: &anchor {MARK}\nb: *anchor\n",
        f"a: |\r\n  one\r\n  {MARK}\r\nb: 1\r\n",
        f"a: 漢字 e\u0301 😀 {MARK}\n",
        f"a: x\u2028 y {MARK}\n",
        f"a: |\n  x\u2028  y\x85  {MARK}\n",
        f"a:\t{MARK}\t\n",
        f"? a\n: {MARK}\n",
    ],
)
def test_a_word_is_found_in_every_style(text: str) -> None:
    check(text)


@pytest.mark.parametrize(
    ("text", "start", "end", "found"),
    [
        ("a: 'it''s'", 2, 3, "''"),
        ('a: "x\\u00e9y"', 1, 2, "\\u00e9"),
        ('a: "x\\ty"', 0, 3, "x\\ty"),
        ("a: one\n  two", 3, 4, "\n"),
        ("a: 'one \t \n two'", 3, 4, "\n"),
        ("a: |\n  one\n  two\n", 2, 5, "e\n  t"),
        ("a: >\n  one\n  two\n", 3, 4, "\n"),
        ("a: |\n  one\n\n", 3, 4, "\n"),
        ("a: one", 3, 3, ""),
        ("a: ''", 0, 0, ""),
        ("a: one", 1, 99, "ne"),
    ],
)
def test_what_is_not_written_as_itself_is_found_too(text: str, start: int, end: int, found: str) -> None:
    begin, stop = document(text).stretch(Place(("a",)).stretch(start, end))
    assert text[begin:stop] == found


def test_an_alias_leads_to_what_it_repeats() -> None:
    text = f"a: &x\n  b: {MARK}\nc: *x\nd: *x\n"
    assert where(text, ("c", "b")) == (text.index(MARK), text.index(MARK) + len(MARK))
    found = document(text)
    assert found.stretch(Place(("c",))) == (text.index("*x"), text.index("*x") + 2)


def test_columns_count_code_points_and_leave_out_the_byte_order_mark() -> None:
    found = document(f"\ufeffa: 😀漢e\u0301 {MARK}")
    start, end = found.span(Place(("a",)).stretch(5, 10))
    assert (start.line, start.column, start.offset, end.column) == (1, 9, 8, 14)


def test_only_line_feeds_and_carriage_returns_begin_a_line() -> None:
    found = document(f"a: x\u2028 y\x85 z\r\nb: {MARK}\rc: 1\n")
    assert found.span(Place(("b",)))[0].line == 2
    assert found.span(Place(("c",), "key"))[0].line == 3


# --- whatever the text

PLAIN = [
    "x",
    "yz",
    " ",
    "  ",
    "\t",
    "é",
    "漢",
    "😀",
    "e\u0301",
    "-",
    ",",
    "$",
    "{{",
    "}}",
    "[",
    "]",
    "\u2028",
    "\x85",
]
PIECES = {
    "": [*PLAIN, "x:y", "#", "'", '"', "\\"],
    "'": [*PLAIN, ":", "# ", "''", '"', "\\n"],
    '"': [*PLAIN, ":", "# ", "'", "\\n", "\\t", "\\u00e9", "\\x41", "\\\\", '\\"', "\\/", "\\U0001F600"],
    "|": [*PLAIN, ": ", " #", "'", '"', "\\n"],
    ">": [*PLAIN, ": ", " #", "'", '"', "\\n", "   "],
}
BREAKS = st.sampled_from(["\n", "\r\n", "\r"])
INDENT = st.integers(0, 9).map(lambda count: " " * max(1, count - 4))


@st.composite
def texts(draw: st.DrawFn) -> str:
    """A document whose key `a` has a scalar with the mark in it; not always one that can be read."""
    style = draw(st.sampled_from(["", "'", '"', "|", ">"]))
    line = st.lists(st.sampled_from(PIECES[style]), max_size=6).map("".join)
    before, after = draw(st.lists(line, max_size=4)), draw(st.lists(line, max_size=4))
    lines = [*before, f"{draw(line)}{MARK}{draw(line)}", *after]
    if style == '"':
        lines = [each + draw(st.sampled_from(["", "", "\\"])) for each in lines[:-1]] + lines[-1:]
    indents = [draw(INDENT)] * len(lines) if draw(st.booleans()) else [draw(INDENT) for _ in lines]
    newline = draw(BREAKS)
    body = newline.join(f"{indent}{each}" for indent, each in zip(indents, lines, strict=True))
    if style in {"|", ">"}:
        header = draw(st.sampled_from(["", "", "-", "+", "1", "1-", "+2", " # note"]))
        scalar = f"{style}{header}{newline}{body}"
    else:
        scalar = f"{style}{body}{style}"
    nested = draw(st.sampled_from(["a: ", "a:\n ", "a: &x ", "a: &x # note\n ", "? a\n: "]))
    tail = draw(
        st.sampled_from(["", newline, f"{newline}b: 1{newline}", f"{newline}{newline}# end{newline}"])
    )
    return f"{nested}{scalar}{tail}"


@pytest.mark.full  # the ordinary suite has thousands of such words, made faster, below
@given(texts())
@settings(max_examples=4 * settings.default.max_examples)
@example(f"a: >\n\n   x\n  {MARK}")
def test_a_word_is_found_whatever_stands_around_it(text: str) -> None:
    found = document(text)
    assume(isinstance(found.data, dict) and isinstance(found.data.get("a"), str))
    assume(found.data["a"].count(MARK) == 1)  # type: ignore[index]
    check(text)


@given(texts())
@settings(max_examples=settings.default.max_examples)
def test_every_character_has_its_place(text: str) -> None:
    has_places(text)


@pytest.mark.full
@given(texts())
@settings(max_examples=4 * settings.default.max_examples)
def test_every_character_of_many_texts_has_its_place(text: str) -> None:
    has_places(text)


def has_places(text: str) -> None:
    found = document(text)
    assume(isinstance(found.data, dict) and isinstance(found.data.get("a"), str))
    value = found.data["a"]  # type: ignore[index]
    last = 0
    for index, character in enumerate(value):
        start, end = found.stretch(Place(("a",)).stretch(index, index + 1))
        assert last <= start < end
        if text[start:end] != character:
            assert text[start] in "'\\\r\n\x85"
        last = end


@given(
    st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=40),
    st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=40),
    st.sampled_from(["'", '"', "|", ">", None]),
    st.integers(10, 60),
    st.booleans(),
)
@settings(max_examples=4 * settings.default.max_examples)
def test_a_word_is_found_in_what_another_program_writes(
    before: str, after: str, style: str | None, width: int, unicode: bool
) -> None:
    assume("\ufeff" not in before + after)
    data = {"k": [{"a": before + MARK + after, "z": [1]}]}
    text = yaml.dump(data, default_style=style, width=width, allow_unicode=unicode)
    assume(text.count(MARK) == 1)
    found = document(text)
    assume(isinstance(found.data, dict))
    check(text, ("k", 0, "a"))


@given(texts())
@settings(max_examples=settings.default.max_examples)
def test_both_parsers_say_the_same(text: str) -> None:
    say_the_same(text)


@pytest.mark.full
@given(texts())
@settings(max_examples=4 * settings.default.max_examples)
def test_both_parsers_say_the_same_of_many_texts(text: str) -> None:
    say_the_same(text)


def say_the_same(text: str) -> None:
    fast = document(text)
    assume(isinstance(fast.data, dict) and isinstance(fast.data.get("a"), str))
    node = read_positions(text, fast=False).find(("a",))[1]
    value = fast.data["a"]  # type: ignore[index]
    assume(node.value == value)  # in corners of YAML they read different texts
    assert node.stretch(text, 0, len(value)) == fast.stretch(Place(("a",)).stretch(0, len(value)))


def random_text(random: Random) -> tuple[str, tuple[str | int, ...]]:
    """A document as above, made faster than hypothesis can; and the address of its scalar."""
    style = random.choice(["", "'", '"', "|", ">"])

    def line() -> str:
        return "".join(random.choice(PIECES[style]) for _ in range(random.randint(0, 5)))

    lines = [*(line() for _ in range(random.randint(0, 4))), f"{line()}{MARK}{line()}"]
    lines += [line() for _ in range(random.randint(0, 4))]
    if style == '"':
        lines = [each + random.choice(["", "", "\\"]) for each in lines[:-1]] + lines[-1:]
    same = random.randint(0, 4)
    newline = random.choice(["\n", "\r\n", "\r"])
    body = newline.join(" " * (same or max(1, random.randint(-3, 5))) + each for each in lines)
    if style in {"|", ">"}:
        scalar = f"{style}{random.choice(['', '', '-', '+', '1', '1-', '+2', ' # note'])}{newline}{body}"
    else:
        scalar = f"{style}{body}{style}"
    before, after, address = random.choice(AROUND)
    tail = random.choice(["", newline, f"{newline}b: 1{newline}", f"{newline}{newline}# end{newline}"])
    return f"{before}{scalar}{after or tail}", address


AROUND: list[tuple[str, str, tuple[str | int, ...]]] = [
    ("a: ", "", ("a",)),
    ("a:\n ", "", ("a",)),
    ("a: &x ", "", ("a",)),
    ("a: &x # note\n ", "", ("a",)),
    ("? a\n: ", "", ("a",)),
    ("k:\n  - z: 1\n    a: ", "", ("k", 0, "a")),
    ("k: {a: ", "}", ("k", "a")),
]


@pytest.mark.parametrize(
    ("number", "count"),
    [(2, 3_000), *(pytest.param(each, 10_000, marks=pytest.mark.full) for each in range(2))],
)
def test_thousands_of_words_are_found(number: int, count: int) -> None:
    random = Random(number)  # noqa: S311 - no secret hangs on it
    found = 0
    while found < count:
        text, address = random_text(random)
        read_text = document(text)
        value: object = read_text.data
        for step in address:
            value = value[step] if isinstance(value, (dict, list)) and (step == 0 or step in value) else None  # type: ignore[call-overload]
        if not isinstance(value, str) or value.count(MARK) != 1:
            continue
        start = value.index(MARK)
        place = Place(address).stretch(start, start + len(MARK))
        assert read_text.stretch(place) == (text.index(MARK), text.index(MARK) + len(MARK)), text
        found += 1
