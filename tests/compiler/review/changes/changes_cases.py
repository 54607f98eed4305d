"""Changes of specs, each with what a careful reviewer wants to be told of it: ``cases.yaml``."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import yaml

__all__ = ["CASES", "Case"]


class Case(NamedTuple):
    """A change of an example.

    Args:
        spec: The example.
        name: What the change does.
        edits: Texts, each with what stands in its place; ``None``: the tests are cut off.
        rules: What is to be told.
        is_back: Whether the change goes from what the edits make back to the example.
    """

    spec: str
    name: str
    edits: tuple[tuple[str, str] | None, ...]
    rules: frozenset[str]
    is_back: bool

    def edited(self, text: str) -> str:
        """Return an example's text with the edits."""
        for edit in self.edits:
            if edit is None:
                text = text.partition("\ntests:\n")[0] + "\n"
            else:
                assert edit[0] in text, edit[0]
                text = text.replace(*edit)
        return text


def _case(data: dict[str, object]) -> Case:
    edits = data["edits"]
    assert isinstance(edits, list)
    return Case(
        str(data["spec"]),
        str(data["change"]),
        tuple(None if each["from"] == "THE TESTS" else (each["from"], each["to"]) for each in edits),
        frozenset(str(data["told"]).split()),
        bool(data.get("opposite")),
    )


CASES = [
    _case(each) for each in yaml.safe_load(Path(__file__).with_name("cases.yaml").read_text(encoding="utf-8"))
]
