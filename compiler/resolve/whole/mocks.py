"""Mocks of steps in the tests of a spec: replacement answers, and the steps that really run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeGuard

from wfc.compiler.diagnostics import Place
from wfc.compiler.model import AskPerson, MapItems, MockAnswer, Step, WorkflowCall
from wfc.compiler.python.literals import normal_form
from wfc.compiler.resolve.symbols.declarations import Declarations
from wfc.compiler.resolve.symbols.tables import Data
from wfc.compiler.resolve.values.error_names import error_names
from wfc.compiler.resolve.values.reader import read_data
from wfc.compiler.resolve.whole.step_lookup import StepLookup
from wfc.compiler.rules import cases as problems
from wfc.compiler.rules import names as name_problems
from wfc.compiler.rules import pauses as pause_problems
from wfc.compiler.rules import steps as step_problems
from wfc.compiler.rules import values as value_problems
from wfc.compiler.slotted import dataclass
from wfc.compiler.types import UNKNOWN

__all__ = ["MockReader"]


@dataclass(frozen=True, slots=True)
class MockReader:
    """Reads `mock` and `real`."""

    declared: Declarations
    steps: StepLookup

    def real(self, data: object, place: Place) -> list[str]:
        found = []
        for index, name in enumerate(data if isinstance(data, list) else ()):
            step = self.steps.find(name, place / index)
            if step is not None and self.has_action(step, place / index, "real"):
                found.append(step.name)
        return found

    def has_action(self, step: Step, place: Place, key: str) -> bool:
        if not step.acts:
            self.declared.report(problems.step_without_action(place, step.name, key))
            return False
        return True

    def mocks(self, data: object, place: Place) -> dict[str, tuple[MockAnswer, ...]]:
        found: dict[str, tuple[MockAnswer, ...]] = {}
        for name, content in data.items() if isinstance(data, Mapping) else ():
            at = place / str(name)
            step = self.steps.find(name, at.key)
            if step is None or not self.has_action(step, at.key, "mock"):
                continue
            if isinstance(content, list) and not is_one_quorum(content, step):
                answers = tuple(self.answer(each, at / index, step) for index, each in enumerate(content))
            else:
                answers = (self.answer(content, at, step),)
            found[step.name] = answers
        return found

    def answer(self, data: object, place: Place, step: Step) -> MockAnswer:
        if isinstance(data, Mapping) and data.keys() == {"error"} and isinstance(data["error"], str):
            error_names(data["error"], place / "error", self.declared.report, mocked=True)
            return MockAnswer(error=data["error"])
        if isinstance(data, Mapping) and data.keys() == {"error"} and is_status(data["error"]):
            self.declared.report(
                step_problems.unknown_error(
                    place / "error", str(data["error"]), (), f"write `http.{data['error']}`"
                )
            )
            return MockAnswer()
        if step.result is None and step.kind != "transform":
            if data not in (None, {}):
                why = "this step gives nothing, so there is nothing to stand in for"
                self.declared.report(
                    value_problems.wrong_value(place, why, "write `{}`, or an error: `{error: …}`")
                )
            return MockAnswer()
        # what is mocked of a `map` is what is done with an item, once for each
        mapped = step.action if isinstance(step.action, MapItems) else None
        if step.kind == "map" and mapped is None:
            return MockAnswer(value=data)  # what is wrong with the action has been told
        wanted = mapped.result if mapped is not None else step.result
        call = mapped.do if mapped is not None else step.action
        if isinstance(call, WorkflowCall) and is_end(data):
            data = self.child_end(data, place, call)
        elif isinstance(call, WorkflowCall) and not call.detach and len(call.ends) > 1:
            names = [name for name, _ in call.ends]
            self.declared.report(problems.which_end_of_the_workflow(place, call.workflow, names))
        else:
            data = read_data(data, place.address, wanted or UNKNOWN, self.declared.report)
        quorum = step.action.quorum if isinstance(step.action, AskPerson) else None
        if isinstance(quorum, int) and isinstance(data, list) and len(data) != quorum:
            self.declared.report(pause_problems.quorum_of_answers(place, step.name, quorum, len(data)))
        return MockAnswer(value=data)

    def child_end(self, data: Data, place: Place, call: WorkflowCall) -> object:
        """Read an end of another workflow, as `{event: Name, with: {…}}`."""
        name = normal_form(str(data["event"]))
        records = dict(call.ends)
        if name not in records:
            self.declared.report(name_problems.unknown_event(place / "event", name, records))
            return None
        at = place / "with" if "with" in data else place
        given = read_data(data.get("with", {}), at.address, records[name], self.declared.report)
        return {**data, "event": name, "with": given} if "with" in data else {**data, "event": name}


def is_one_quorum(answers: list[object], step: Step) -> bool:
    """Return whether a list holds the answers of several people in one run, not those of successive runs."""
    return (
        isinstance(step.action, AskPerson)
        and step.action.quorum is not None
        and all(isinstance(each, Mapping) and each.keys() != {"error"} for each in answers)
    )


def is_status(error: object) -> bool:
    """Return whether a value is the HTTP status of a failure."""
    return isinstance(error, int) and not isinstance(error, bool) and 400 <= error <= 599


def is_end(data: object) -> TypeGuard[Data]:
    """Return whether a mock names the event by which another workflow ends."""
    return isinstance(data, Mapping) and "event" in data and data.keys() <= {"event", "with"}
