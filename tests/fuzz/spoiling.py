"""Specs, spoilt: in their data, in their text and in their bytes, the same for the same seed on every machine."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import yaml

from wfc.compiler.resolve import Refused
from wfc.compiler.yaml import read

__all__ = ["Larder", "Spoilt"]

TESTS = Path(__file__).parent.parent
EXAMPLES = TESTS.parent / "compiler/rules/examples"
SPECS = [TESTS.parent / "specs", TESTS.parent / "docs/language"]
EVERY_KEY = TESTS / "compiler/schema/supported.yaml"
PATH = "specs/spoilt.yaml"
HEAD = "wfc: 1\nworkflow: shown\n"
LARGEST = 6_000
WORD = re.compile(r"\w+|[^\w\s]+|\s+")

SIGNS = """
: , # - ? [ ] { } & * ! | > ' " % @ ` ${{ }} {{ {% %} {# #} ( ) . .. + - * / // ** == != < <= > >= ~ = $ \\ : \n \t \r
\r\n --- ... << !!str !!python/object:os.system |- >+ |2 &a *a \u2028 \x85 \ufeff \x00 \x07 \u200b e\u0301 漢 \U0001f600
""".strip().split(" ")
WORDS = """
and or not in is if else none true false null yes no on off each all any count within on_timeout on_error
on_limit max_runs emit accepts kind event events result state inputs config error run args response nothing fail
restart with when save merge append by last optional list map string integer number decimal boolean date datetime any
enum one_of default type format min max pattern min_length max_length json length first where group_by pluck sort sum
0 1 -1 1e999 .nan .inf 0x10 0o7 1_000 99999999999999999999999 2m 3h 5 min __class__ __init__ _x class import None True
""".split()
VALUES: list[Any] = [
    *(None, True, False, 0, 1, -1, 10**30, 1.5, "", " ", "x", "X", [], {}, [[]], [None], {"": None}),
    *(
        "a: b",
        "${{ event }}",
        "${{ 1 +",
        "${{ state.x | json }}",
        "list of A",
        "optional",
        "optional optional string",
    ),
    *(
        "3 days",
        "2m",
        "nothing",
        {"enum": ["a", "a"]},
        {"one_of": ["A", "B"]},
        {"fail": "x"},
        {"restart": {}},
    ),
    *(
        {"type": "string", "pattern": "("},
        {"type": "string", "pattern": "(a+)+$"},
        {"all": []},
        {"each": "A"},
    ),
    {"each": {"in": "x", "as": "y", "event": "A"}},
]


@dataclass(frozen=True)
class Spoilt:
    """One input.

    Args:
        path: Of the file that is compiled.
        files: The content of all files that there are, by their paths.
    """

    path: str
    files: dict[str, bytes]

    def read(self, path: str) -> bytes | Refused:
        """A file, for those that mention it."""
        return self.files.get(path, Refused("missing", "there is no such file"))

    def given(self) -> Iterable[tuple[str, bytes]]:
        """What is compiled together."""
        return self.files.items()

    def near(self, path: str) -> Iterable[tuple[str, bytes]]:
        """What lies in one folder: all of it."""
        return self.files.items()


class Larder:
    """What is spoilt, and what is mixed in: the specs of this repository, good and bad."""

    def __init__(self) -> None:
        texts = [
            path.read_text(encoding="utf-8") for folder in SPECS for path in sorted(folder.glob("*.yaml"))
        ]
        texts.append(EVERY_KEY.read_text(encoding="utf-8"))
        for path in sorted((TESTS / "semantics").glob("*.yaml")):
            texts += [HEAD + each for each in path.read_text(encoding="utf-8").split("\n---\n")]
        for path in sorted(EXAMPLES.rglob("*.yaml")):
            text = path.read_bytes().decode("utf-8", "replace")
            if len(text) < LARGEST:
                texts.append(text)
        self.texts = texts
        every = [data for data in map(read_data, texts) if isinstance(data, dict)]
        self.words = sorted({each for text in texts for each in WORD.findall(text) if each.strip()})
        self.words += SIGNS + WORDS
        self.values = [part for data in every for part in parts(data)] + VALUES
        self.keys = sorted(
            {key for data in every for part in parts(data) if isinstance(part, dict) for key in part}
        )

        folders = sorted(path for path in EXAMPLES.glob("[!_]*") if path.is_dir())
        self.folders = [
            {f"specs/{path.relative_to(folder)}": path.read_bytes() for path in sorted(folder.rglob("*.*"))}
            for folder in folders
        ]

    def spoilt(self, seed: int, number: int) -> Spoilt:
        """The input of a number: mostly one file, sometimes one of several that mention each other."""
        chance = Random(f"{seed}/{number}")  # noqa: S311 - a reproducible choice
        change = chance.choices([self.of_text, self.of_data, self.of_bytes], [5, 4, 1])[0]
        if chance.random() < 0.9:
            return Spoilt(PATH, {PATH: change(chance, chance.choice(self.texts))})
        files = dict(chance.choice(self.folders))
        path = chance.choice(list(files))
        files[path] = change(chance, files[path].decode("utf-8", "replace"))
        return Spoilt(chance.choice(list(files)), files)

    def of_bytes(self, chance: Random, text: str) -> bytes:
        """Bytes that are hardly a text."""
        if chance.random() < 0.3:
            return chance.randbytes(chance.randrange(200))
        if chance.random() < 0.3:
            return "".join(chance.choices(self.words, k=chance.randrange(80))).encode(
                "utf-8", "surrogatepass"
            )
        raw = bytearray(text.encode())
        if chance.random() < 0.1:
            return bytes(raw).decode().encode(chance.choice(["utf-16", "utf-16-le", "utf-32", "utf-8-sig"]))
        for _ in range(chance.randint(1, 6)):
            place = chance.randrange(len(raw) + 1)
            raw[place : place + chance.randrange(3)] = chance.randbytes(chance.randrange(3))
        return bytes(raw)

    def of_text(self, chance: Random, text: str) -> bytes:
        """A spec's text with a few changes."""
        pieces = WORD.findall(text)
        for _ in range(min(12, int(chance.expovariate(0.6)) + 1)):
            chance.choice(TEXT_CHANGES)(self, chance, pieces)
            if not pieces:
                break
        text = "".join(pieces)
        if chance.random() < 0.03:
            text = text.replace("\n", chance.choice(["\r\n", "\r", "\n\n", "\u2028"]))
        return text.encode("utf-8", "surrogatepass")

    def of_data(self, chance: Random, text: str) -> bytes:
        """A spec's data with a few changes, written anew."""
        data = read_data(text)
        if not isinstance(data, dict):
            return self.of_text(chance, text)
        data = json.loads(json.dumps(data))  # what an alias repeats is one object
        for _ in range(min(8, int(chance.expovariate(0.8)) + 1)):
            chance.choice(DATA_CHANGES)(self, chance, data)
        if chance.random() < 0.15:
            wide = chance.choice([20, 80, 1000])
            return yaml.dump(
                data, Dumper=yaml.CSafeDumper, sort_keys=False, width=wide, allow_unicode=True
            ).encode()
        return json.dumps(data, ensure_ascii=chance.random() < 0.2).encode("utf-8", "surrogatepass")


def read_data(text: str) -> object:
    document = read(text.encode("utf-8", "replace"), "spec.yaml", lambda _: None)
    return document.data if document.whole else None


def parts(value: Any) -> list[Any]:
    below = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [value, *(part for each in below for part in parts(each))]


# --- changes of a text, which is a list of words, signs and spaces


def drop(larder: Larder, chance: Random, pieces: list[str]) -> None:
    start = chance.randrange(len(pieces))
    del pieces[start : start + chance.choice([1, 1, 1, 2, 5, 20])]


def put(larder: Larder, chance: Random, pieces: list[str]) -> None:
    pieces.insert(chance.randrange(len(pieces) + 1), chance.choice(larder.words))


def put_sign(larder: Larder, chance: Random, pieces: list[str]) -> None:
    pieces.insert(chance.randrange(len(pieces) + 1), chance.choice(SIGNS))


def replace(larder: Larder, chance: Random, pieces: list[str]) -> None:
    pieces[chance.randrange(len(pieces))] = chance.choice(larder.words)


def misspell(larder: Larder, chance: Random, pieces: list[str]) -> None:
    place = chance.randrange(len(pieces))
    letters = list(pieces[place])
    at = chance.randrange(len(letters) + 1)
    letters[at : at + chance.randrange(2)] = chance.choice(["", "x", "é", "_", "0", " ", *letters[:1]])
    pieces[place] = "".join(letters)


def repeat(larder: Larder, chance: Random, pieces: list[str]) -> None:
    start, most = chance.randrange(len(pieces)), chance.choice([1, 3, 10, 40])
    pieces[start:start] = pieces[start : start + most] * chance.choice([1, 1, 1, 2, 8])


def repeat_often(larder: Larder, chance: Random, pieces: list[str]) -> None:
    start = chance.randrange(len(pieces))
    pieces[start:start] = pieces[start : start + chance.randint(1, 3)] * chance.choice([20, 150])


def swap(larder: Larder, chance: Random, pieces: list[str]) -> None:
    one, other = chance.randrange(len(pieces)), chance.randrange(len(pieces))
    pieces[one], pieces[other] = pieces[other], pieces[one]


def move(larder: Larder, chance: Random, pieces: list[str]) -> None:
    start, most = chance.randrange(len(pieces)), chance.choice([1, 5, 30])
    taken = pieces[start : start + most]
    del pieces[start : start + most]
    place = chance.randrange(len(pieces) + 1)
    pieces[place:place] = taken


def indent(larder: Larder, chance: Random, pieces: list[str]) -> None:
    breaks = [place for place, piece in enumerate(pieces) if "\n" in piece]
    if breaks:
        pieces[chance.choice(breaks)] = "\n" + chance.choice(
            ["", " ", "  ", "    ", "      ", "\t", "- ", "  - "]
        )


def mix(larder: Larder, chance: Random, pieces: list[str]) -> None:
    other = WORD.findall(chance.choice(larder.texts))
    start = chance.randrange(len(other) or 1)
    place = chance.randrange(len(pieces) + 1)
    pieces[place:place] = other[start : start + chance.choice([3, 10, 40])]


TextChange = Callable[[Larder, Random, list[str]], None]
TEXT_CHANGES: list[TextChange] = [
    drop, put, put_sign, replace, replace, misspell, misspell, repeat, repeat_often, swap, swap, move, indent, mix
]  # fmt: skip


# --- changes of data


def somewhere(chance: Random, data: Any) -> tuple[Any, Any]:
    """A map or list inside, and one of its keys or indexes; the deeper the likelier."""
    owner, step = data, chance.choice(list(data)) if data else None
    while step is not None:
        value = owner[step]
        below = (
            list(value)
            if isinstance(value, dict)
            else list(range(len(value)))
            if isinstance(value, list)
            else []
        )
        if not below or chance.random() < 0.2:
            break
        owner, step = value, chance.choice(below)
    return owner, step


def other_value(larder: Larder, chance: Random, data: Any) -> None:
    owner, step = somewhere(chance, data)
    if step is not None:
        owner[step] = json.loads(json.dumps(chance.choice(larder.values)))


def odd_value(larder: Larder, chance: Random, data: Any) -> None:
    owner, step = somewhere(chance, data)
    if step is not None:
        owner[step] = json.loads(json.dumps(chance.choice(VALUES)))


def no_value(larder: Larder, chance: Random, data: Any) -> None:
    owner, step = somewhere(chance, data)
    if step is not None:
        del owner[step]


def one_more(larder: Larder, chance: Random, data: Any) -> None:
    owner, step = somewhere(chance, data)
    value = json.loads(json.dumps(chance.choice(larder.values)))
    if isinstance(owner, dict):
        owner[chance.choice(larder.keys)] = value
    else:
        owner.insert(step or 0, value)


def other_key(larder: Larder, chance: Random, data: Any) -> None:
    owner, step = somewhere(chance, data)
    if isinstance(owner, dict) and step is not None:
        owner[chance.choice(larder.keys)] = owner.pop(step)


def wrapped(larder: Larder, chance: Random, data: Any) -> None:
    owner, step = somewhere(chance, data)
    if step is not None:
        for _ in range(chance.choice([1, 1, 1, 2, 60])):
            owner[step] = (
                [owner[step]] if chance.random() < 0.5 else {chance.choice(larder.keys): owner[step]}
            )


def two_swapped(larder: Larder, chance: Random, data: Any) -> None:
    (one, at), (other, there) = somewhere(chance, data), somewhere(chance, data)
    if at is not None and there is not None and not isinstance(one[at], dict | list):
        one[at], other[there] = json.loads(json.dumps([other[there], one[at]]))


def text_spoilt(larder: Larder, chance: Random, data: Any) -> None:
    owner, step = somewhere(chance, data)
    if step is not None and isinstance(owner[step], str) and owner[step]:
        pieces = WORD.findall(owner[step])
        chance.choice(TEXT_CHANGES)(larder, chance, pieces)
        owner[step] = "".join(pieces)


DataChange = Callable[[Larder, Random, Any], None]
DATA_CHANGES: list[DataChange] = [
    other_value, other_value, odd_value, no_value, one_more, other_key, wrapped, two_swapped, text_spoilt, text_spoilt
]  # fmt: skip
