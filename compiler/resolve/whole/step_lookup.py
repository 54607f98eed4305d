"""A lookup of steps by name, for the other sections of a spec that refer to them."""

from __future__ import annotations

from collections.abc import Collection

from wfc.compiler.diagnostics import Place
from wfc.compiler.model import Step
from wfc.compiler.python.literals import normal_form
from wfc.compiler.resolve.symbols.declarations import Declarations
from wfc.compiler.rules import undeclared as undeclared_problems
from wfc.compiler.slotted import dataclass

__all__ = ["StepLookup"]


@dataclass(frozen=True, slots=True)
class StepLookup:
    """A lookup of steps by name.

    Args:
        steps: Those that could be understood, by name.
        known: Names of all that there are.
    """

    declared: Declarations
    steps: dict[str, Step]
    known: set[str]

    def find(
        self, name: object, place: Place, *, acting: bool = False, beside: Collection[object] = ()
    ) -> Step | None:
        """Find a step; ``None`` if it could not be understood or, with a finding, if there is none of that name.

        Args:
            acting: Whether only a step with an action can be meant.
            beside: What is named there too, and so is hardly meant again.
        """
        normalised = normal_form(str(name))
        if normalised not in self.known and not self.declared.unread("steps"):
            idle = {each for each, step in self.steps.items() if acting and not step.acts}
            named = {normal_form(str(each)) for each in beside}
            found = undeclared_problems.unknown_step(place, normalised, self.known - idle, named)
            self.declared.report(found)
        return self.steps.get(normalised)
