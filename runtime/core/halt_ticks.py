"""Halts at breakpoints: the ticks by which they begin and end, and what a run knows of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["BreakpointsSet", "Continued", "Halted", "Place", "Stops"]

Place = Literal["", "before", "after"]
"""Where a run has halted, as seen from a step run; empty: it has not."""


@dataclass(frozen=True, slots=True)
class Stops:
    """Where a run is to halt, and where it has halted.

    Args:
        before: The names of steps before which it is to halt.
        after: The names of steps after which it is to.
        at: Where it has halted; empty: nowhere.
        number: At the step run of that number.
        step: Its step's name.
        held: The numbers of the step runs that have not begun because of that.
    """

    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    at: Place = ""
    number: int = 0
    step: str = ""
    held: tuple[int, ...] = ()


class Halted:
    """The halt of a run at a breakpoint: its deadline stands still.

    Args:
        at: Whether it is before the step run or after it; empty where ticks of this version are not kept.
        number: The step run's number.
        step: Its step's name.
        held: The numbers of the step runs that have not begun because of the halt.
    """

    __slots__ = ("at", "held", "number", "step")

    def __init__(self, at: Place = "", number: int = 0, step: str = "", held: tuple[int, ...] = ()) -> None:
        self.at = at
        self.number = number
        self.step = step
        self.held = held


class Continued:
    """The end of a halt: what was left until the deadline counts from now on."""

    __slots__ = ()


class BreakpointsSet:
    """The names of the steps before and after which a run is to halt, whoever goes on with it."""

    __slots__ = ("after", "before")

    def __init__(self, before: tuple[str, ...], after: tuple[str, ...]) -> None:
        self.before = before
        self.after = after
