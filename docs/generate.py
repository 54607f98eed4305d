"""Rewrites what is generated among these pages, and the examples that `wfc explain` shows.

Run it after each change of the schema, a filter or a problem: ``.venvs/3.11/bin/python docs/generate.py``.
"""

from __future__ import annotations

import inspect
import json
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from examples import EXAMPLES, packed, shown
from patterns import patterns
from tables import reference

from wfc.compiler.draw import flow_graph
from wfc.compiler.passes import check_text
from wfc.compiler.rules import PROBLEMS
from wfc.compiler.rules.catalogue import load
from wfc.compiler.rules.examples import Example
from wfc.runtime.drawing.graph import graph_from_data
from wfc.runtime.drawing.rendering import render

__all__ = ["pages"]

DOCS: Final = Path(__file__).parent
REPORTS: Final = DOCS.parent / "tests/errors"
PACKED: Final = DOCS.parent / "compiler/rules/examples.json"
ROOMS: Final = (
    "reading files shape names types values bindings python agents caching expressions operands templates"
    " steps pauses messages runs flow joins races cases judging"
)
LONGEST_REPORT: Final = 12


def problems() -> str:
    """All problems, by where they are found: the explanation, an example and its report."""
    load()
    examples = json.loads(packed())
    rooms: dict[str, list[str]] = {room: [] for room in ROOMS.split()}
    for code, function in PROBLEMS.items():
        rooms[function.__module__.rpartition(".")[2]].append(code)
    parts = [PROBLEMS_HEAD]
    for room, codes in rooms.items():
        parts.append(f"- [{title(room)}](#{anchor(title(room))}) ({len(codes)})\n")
    for room, codes in rooms.items():
        told = ", ".join(f"[{each}](reference.md#{anchor(each)})" for each in TOLD.get(room, ()))
        parts.append(f"\n## {title(room)}\n" + (f"\nIn the reference: {told}.\n" if told else ""))
        parts += [problem(code, examples) for code in sorted(codes)]
    return "".join(parts)


TOLD: Final = {
    "reading": ("The smallest spec",),
    "files": ("Several files",),
    "shape": ("The smallest spec", "Every key from A to Z"),
    "names": ("Events", "Types", "What is in scope"),
    "types": ("Types",),
    "values": ("Types", "Texts with expressions"),
    "bindings": ("Models", "Tools", "http", "Retry policies"),
    "python": ("Tools",),
    "agents": ("Agents and knowledge",),
    "caching": ("cache",),
    "expressions": ("Expressions", "Operators"),
    "operands": ("What may be null", "Operators", "Filters"),
    "templates": ("Texts with expressions",),
    "steps": ("Steps", "When an action fails"),
    "pauses": ("human", "wait"),
    "messages": ("From outside", "send", "workflow"),
    "runs": ("A run as a whole", "Versions"),
    "flow": ("emit", "Loops"),
    "joins": ("Side by side", "Batches"),
    "races": ("State and save", "Side by side", "idempotency_key"),
    "cases": ("Tests",),
}
"""Where the reference tells of what a room's problems are about, by its headings."""

PROBLEMS_HEAD: Final = """\
# Problems

Every finding has a code, which stands in brackets at the end of its first line. This page has them all: what is wrong,
why it matters, how to mend it, and a spec that has this one problem, with what `wfc check` says about it and the lines
that mend it. In the terminal, `wfc explain CODE` prints the same.

The page is generated from the compiler itself, so it is never behind it. Problems are grouped by what they are about:

"""


def title(room: str) -> str:
    """``Steps: what they accept`` for the module whose docstring is `Problems in steps: what they accept.`"""
    words = (sys.modules[f"wfc.compiler.rules.{room}"].__doc__ or "").splitlines()[0].rstrip(".")
    short = re.sub(r"^Problems (?:in|of|with) ", "", words).partition(":")[0]
    return short[0].upper() + short[1:]


def anchor(words: str) -> str:
    return re.sub(r"[^\w\- ]", "", words.lower()).replace(" ", "-")


def problem(code: str, examples: Mapping[str, list[str]]) -> str:
    explanation = inspect.getdoc(PROBLEMS[code]) or ""
    report = (REPORTS / f"{code}.txt").read_text(encoding="utf-8").strip("\n").splitlines()
    more = ["…"] if len(report) > LONGEST_REPORT else []
    told = "\n".join([*report[:LONGEST_REPORT], *more])
    text = f"\n### {code}\n\n{explanation}\n\n```text\n{told}\n```\n"
    path = EXAMPLES[code]
    spec = shown(path)
    if spec is None or code not in examples:
        return f"{text}\nThe example: [{path.name}](../tests/errors/{path.name}).\n"
    kind = path.suffix.removeprefix(".")
    lines = "\n".join(Example(*examples[code]).difference(context=0))
    text = f"{text}\nMended:\n\n```diff\n{lines}\n```\n"
    return f"{text}\n<details><summary>the spec</summary>\n\n```{kind}\n{spec}```\n\n</details>\n"


def picture(spec: Path) -> str:
    """The flow of a spec, as `wfc graph --format html` draws it, as a picture of its own."""
    workflow = check_text(spec.read_bytes(), spec.name).workflow
    assert workflow is not None
    page = render(graph_from_data(flow_graph(workflow)), "html")
    style = re.search(r"<style>\n(.*?)</style>", page, re.DOTALL)
    drawn = re.search(r"<svg .*?</svg>\n", page, re.DOTALL)
    assert style is not None
    assert drawn is not None
    rules = "".join(
        line + "\n" for line in style[1].splitlines() if re.match(r":root|@media|  --|svg|#tip", line)
    )
    return (
        drawn[0]
        .replace(", the same as in the table below", "")
        .replace(">\n", f">\n<style>\n{rules}</style>\n", 1)
        .replace(' tabindex="0"', "")
    )


def pages() -> dict[Path, str]:
    """Everything that is generated here, as it should be now."""
    page = DOCS / "reference.md"
    return {
        page: reference(page.read_text(encoding="utf-8")),
        DOCS / "problems.md": problems(),
        PACKED: packed(),
        DOCS.parent / "specs/README.md": patterns(),
        DOCS / "release_notes.svg": picture(DOCS.parent / "specs/release_notes.yaml"),
    }


if __name__ == "__main__":
    for written, content in pages().items():
        written.write_text(content, encoding="utf-8", newline="\n")
