"""Reading only the piece of a text that was edited gives what reading all of it gives, or is refused."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from wfc.compiler.diagnostics import Address, Finding, Place
from wfc.compiler.yaml import Document, read
from wfc.compiler.yaml.again import read_again, read_marked

ROOT = Path(__file__).parents[3]
SPECS = sorted([*(ROOT / "specs").glob("**/*.yaml"), *(ROOT / "docs/language").glob("**/*.yaml")])

GOOD_BITS = [
    '"quoted\n  over: lines"',
    "'one\n\n  two: 2'",
    "plain\n      and more",
    "|\n      block\n\n",
    ">-\n      folded\n",
    "|+\n      kept\n\n\n",
    "{a: 1, b: [x,\n  y: z]}",
    "[1,\n2]",
    "\n  - in line\n  - again",
    "\n    - a: 1\n      b: 2",
    "\n    deep: {x: 1}\n    deeper:\n      yet: 2",
    "",
    "1 # said",
    "'a'  # of it\n# in column 0",
    "true",
    "\u2028x",
    "🙂 wide",
]
TOPS = [
    "|\n  block\n\n",
    "\n  - x\n  - {y: 1}\n",
    "{a: 1, b: ''}\n",
    "\n",
    "plain\n",
    "\n- x\n",
    ">+\n  folded\n\n\n",
]
"""What stands under a key at the top that has no pieces."""

BITS = [
    *(
        "&here 1",
        "*here",
        "!tag x",
        "1_000",
        "a\x85b",
        '"\\ud83d\\ude00"',
        "? a\n    : b",
        "\n\t tab",
        "a: b",
        "- x",
        "---",
    ),
    *("...", "%x", '"open', "{open", "|\n  too far left"),
]
EDITS = [
    *BITS,
    " ",
    "  ",
    "\n",
    "\r\n",
    "\n  new: 1\n",
    "\nnew: 1\n",
    ":",
    "#",
    "'",
    '"',
    "x",
    "|",
    "\n---\n",
    "   ",
]


def made(chance: Random) -> str:
    """A text with sections of entries, some of which hold what is unusual."""
    lines = ["first: 1\n"]
    for section in chance.sample(["steps", "events", "a b", '"quoted"', "tests"], 3):
        lines.append(f"{section}:{chance.choice(['', ' # said', ''])}\n")
        for name in chance.sample(["one", "two", "three", "six", '"four"', "'5'"], chance.randrange(5)):
            value = chance.choice(BITS if chance.random() < 0.03 else GOOD_BITS)
            lines.append(
                f"{'  ' if chance.random() < 0.97 else chance.choice(['    ', ''])}{name}: {value}\n"
            )
        lines += chance.choice([[], [], ["\n"], ["# between\n"], ["  # within\n"]])
        lines += chance.choice([[], [], [f"own_{len(lines)}: {chance.choice(TOPS)}"]])
    text = "".join(lines)
    return text.replace("\n", "\r\n") if chance.random() < 0.1 else text


def edited(text: str, chance: Random) -> str:
    start = chance.randrange(len(text) + 1)
    if chance.random() < 0.5:  # at the edge of a line, where most goes wrong
        start = text.rfind("\n", 0, start) + 1 + chance.choice([0, 0, -1, 2])
    start = max(0, min(start, len(text)))
    end = min(len(text), start + chance.choice([0, 0, 0, 1, 3, 20, 60]))
    word = chance.choice("xyz 1") if chance.random() < 0.4 else chance.choice(["", *EDITS])
    return text[:start] + word + text[end:]


def addresses(data: object, above: Address = ()) -> Iterator[Address]:
    yield above
    inside = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in inside:
        yield from addresses(value, (*above, key))


def places(document: Document) -> list[tuple[Address, tuple[int, int], tuple[int, int], tuple[int, int]]]:
    """Where each key and each value is written, and the second character of the value."""
    return [
        (
            each,
            document.stretch(Place(each, "key")),
            document.stretch(Place(each, "value")),
            document.stretch(Place(each, "value", 1, 2)),
        )
        for each in addresses(document.data)
    ]


def places_apart(document: Document) -> list[Any]:
    """The same, each as if nobody had asked for another one before."""
    found = []
    for each in addresses(document.data):
        document._root = None
        document._near.clear()
        parts = (Place(each, "key"), Place(each, "value"), Place(each, "value", 1, 2))
        found.append((each, *map(document.stretch, parts)))
    return found


def hold(text: str, chance: Random, edits: int) -> int:
    """Edit a text again and again, going on from what was read again; return how often it could be."""
    count = 0
    before = read_marked(text.encode(), "a.yaml", lambda finding: None)
    for _ in range(edits):
        if before.pieces is None:
            break
        new = edited(before.text, chance)
        again = read_again(before, new.encode())
        findings: list[Finding] = []
        whole = read(new.encode(), "a.yaml", findings.append)
        if again is None:
            continue
        count += 1
        told = f"{before.text!r}\n{new!r}"
        assert not findings, told
        assert repr(again.data) == repr(whole.data), told
        assert places(again) == places(whole), told
        if count % 5 == 1:
            assert places_apart(again) == places(whole), told
        marked = read_marked(new.encode(), "a.yaml", findings.append)
        assert marked.pieces is not None, told
        assert again.pieces is not None, told
        assert (again.pieces.found, again.pieces.alone) == (marked.pieces.found, marked.pieces.alone), told
        before = again if chance.random() < 0.8 else marked
    return count


def test_edits_of_unusual_texts_read_as_the_whole() -> None:
    chance = Random(1)  # noqa: S311
    assert sum(hold(made(chance), chance, 12) for _ in range(400)) > 300


def test_edits_of_specs_read_as_the_whole() -> None:
    chance = Random(2)  # noqa: S311
    assert sum(hold(chance.choice(SPECS).read_text("utf-8"), chance, 6) for _ in range(16)) > 8


@pytest.mark.full
@pytest.mark.parametrize("seed", range(8))
def test_more_edits_read_as_the_whole(seed: int) -> None:
    chance = Random(f"more {seed}")  # noqa: S311
    for _ in range(4_000):
        hold(made(chance), chance, 15)
    for spec in SPECS:
        hold(spec.read_text("utf-8"), chance, 10)


GOOD = "wfc: 1\nend: [A, B]\nsteps:\n  one:\n    a: 1\n  two:\n    b: 'x'\nevents:\n  E: {a: string}\n"


@pytest.mark.parametrize(
    ("old", "new", "in_pieces"),
    [
        ("a: 1", "a: 2", True),
        ("'x'", "'xy'\n    c: [1, 2]", True),
        ("{a: string}", "{}", True),
        ("a: 1", "a: [1", False),
        ("a: 1\n", "a: 1", False),
        ("a: 1", "a: &x 1", False),
        ("a: 1", "a: *x", False),
        ("two:", "three:", False),
        ("  two:\n", "", False),
        ("    a: 1\n", "    a: 1\n  more: 2\n", False),
        ("    a: 1\n", "    a: 1\nmore: 2\n", False),
        ("  two:", "   two:", False),
        ("events:", "event:", False),
        ("[A, B]", "[A, B, C]", True),
        ("[A, B]", "\n  - A\n  - B", True),
        ("[A, B]", "{a: 1}", True),
        ("[A, B]", "\n  a: 1", False),
        ("[A, B]", "[A, B", False),
        ("[A, B]", "[A, B]\nnew: 1", False),
        ("end:", "ends:", False),
    ],
)
def test_what_is_read_in_pieces(old: str, new: str, in_pieces: bool) -> None:
    before = read_marked(GOOD.encode(), "a.yaml", lambda finding: None)
    assert (read_again(before, GOOD.replace(old, new, 1).encode()) is not None) is in_pieces
