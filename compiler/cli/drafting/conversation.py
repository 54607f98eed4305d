"""What a model is told while it writes a spec, and the spec in what it replies."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import click

from wfc.compiler.workspace.detection import looks_like_spec

__all__ = ["SYSTEM", "Looked", "asked", "code_in", "spec_in", "verdict_of"]

SYSTEM: Final = """\
You write workflow specs in the language that is told below, and nothing else. You are given words of somebody who does
not know the language. Reply with the whole spec in one block that begins with ```yaml and ends with ```; say nothing
about it. It has tests: one for each end, and one for each thing that may go wrong, with the answers of people, models
and services under `mock`. Do not add what the words do not ask for. What they leave open is under `config`, or decided
in the simplest way. You are then told what the check has found and which tests fail, and reply with the whole spec
again, mended, until nothing is found. Never silence a finding, and never take away a test because it fails: if test and
spec differ, decide by the words which of them is wrong.
"""
FENCE: Final = "```"
LANGUAGES: Final = frozenset({"", "yaml", "yml"})
CODE: Final = re.compile(r"\[([a-z][a-z0-9]*(?:-[a-z0-9]+)+)\]$", re.MULTILINE)
LONGEST_TOLD: Final = 20_000
MOST_EXPLAINED: Final = 3
"""How many codes are explained with one reply."""


class Looked:
    """What was found in a reply.

    Args:
        said: In a few words, for whoever watches.
        told: What the model is told; empty: there is nothing to mend.
    """

    def __init__(self, said: str, told: str = "") -> None:
        self.said = said
        self.told = told

    @property
    def is_good(self) -> bool:
        """Return whether there is nothing to mend."""
        return not self.told


def asked(words: str) -> str:
    """Return what the model is asked first."""
    return f"Write a spec for this:\n\n{words}"


def spec_in(reply: str) -> str | None:
    """Return the spec in a reply: the last block that looks like one, or all of it; ``None``: there is none."""
    blocks = [*blocks_in(reply)]
    for text in reversed(blocks):
        if looks_like_spec(text.encode("utf-8", "surrogatepass")):
            return text
    return reply if not blocks and looks_like_spec(reply.encode("utf-8", "surrogatepass")) else None


def blocks_in(reply: str) -> Iterator[str]:
    """Yield the blocks of a reply that may hold YAML, of which each stands between two lines of its own."""
    block: list[str] | None = None
    for line in reply.splitlines(keepends=True):
        mark = line.strip()
        if block is None:
            if mark.startswith(FENCE) and mark.removeprefix(FENCE).strip().lower() in LANGUAGES:
                block = []
        elif mark == FENCE:
            yield "".join(block)
            block = None
        else:
            block.append(line)


def verdict_of(found: Mapping[str, Any]) -> Looked:
    """Return what is to be done after the tests of a spec were asked for.

    Args:
        found: What ``looking.run_tests`` has returned, or ``{"error": …}``.
    """
    if "error" in found:
        return Looked(found["error"], f"It cannot be looked at: {found['error']}\n\n{AGAIN}")
    if "findings" in found:
        codes = ", ".join(dict.fromkeys(each["code"] for each in found["findings"]))
        return Looked(
            f"{found['summary']} ({codes})", f"The check has found:\n\n{cut(found['report'])}\n{AGAIN}"
        )
    problems = [*missing(found)]
    if found["failed"] or not found["clean"]:
        tests = f"{found['failed']} of {len(found['tests'])} tests failed" if found["failed"] else "warnings"
        return Looked(tests, "\n".join([cut(found["report"]), *problems, AGAIN]))
    if problems:
        return Looked(problems[0], "\n".join([*problems, AGAIN]))
    number = len(found["tests"])
    return Looked(f"nothing is wrong, and {'its test passes' if number == 1 else f'all {number} tests pass'}")


AGAIN: Final = "Mend it, and reply with the whole spec."


def missing(found: Mapping[str, Any]) -> Iterator[str]:
    """Yield what a spec lacks that may otherwise be right."""
    if not found["tests"]:
        yield "it has no tests"
    elif found["untested"]:
        yield f"no test ends with {', '.join(found['untested'])}"
    if found["not_run"]:
        yield "tests with `real` are not run here: mock these steps"
    if found["silenced"]:
        yield "a comment silences a finding"


def cut(text: str) -> str:
    return text if len(text) <= LONGEST_TOLD else f"{text[:LONGEST_TOLD]}…\n"


def code_in(told: str, known: Iterable[str]) -> list[str]:
    """Return the codes in a text that were not told before, the first ones."""
    return [each for each in dict.fromkeys(CODE.findall(told)) if each not in known][:MOST_EXPLAINED]


def explained(codes: Iterable[str]) -> str:
    """Return the explanations of codes, with examples."""
    from wfc.compiler.cli.explain import explanation

    found = []
    for code in codes:
        try:
            found.append(click.unstyle(explanation(code)))
        except click.UsageError:  # brackets at the end of a line that are no code
            continue
    return "\n".join(found)
