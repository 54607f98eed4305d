"""Rewrites what is generated among these pages.

Run it after each change of the schema, a filter or a problem: ``.venvs/3.11/bin/python docs/generate.py``.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from agent_pages import agent_pages
from patterns import patterns
from policies import policy_page
from rows import table
from skill import skill
from tables import reference

from wfc.compiler.draw import flow_graph
from wfc.compiler.passes import check_text
from wfc.compiler.rules.catalogue import describe, groups
from wfc.compiler.rules.examples import examples
from wfc.runtime.drawing.graph import graph_from_data
from wfc.runtime.drawing.page import COLOURS, DRAWN, as_picture

__all__ = ["pages"]

DOCS: Final = Path(__file__).parent
ROOMS: Final = (
    "reading braces files shape names undeclared types type_keys outside_names values bindings python agents"
    " agent_tests caching expressions expression_names operands patterns templates steps accepts results fills"
    " pauses messages triggers runs flow joins races cases suppressions policies"
).split()
"""The order of the groups of problems, by their modules; others come last."""


def problems() -> str:
    """Return the page of all problems, by what they are about."""
    rooms = {room: (title.partition(":")[0], codes) for room, title, codes in groups()}
    order = sorted(rooms, key=lambda room: (ROOMS.index(room) if room in ROOMS else len(ROOMS), room))
    parts = [PROBLEMS_HEAD]
    parts += [f"- [{rooms[room][0]}](#{anchor(rooms[room][0])}) ({len(rooms[room][1])})\n" for room in order]
    for room in order:
        title, codes = rooms[room]
        told = ", ".join(f"[{each}](reference.md#{anchor(each)})" for each in TOLD.get(room, ()))
        rows = [problem(code) for code in codes]
        parts.append(
            f"\n## {title}\n\nThe explanations: [{room}.py](../compiler/rules/{room}.py)."
            + (f" In the reference: {told}." if told else "")
            + f"\n\n{table(('code', 'severity', 'what is wrong', 'shown by'), rows)}\n"
        )
    return "".join(parts)


def problem(code: str) -> tuple[str, str, str, str]:
    """Return the row of a problem, with links to its example and to what is reported of it."""
    rule, example = describe(code), f"../compiler/rules/examples/{examples()[code].path.name}"
    shown = f"[example]({example}), [report](../tests/compiler/rules/reports/{code}.txt)"
    return f"`{code}`", rule.severity.word, rule.summary, shown


TOLD: Final = {
    "reading": ("The smallest spec",),
    "braces": ("The smallest spec",),
    "files": ("Several files",),
    "shape": ("The smallest spec", "Every key from A to Z"),
    "names": ("Events", "Types"),
    "undeclared": ("Events", "Types", "What is in scope"),
    "types": ("Types",),
    "type_keys": ("Types",),
    "outside_names": ("Names in data outside",),
    "values": ("Types", "Texts with expressions"),
    "bindings": ("Models", "Tools", "http", "Retry policies"),
    "python": ("Tools",),
    "agents": ("agent",),
    "agent_tests": ("agent", "Tests"),
    "caching": ("cache",),
    "expressions": ("Expressions", "Operators"),
    "expression_names": ("What is in scope", "Expressions", "Filters"),
    "operands": ("What may be null", "Operators", "Filters"),
    "templates": ("Texts with expressions",),
    "steps": ("Steps", "When an action fails"),
    "accepts": ("accepts", "Side by side", "Batches"),
    "results": ("Steps", "State and save"),
    "fills": ("What fills an event's fields",),
    "pauses": ("human", "wait"),
    "messages": ("From outside", "send", "workflow"),
    "triggers": ("Triggers",),
    "runs": ("A run as a whole", "Versions"),
    "flow": ("emit", "Loops"),
    "joins": ("Side by side", "Batches"),
    "races": ("State and save", "Side by side", "idempotency_key"),
    "cases": ("Tests",),
}
"""Where the reference tells of what a room's problems are about, by its headings."""

PROBLEMS_HEAD: Final = """\
# Problems

Every finding has a code, which stands in brackets at the end of its first line. This page lists them all, by what they
are about. **`wfc explain CODE`** explains one: what is wrong, why it matters, how to mend it, and a spec that has this
one problem, with the lines that mend it and what `wfc check` says of it.

The explanations are the docstrings of the functions that make the findings; links lead to these, to the examples, and
to the reports. Errors cannot be turned off; warnings can ([severity](cli.md#severity)).

"""


def anchor(words: str) -> str:
    return re.sub(r"[^\w\- ]", "", words.lower()).replace(" ", "-")


def picture(spec: Path) -> str:
    """The flow of a spec, as `wfc graph --format html` draws it, as a picture of its own."""
    workflow = check_text(spec.read_bytes(), spec.name).workflow
    assert workflow is not None
    drawn = as_picture(graph_from_data(flow_graph(workflow)))
    return (
        drawn.replace(", the same as in the table below", "")
        .replace(">\n", f">\n<style>\n{COLOURS}{DRAWN}</style>\n", 1)
        .replace(' tabindex="0"', "")
    )


def pages() -> dict[Path, str]:
    """Everything that is generated here, as it should be now."""
    page, policy = DOCS / "reference.md", DOCS / "policy.md"
    return {
        page: reference(page.read_text(encoding="utf-8")),
        policy: policy_page(policy.read_text(encoding="utf-8")),
        DOCS / "problems.md": problems(),
        DOCS.parent / "specs/README.md": patterns(),
        DOCS.parent / "compiler/cli/starting/files/SKILL.md": skill(),
        DOCS / "release_notes.svg": picture(DOCS.parent / "specs/release_notes.yaml"),
        **agent_pages(),
    }


if __name__ == "__main__":
    for written, content in pages().items():
        written.write_text(content, encoding="utf-8", newline="\n")
