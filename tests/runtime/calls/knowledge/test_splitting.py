"""Texts are cut into passages; tables in Markdown stay whole, or keep their heading row."""

from __future__ import annotations

import random
import re
import time
from bisect import bisect_left, bisect_right
from typing import Any

import pytest

from wfc.runtime.calls.knowledge.definition import Knowledge
from wfc.runtime.calls.knowledge.loading import Document
from wfc.runtime.calls.knowledge.searching import search
from wfc.runtime.calls.knowledge.splitting import Piece, cut
from wfc.runtime.calls.knowledge.tables import tables_of

HEAD = "| part | price |\n|---|---:|\n"


def table(first: int, last: int) -> str:
    return HEAD + "".join(f"| P{number} | {number * 3} |\n" for number in range(first, last))


def pieces(text: str, **how: Any) -> list[Piece]:
    found = [*cut(Document(text, is_markdown=True), Knowledge("texts", **how))]
    for each in found:
        assert text[each.start : each.start + len(each.text)] == each.text
    return found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("| a | b |\n|---|---|\n| 1 | 2 |\n\nafter | this", ["| a | b |\n|---|---|\n| 1 | 2 |"]),
        ("a | b\n- | -:\n1 | 2\nno bars", ["a | b\n- | -:\n1 | 2"]),
        ("text\n  | a |\r\n  |---|\r\n  | 1 |\r\n", ["| a |\r\n  |---|\r\n  | 1 |"]),
        ("| a |\n|---|", ["| a |\n|---|"]),
        ("| a |\n|---|\n# A | B\n", ["| a |\n|---|"]),
        ("```\n| a |\n|---|\n| 1 |\n```\n", []),
        ("````\n```\n| a |\n|---|\n| 1 |\n```\n````\n", []),
        ("````\n```\n````\n| a |\n|---|\n| 1 |\n", ["| a |\n|---|\n| 1 |"]),
        ("~~~~\n~~~\n| a |\n|---|\n| 1 |\n~~~~~\n", []),
        ("```\n```python\n| a |\n|---|\n| 1 |\n```\n", []),
        ("```a `b`\n| a |\n|---|\n| 1 |\n", ["| a |\n|---|\n| 1 |"]),
        ("a heading | of lines\n---\nmore | bars", []),
        ("| a |\n|-x-|\n", []),
        ("", []),
    ],
)
def test_what_is_a_table(text: str, found: list[str]) -> None:
    assert [text[each.start : each.end] for each in tables_of(text)] == found


@pytest.mark.parametrize(
    "hostile", ["|-" + " " * 500_000 + "x", "|\n|-\n" * 60_000, "|-|\n" * 100_000, "| a |\n" * 80_000]
)
def test_no_text_takes_long(hostile: str) -> None:
    begun = time.process_time()
    tables_of("| a |\n" + hostile)
    assert time.process_time() - begun < 2


def test_a_table_that_fits_is_never_cut() -> None:
    text = f"# Prices\n\n{'Some words come first. ' * 7}\n\n{table(0, 9)}\nAnd some come later."
    for size in range(180, 400, 10):
        (whole,) = [each for each in pieces(text, size=size) if "| P4 |" in each.text]
        assert table(0, 9).strip() in whole.text and not whole.head
        assert len(whole.text) <= size


def test_a_larger_table_keeps_its_heading_row() -> None:
    text = f"Before.\n\n{table(0, 40)}\nAfter."
    found = [each for each in pieces(text, size=120) if "| P" in each.text]
    assert found[0].text.startswith(HEAD) and not found[0].head
    assert len(found) > 4 and all(each.head == HEAD for each in found[1:])
    assert all(len(each.head + each.text) <= 120 for each in found)
    rows = [row for each in found for row in each.text.removeprefix(HEAD).splitlines()]
    assert rows == table(0, 40).removeprefix(HEAD).splitlines()


@pytest.mark.parametrize(
    "text",
    [
        f"| {'wide ' * 40} |\n|---|\n" + "| a |\n" * 40,
        f"{HEAD}| P1 | {'long ' * 100} |\n| P2 | 6 |\n",
        HEAD.replace("part", "x" * 500) + "| P1 | 3 |\n",
    ],
)
def test_what_is_larger_than_a_passage_by_itself_is_cut(text: str) -> None:
    found = pieces(text, size=100)
    assert all(len(each.head + each.text) <= 100 for each in found)
    assert "".join("".join(each.text for each in found).split()) == "".join(text.split())


@pytest.mark.parametrize("seed", range(40))
def test_nothing_is_lost_and_no_table_cut(seed: int) -> None:
    """Texts by chance, of paragraphs, headings and tables; sizes, overlaps and parents by chance."""
    chance = random.Random(seed)  # noqa: S311 - it decides what a test does
    blocks = []
    for number in range(chance.randrange(1, 14)):
        kind = chance.randrange(3)
        words = " ".join(f"w{seed}x{number}x{each}." for each in range(chance.randrange(1, 40)))
        first = chance.randrange(1000)
        blocks.append(
            (words, f"# Title {number}", table(first, first + chance.randrange(1, 30)).strip())[kind]
        )
    text = "\n\n".join(blocks)
    size = chance.randrange(80, 600)
    overlap = chance.choice((0, 0, size // 4))
    parent = chance.choice((0, 3 * size))
    found = pieces(text, size=size, overlap=overlap, parent=parent)
    assert [each.start for each in found] == sorted(each.start for each in found)
    covered: set[int] = set()
    for each in found:
        assert len(each.head + each.text) <= size
        covered.update(range(each.start, each.start + len(each.text)))
    assert all(text[at].isspace() for at in set(range(len(text))) - covered)
    for one in tables_of(text):
        holding = [each for each in found if each.start < one.end and one.start < each.start + len(each.text)]
        if one.end - one.start <= size:
            assert len(holding) == 1
        else:
            assert all(each.head or text[one.start : one.rows] in each.text for each in holding)


def test_a_row_is_found_by_the_names_of_its_columns(write: Any, texts: Knowledge) -> None:
    write({"a.md": table(0, 60)})
    found = search([texts], "price P55", 5)
    assert "| P55 |" in found[0].text and found[0].text.startswith(HEAD)
    whole = (texts.folder / "a.md").read_text()
    assert found[0].start is not None and found[0].end is not None
    assert HEAD + whole[found[0].start : found[0].end] == found[0].text
    (wide,) = search([texts], "price P55", 1, neighbours=1)
    assert wide.text.count(HEAD) == 1 and len(wide.text) > len(found[0].text)
    assert HEAD + whole[wide.start : wide.end] == wide.text


WORDS = " ".join(f"word{number}" for number in range(40))
CODE = "\n\n".join(f"# no heading {number}\nrun(step={number})" for number in range(9))


def is_in_one(text: str, start: int, end: int, found: list[Piece]) -> bool:
    return any(each.start <= start and end <= each.start + len(each.text) for each in found)


@pytest.mark.parametrize(
    "text",
    [
        f"{WORDS}\n\n{table(0, 20_000)}\n{WORDS}",
        f"# Parts\n\n{table(0, 12_000)}\n# Others\n\n{table(20_000, 32_000)}",
        "".join(f"{WORDS}\n\n{table(each, each + 90)}\n" for each in range(0, 20_000, 90)),
        "\n".join(f"{WORDS}\n{table(each, each + 90)}" for each in range(0, 20_000, 90)) + "\n",
        f"```\n{table(0, 3)}```\n\n" + "\n\n".join(table(each, each + 500) for each in range(0, 20_000, 500)),
    ],
    ids=["one", "two", "many", "many without empty lines", "beside code"],
)
def test_tables_of_large_files_are_cut_as_others_are(text: str) -> None:
    assert len(text) > 250_000
    found = pieces(text, size=800)
    starts = [each.start for each in found]
    for one in tables_of(text):
        first = bisect_right(starts, one.start) - 1
        holding = [
            each
            for each in found[first : bisect_left(starts, one.end)]
            if each.start + len(each.text) > one.start
        ]
        assert all(each.head == HEAD or text[one.start : one.rows] in each.text for each in holding)
        assert all(len(each.head + each.text) <= 800 for each in holding)
        rows = [row for row in text[one.rows : one.end].split("\n") if row]
        assert [row for each in holding for row in each.text.split("\n") if row.startswith("| P")] == rows


@pytest.mark.parametrize("fence", ["```", "~~~~", "   ```"])
@pytest.mark.parametrize("between", ["\n\n", "\n", f"\n\n# Part\n\n{WORDS}\n\n", f"\n{WORDS} "[:-1] + "\n"])
def test_code_in_large_files_is_not_cut_where_it_fits(fence: str, between: str) -> None:
    code = f"{fence}\n{CODE}\n{fence.strip()}"
    text = between.join([code] * (400_000 // len(code + between)))
    found = pieces(text, size=len(code) + 10)
    starts = [match.start() for match in re.finditer(re.escape(code.strip()), text)]
    assert len(starts) > 300
    by_start = [each.start for each in found]
    for start in starts:
        near = found[max(0, bisect_right(by_start, start) - 2) : bisect_right(by_start, start)]
        assert is_in_one(text, start, start + len(code.strip()), near), start


@pytest.mark.parametrize(
    ("line", "markdown"),
    [
        (f"{WORDS}\n", False),
        (f"{WORDS} ", False),
        (f"{WORDS}\r\n", False),
        (f"{WORDS}\n", True),
        (f"{WORDS} ", True),
    ],
)
def test_no_word_of_a_large_text_is_cut(line: str, markdown: bool) -> None:
    text = "x " + line * (400_000 // len(line))
    found = [
        *cut(Document(text, is_markdown=markdown), Knowledge("texts", by="markdown" if markdown else "size"))
    ]
    assert " ".join(each.text for each in found).split() == text.split()


@pytest.mark.parametrize("opened", ["", "```\n", f"{HEAD}"])
def test_what_is_longer_than_a_stretch_is_cut_at_lines(opened: str) -> None:
    """Code between fences that never closes, and rows that are far larger than a passage."""
    lines = [f"| line {number} of it |" for number in range(20_000)]
    text = opened + "\n".join(lines)
    found = pieces(text)
    assert [line for each in found for line in each.text.split("\n") if line.startswith("| line")] == lines
