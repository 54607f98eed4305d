"""Specs of ours with random edits: what can still be read keeps its meaning and its comments, and never is an error."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from pathlib import Path
from random import Random

import pytest
import yaml

from wfc.compiler.diagnostics import Finding, Severity
from wfc.compiler.review.formatting import Unformatted, formatted
from wfc.compiler.yaml import Document, read

ROOT = Path(__file__).parents[4]
PIECES = [
    *("# c\n", " # c", "#x", "\n", "\n\n", "  ", " ", "\t", "\r\n", "    ", "\u00a0", "\ufeff", "\u2028"),
    *("&a ", "*a", "&b\n", "&b # z\n", "<<: *a", "!!str ", "|\n", "|+\n", ">-\n", "|2-\n", "|  # k\n"),
    *("- ", "-\n", "? ", ": ", ":", ", ", ",", "{", "}", "[", "]", "'", '"', "\\", "''", '""', "@", "`", "%"),
    *("---\n", "...\n", "%YAML 1.2\n", "é", "😀", "~", "null", "${{ x }}", "a: 1\n"),
    *("'a\n  b'", '"a\\\n  b"', "[\n  # q\n]", "{ # q\n}"),
]


@cache
def texts() -> tuple[str, ...]:
    folders = ("specs", "docs/language", "compiler/rules/examples")
    files = sorted(path for folder in folders for path in (ROOT / folder).glob("*.yaml"))
    raw = [path.read_bytes() for path in files]
    return tuple(each.decode(errors="replace") for each in raw if len(each) < 6_000)


def edited(chance: Random) -> str:
    text = chance.choice(texts())
    for _ in range(chance.choice([1, 1, 1, 2, 3, 6])):
        at, kind = chance.randrange(len(text) + 1), chance.random()
        lines = text.split("\n")
        number = chance.randrange(len(lines))
        if kind < 0.45:
            text = text[:at] + chance.choice(PIECES) + text[at:]
        elif kind < 0.6:
            text = text[:at] + text[at + chance.choice([1, 1, 2, 5, 20]) :]
        elif kind < 0.75:
            lines[number] = " " * chance.choice([1, 2, 4]) + lines[number]
            text = "\n".join(lines)
        elif kind < 0.85:
            lines[number] = lines[number].removeprefix(" ")
            text = "\n".join(lines)
        else:
            lines.insert(number, chance.choice(chance.choice(texts()).split("\n")))
            text = "\n".join(lines)
    return text


def errors_of(text: str) -> tuple[Document, list[Finding], bool]:
    findings: list[Finding] = []
    document = read(text.encode(), "some.yaml", findings.append)
    return document, findings, any(each.severity is Severity.ERROR for each in findings)


def comments(text: str) -> Counter[str] | None:
    """Return the comments of a text: what PyYAML's own scanner passes over, unless it is stricter than libyaml's."""
    found: list[str] = []
    at = 0
    plain = text.replace("\r\n", "\n")
    try:
        tokens = list(yaml.scan(plain, Loader=yaml.SafeLoader))
    except yaml.YAMLError:
        return None
    for token in tokens:
        start, end = token.start_mark.index, token.end_mark.index
        found += re.findall(r"#[^\n]*", plain[at:start])
        if isinstance(token, yaml.ScalarToken) and token.style in {"|", ">"}:
            header = re.match(r"[|>][-+0-9]*[ \t]*(#.*)?", plain[start:])
            found += [header[1]] if header is not None and header[1] else []
        at = max(at, end)
    return Counter(each.rstrip(" \t") for each in found)


def hold(seed: int) -> bool:
    """Hold the canonical form of an edited spec against what it was, and return whether it has one."""
    text = edited(Random(seed))  # noqa: S311
    document, findings, broken = errors_of(text)
    if broken:
        return False
    made = formatted(document.text)
    if isinstance(made, Unformatted):
        return False
    again, new, _ = errors_of(made)
    assert again.data == document.data, f"{seed}:\n{text}\n=====\n{made}"
    assert len(new) <= len(findings), f"{seed}: {new}"
    assert formatted(again.text) == made, f"{seed}:\n{text}"
    said = comments(document.text)
    assert said is None or comments(made) == said, f"{seed}:\n{text}\n=====\n{made}"
    return True


def test_random_edits() -> None:
    assert sum(hold(seed) for seed in range(150)) > 20


@pytest.mark.full
def test_more_random_edits() -> None:
    assert sum(hold(seed) for seed in range(1_000, 5_000)) > 700


@pytest.mark.slow
def test_fifty_thousand_random_edits() -> None:
    assert sum(hold(seed) for seed in range(10_000, 60_000)) > 9_000
