"""What the tests in a spec name: steps, fields, ends, errors and other tests."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from wfc.compiler.lsp.documents import Documents, OpenDocument, data_of, items
from wfc.compiler.lsp.names import IN_TESTS
from wfc.compiler.lsp.scope import common_fields, fields_of, table
from wfc.compiler.model.kinds import STEP_KINDS
from wfc.compiler.resolve.values.error_names import KNOWN

__all__ = ["error_names", "keys_in_tests", "values_in_tests"]

Path = tuple[str, ...]

FIRST: Final = re.compile(r"^tests:[^\n]*\n(?:[ ]*(?:#[^\n]*)?\n)*([ ]*)- ", re.MULTILINE)
"""How the first test begins."""

ERRORS: Final = frozenset({"errors", "never_on", "retry_on"})
"""Keys of steps and of policies that hold names of errors."""

LIKELY: Final[Mapping[str, tuple[str, ...]]] = {
    "agent": ("agent", "model", "timeout", "connection"),
    "command": ("command", "timeout"),
    "http": ("http", "timeout", "connection"),
    "human": ("timeout",),
    "llm": ("model", "timeout", "connection"),
    "map": ("items",),
    "tool": ("tool", "timeout", "connection", "http", "python"),
    "wait": ("timeout",),
    "workflow": ("workflow", "timeout"),
}
"""By which errors the actions of a kind fail, in groups; the others are not impossible, so they follow."""


def keys_in_tests(
    documents: Documents, document: OpenDocument, path: Path, data: Mapping[str, Any]
) -> Mapping[str, Any]:
    """Return the keys below a path within the tests that the author has chosen elsewhere, such as the names of steps.

    Args:
        data: What the document says, with all that it imports.
    """
    key, within = path[-1], path[1:]
    if within == ("start",):
        return fields_of(data, path, "inputs")
    if within == ("mock",):
        return {name: said for name, said in documents.declared(document, "step").items() if acts(said)}
    if key in IN_TESTS and (within == (key,) or within[:1] == ("expect",)):
        found = documents.declared(document, IN_TESTS[key])
        return {**found, **agent_steps(data)} if IN_TESTS[key] == "agent" else found
    if within[:1] == ("mock",) and within[2:] in {(), ("give",), ("attempts",), ("attempts", "give")}:
        return fields_of(data, ("steps", within[1], "emit"), "result")
    if within == ("expect", "with"):
        said = expected_end(data)
        return common_fields(data, [said] if said else ends(data))
    if within in {("config",), ("expect", "state")}:
        return documents.declared(document, key)
    return {}


def values_in_tests(
    documents: Documents, document: OpenDocument, path: Path, data: Mapping[str, Any], start: int
) -> Iterator[tuple[str, Any]]:
    """Yield the names that a value within the tests may be, each with what is declared of it.

    Args:
        start: Where in the text the value begins.
    """
    within = path[1:]
    if within == ("like",):
        yield from ((as_scalar(each), None) for each in names_above(document, start))
    elif within == ("expect", "end"):
        events = documents.declared(document, "event")
        yield from ((each, events.get(each)) for each in ends(data) or events)
    elif within == ("expect", "emitted"):
        yield from documents.declared(document, "event").items()
    elif within == ("real",):
        yield from keys_in_tests(documents, document, ("tests", "mock"), data).items()


def error_names(path: Path, data: Mapping[str, Any]) -> list[str]:
    """Return the names of errors where a value has to be one, those first that the step is likely to fail by."""
    mocked = path[:1] == ("tests",) and path[1:2] in {("mock",), ("tools",)} and path[3:4] != ("give",)
    if mocked and path[3:] in {("error",), ("attempts", "error")}:
        step = table(data, "steps").get(path[2]) if path[1] == "mock" else {"kind": "tool"}
    elif path[:1] in {("steps",), ("retries",), ("agents",)} and path[-1] in ERRORS:
        step = table(data, "steps").get(path[1]) if path[0] == "steps" else None
    elif path == ("tests", "expect", "fails"):
        step = None
    else:
        return []
    groups = LIKELY.get(str(step.get("kind")) if isinstance(step, dict) else "", ())
    likely = [each for group in groups for each in KNOWN if each.partition(".")[0] == group]
    return list(dict.fromkeys((*likely, *KNOWN)))


def acts(step: Any) -> bool:
    """Return whether a step has an action that a test can stand in for."""
    kind = STEP_KINDS.get(str(step.get("kind"))) if isinstance(step, dict) else None
    return kind is None or kind.acts


def agent_steps(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the steps that are agents of their own."""
    return {
        name: said
        for name, said in table(data, "steps").items()
        if isinstance(said, dict) and said.get("kind") == "agent"
    }


def ends(data: Mapping[str, Any]) -> list[str]:
    """Return the events with which a run ends."""
    said = data.get("end")
    return [each for each in (said if isinstance(said, list) else [said]) if isinstance(each, str)]


def expected_end(data: Mapping[str, Any]) -> str:
    """Return the end that the one test around the cursor expects; empty if it says none."""
    tests = items(data, "tests")
    expected = tests[0].get("expect") if len(tests) == 1 and isinstance(tests[0], dict) else None
    said = expected.get("end") if isinstance(expected, dict) else None
    return said if isinstance(said, str) else ""


def names_above(document: OpenDocument, start: int) -> list[str]:
    """Return the names of the tests that stand before a place."""
    found = FIRST.search(document.text, 0, start)
    if found is None:
        return []
    before = document.text[: document.text.rfind(f"\n{found[1]}- ", 0, start) + 1]
    data = data_of(before)
    tests = items(data if isinstance(data, dict) else document.data, "tests")
    known = [str(each.get("name")) for each in tests if isinstance(each, dict) and each.get("name")]
    return [each for each in known if each in before]


def as_scalar(text: str) -> str:
    """Return a text as it is written in YAML, in quotes if it has to be."""
    found = data_of(f"wfc: 1\nname: {text}")
    fits = isinstance(found, dict) and found.get("name") == text
    return text if fits else json.dumps(text, ensure_ascii=False)
