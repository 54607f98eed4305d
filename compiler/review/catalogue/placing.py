"""A change of one value, with the places of both values or of what holds them."""

from __future__ import annotations

from typing import Any

from wfc.compiler.review.changes import ChangeRule, SpecChange
from wfc.compiler.review.pair import Pair
from wfc.compiler.review.sameness import place, said

__all__ = ["change_between"]


def change_between(
    pair: Pair, which: ChangeRule, about: str, told: str, old: Any, new: Any, at: tuple[Any, Any], **more: Any
) -> SpecChange:
    """Return that a value is another one.

    Args:
        which: The rule that finds it.
        old: The earlier value.
        new: The later value.
        at: What holds them, whose places stand for those of values that have none.
        more: What else the rule is given.
    """
    return which.found(
        pair.name,
        about,
        told,
        before=said(old),
        after=said(new),
        old=place(old) or place(at[0]),
        new=place(new) or place(at[1]),
        **more,
    )
