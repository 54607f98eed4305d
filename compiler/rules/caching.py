"""Problems with results that are to be kept and used again."""

from __future__ import annotations

from wfc.compiler.diagnostics import Finding, Place
from wfc.compiler.rules import problem
from wfc.compiler.rules.fixes import remove_entry

__all__ = ["cannot_be_cached"]


@problem
def cannot_be_cached(place: Place, what: str, hint: str) -> Finding:
    """A step is to use an earlier result again, and what it does has to be done each time.

    `cache: true` keeps the result of a step's action. When the same action comes up again, with the same
    inputs, in this run or in a later one, it is not done: the kept result is used. That is right for a
    question to a model, for a `GET` request, and for a tool that only looks something up, which it says by
    `read_only: true`. It is wrong for whatever changes something, such as a `POST` request or sending an
    event, because the change would be left out; and for asking a person or waiting, which is meant anew
    each time. Leave `cache` out.
    """
    return Finding(
        "cannot-be-cached", f"{what}, so that no result can be kept", place, hint, fix=remove_entry(place)
    )
