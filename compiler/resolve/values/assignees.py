"""People who are asked, as specs name them."""

from __future__ import annotations

from typing import Final

from wfc.compiler.diagnostics import Place
from wfc.compiler.expressions import Scope, Template
from wfc.compiler.resolve.values.reader import ValueReader
from wfc.compiler.rules import pauses as problems

__all__ = ["ASSIGNEES", "assigned"]

ASSIGNEES: Final = ("user:", "group:")
ONE_NAME: Final = (
    "each item of `assign` is one name, and no list is spread over several: a `group:` stands for many"
)


def assigned(data: object, place: Place, scope: Scope, reader: ValueReader) -> Template:
    """Return who is asked: `user:ann` or `group:support`; of an expression, only the text before it is known."""
    text = str(data)
    if not text.lstrip().startswith("${{") and not text.startswith(ASSIGNEES):
        reader.report(problems.assigned_to_whom(place, text))
    return reader.text(text, place, scope, statements=False, of_list=ONE_NAME)
