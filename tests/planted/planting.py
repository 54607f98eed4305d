"""Names in the expressions of specs, each misspelt on its own, in a spec that is written anew in another style."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from styles import STYLES, written

from wfc.compiler.diagnostics import Address
from wfc.compiler.expressions.filters import FILTERS
from wfc.compiler.passes import check_text
from wfc.compiler.resolve import Refused
from wfc.compiler.workspace.compiled import Compiled
from wfc.compiler.workspace.project import Project
from wfc.compiler.yaml import read

__all__ = ["Bed", "Planted", "beds", "checked", "planted"]

TESTS = Path(__file__).parent.parent
HEAD = "wfc: 1\nworkflow: shown\n"

CONDITIONS = frozenset({"when", "that", "in", "keep", "until", "to_key"})
"""Keys whose whole text is an expression; `key` and `per` too, at the top and in `limits`."""
OWN = frozenset(
    {"with", "args", "form", "prefill", "start", "mock", "body", "headers", "query", "labels", "save"}
)
"""Keys below which names are the author's."""
WORDS = frozenset(
    {
        "and",
        "or",
        "not",
        "in",
        "is",
        "if",
        "else",
        "for",
        "true",
        "false",
        "none",
        "null",
        "True",
        "False",
        "None",
    }
)
ITEM = re.compile(r"\bfor\s+(\w+(?:\s*,\s*\w+)?)\s+in\b")
STATEMENT = re.compile(r"\{%-?\s*(\w+)(.*?)-?%\}", re.DOTALL)
HOLE = re.compile(r"\$\{\{(.*?)\}\}", re.DOTALL)
TOKEN = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|\d[\w.]*|(?P<name>[^\W\d]\w*)", re.DOTALL)
FIELD = re.compile(r"\|\s*(\w+)\(\s*(['\"])(?P<field>\w+)\2")
ALPHABET = "abcdefghijklmnopqrstuvwxyzäé工"


@dataclass(frozen=True)
class Site:
    """A name in an expression: the text that it is in, and its stretch there; and the stretch of the expression."""

    address: Address
    start: int
    end: int
    begin: int
    stop: int
    whole: bool = False  # whether the name is the whole text, of which the finding is then


@dataclass(frozen=True)
class Bed:
    """A spec without findings, the names in its expressions, and every word that could be taken for a name."""

    name: str
    data: dict[str, Any]
    sites: list[Site]
    words: frozenset[str]


@dataclass(frozen=True)
class Planted:
    """A spec with one misspelt name in it.

    Args:
        bed: The spec's name, and ``where`` also the address and the two names.
        right: The name that was misspelt, and ``wrong`` what stands there now, at ``start`` to ``end`` of the text.
        sure: Whether no other name is as near, so that the right one must be suggested.
    """

    bed: str
    where: str
    raw: bytes
    text: str
    right: str
    wrong: str
    start: int
    end: int
    style: str
    field: str
    sure: bool


def beds() -> list[Bed]:
    """All specs of the repository that have no findings and have names in expressions."""
    texts = {
        path.stem: path.read_text(encoding="utf-8")
        for path in sorted((TESTS.parent / "specs").glob("*.yaml"))
    }
    for path in sorted((TESTS / "semantics").glob("*.yaml")):
        for number, text in enumerate(path.read_text(encoding="utf-8").split("\n---\n")):
            texts[f"{path.stem} {number}"] = HEAD + text
    for path in sorted(Path(__file__).parent.glob("*.yaml")):
        texts[path.stem] = path.read_text(encoding="utf-8")
    found = []
    for name, text in texts.items():
        if check_text(text.encode(), f"{name}.yaml").diagnostics:
            continue
        data = read(text.encode(), f"{name}.yaml", lambda _: None).data
        assert isinstance(data, dict)
        sites = [site for address, each in texts_in(data, ()) for site in names_in(each, address)]
        if sites:
            data = json.loads(json.dumps(data))  # what an alias repeats is one object
            found.append(Bed(name, data, sites, frozenset(re.findall(r"\w+", text)) | FILTERS.keys() | WORDS))
    return found


def texts_in(value: Any, address: Address) -> Iterator[tuple[Address, str]]:
    if isinstance(value, str):
        yield address, value
    below = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, each in below:
        yield from texts_in(each, (*address, step))


def names_in(text: str, address: Address) -> Iterator[Site]:
    """The names in the expressions of a text."""
    if address[0] not in {"tests", "description", "labels"} and address[-1] != "description":
        for begin, stop in expressions(text, address):
            declared = [each.span(1) for each in ITEM.finditer(text, begin, stop)]
            for token in TOKEN.finditer(text, begin, stop):
                name = token["name"]
                if name is None or name in WORDS:
                    continue
                if re.match(r"\s*:", text[token.end() : stop]):
                    continue  # a key of a record that is written in place: what is wrong is that record
                if any(start <= token.start() < end for start, end in declared):
                    continue  # the name that a list gives to each item: another name is one too
                yield Site(address, token.start(), token.end(), begin, stop)
            for named in FIELD.finditer(text, begin, stop):
                if any(each.name == "field" for each in FILTERS[named[1]].parameters):
                    yield Site(address, *named.span("field"), begin, stop)
        if address[-2:-1] == ("save",) and isinstance(address[-1], int):  # a list of names
            yield Site(address, 0, len(text), 0, len(text), whole=True)


def expressions(text: str, address: Address) -> Iterator[tuple[int, int]]:
    """The stretches of expressions."""
    if is_condition(address):
        yield 0, len(text)
        return
    for hole in HOLE.finditer(text):
        yield hole.span(1)
    for statement in STATEMENT.finditer(text):
        if statement[1] in {"if", "elif"}:
            yield statement.span(2)
        elif statement[1] == "for":
            yield statement.start(2) + statement[2].index(" in ") + 4, statement.end(2)


def is_condition(address: Address) -> bool:
    if address in {("key",), ("limits", "per")}:
        return True
    return address[-1] in CONDITIONS and not OWN.intersection(address[:-1])


class Shelf:
    """The specs of the repository, for those that call one another."""

    def __init__(self, path: str, raw: bytes) -> None:
        self.files = {**SPECS, path: raw}

    def read(self, path: str) -> bytes | Refused:
        """A file's content."""
        return self.files.get(path, Refused("missing", "there is no such file"))

    def given(self) -> Iterator[tuple[str, bytes]]:
        """The one that is looked at."""
        return iter(())

    def near(self, path: str) -> Iterator[tuple[str, bytes]]:
        """All of them."""
        return iter(self.files.items())


SPECS = {f"specs/{path.name}": path.read_bytes() for path in sorted((TESTS.parent / "specs").glob("*.yaml"))}


def checked(name: str, raw: bytes) -> Compiled:
    """What is found in a spec that is written anew."""
    path = f"specs/{name}.yaml"
    return check_text(raw, path, Project(Shelf(path, raw)) if path in SPECS else None)


# --- planting


def planted(bed: Bed, chance: Random) -> Planted:
    """One name of a spec misspelt, and the spec written anew."""
    site = chance.choice(bed.sites)
    data = json.loads(json.dumps(bed.data))
    owner = data
    for step in site.address[:-1]:
        owner = owner[step]
    text = owner[site.address[-1]]
    right = text[site.start : site.end]
    wrong, edits = misspelt(chance, right, bed.words)
    before, after = text[: site.start], text[site.end :]
    if not site.whole:
        before = spread(chance, before, site.begin)
        after = spread(chance, after[::-1], len(text) - site.stop)[::-1]
        before, after = surrounded(chance, before, after, site)
    owner[site.address[-1]] = before + wrong + after
    made = written(chance, data, site.address, chance.choice(STYLES))
    raw = made.text.encode()
    if chance.random() < 0.3:
        raw = b"\xef\xbb\xbf" + raw
    again = read(raw, "spec.yaml", lambda _: None).data
    assert again == data, f"the writer wrote something else:\n{made.text}"
    start, end = made.spots[len(before)][0], made.spots[len(before) + len(wrong) - 1][1]
    if site.whole:
        start, end = made.whole
    where = f"{bed.name}: {'.'.join(map(str, site.address))}: {right} → {wrong}"
    field = next(each for each in reversed(site.address) if isinstance(each, str))
    near = edits <= (1 if len(right) < 6 else 2) and len(right) > 2
    sure = near and not any(each != right and apart(wrong, each) <= edits for each in bed.words)
    return Planted(
        bed.name, where, raw, made.text, right, wrong, start, end, made.style or "plain", field, sure
    )


def misspelt(chance: Random, name: str, words: frozenset[str]) -> tuple[str, int]:
    """A name with a slip or two, which is no other name; and how many slips."""
    while True:
        edits = chance.choice([1, 1, 2])
        letters = list(name)
        for _ in range(edits):
            place = chance.randrange(len(letters) + 1)
            slip = chance.randrange(4)
            if slip == 0:
                letters.insert(place, chance.choice(ALPHABET))
            elif slip == 1:
                del letters[place : place + 1]
            elif slip == 2:
                letters[place : place + 1] = chance.choice(ALPHABET)
            else:
                letters[place : place + 2] = reversed(letters[place : place + 2])
        wrong = "".join(letters)
        if wrong.isidentifier() and wrong[0] != "_" and wrong not in words and wrong.casefold() not in words:
            return wrong, edits


def apart(one: str, other: str) -> int:
    """How many letters must be changed, added, dropped or swapped, capitals and ``_`` aside."""
    one, other = one.casefold().replace("_", ""), other.casefold().replace("_", "")
    if abs(len(one) - len(other)) > 2:
        return 3
    earlier: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        before, row = row, [i]
        for j, there in enumerate(other, 1):
            cost = min(before[j] + 1, row[-1] + 1, before[j - 1] + (letter != there))
            if earlier and j > 1 and letter == other[j - 2] and one[i - 2] == there:
                cost = min(cost, earlier[j - 2] + 1)
            row.append(cost)
        earlier = before
    return row[-1]


def spread(chance: Random, text: str, begin: int) -> str:
    """Other blanks between the words of an expression that begins somewhere, but not in the texts in it."""
    head, inside = text[:begin], text[begin:]
    if chance.random() < 0.6 or "'" in inside or '"' in inside or "%}" in inside or "}}" in inside:
        return text
    return head + re.sub(" +", lambda _: chance.choice([" ", " ", "  ", "\t", " \t", "\n"]), inside)


def surrounded(chance: Random, before: str, after: str, site: Site) -> tuple[str, str]:
    """Wide and combined characters around a name, where they change nothing but its place."""
    if chance.random() < 0.6:
        return before, after
    wide = chance.choice(["漢字 ", "\U0001f600\U0001f1e9\U0001f1ea", "e\u0301a\u0308 ", "\u200bﬁ", "한글"])
    if site.address[-1] in {"when", "that", "keep"} and is_condition(site.address):
        quote = chance.choice("'\"")
        return f"({quote}{wide}{quote} | length) > 9 or ({before}", f"{after})"
    return before, after + wide if site.address[-1] in {
        "prompt",
        "system",
        "show",
        "title",
        "say",
        "fail",
    } else after
