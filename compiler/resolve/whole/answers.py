"""Answers of mocked steps: values, or records that say in full what comes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, TypeGuard

from wfc.compiler.diagnostics import Place
from wfc.compiler.model import (
    AskPerson,
    MapItems,
    MockAnswer,
    Step,
    WaitEvent,
    WorkflowCall,
)
from wfc.compiler.model.kinds import is_request
from wfc.compiler.python.literals import normal_form
from wfc.compiler.resolve.symbols.declarations import Declarations
from wfc.compiler.resolve.symbols.tables import Data
from wfc.compiler.resolve.values.durations import duration
from wfc.compiler.resolve.values.error_names import KNOWN, PATTERN, error_names
from wfc.compiler.resolve.values.reader import read_data
from wfc.compiler.rules import cases as problems
from wfc.compiler.rules import fixes
from wfc.compiler.rules import pauses as pause_problems
from wfc.compiler.rules import steps as step_problems
from wfc.compiler.rules import undeclared as undeclared_problems
from wfc.compiler.rules import values as value_problems
from wfc.compiler.rules.spelling import nearest
from wfc.compiler.slotted import dataclass
from wfc.compiler.types import UNKNOWN, Record, Type

__all__ = ["AnswerReader", "is_event", "is_one_quorum"]

ANSWERS: Final[Mapping[str, frozenset[str]]] = {
    "attempts": frozenset(),
    "give": frozenset({"status", "headers", "after"}),
    "error": frozenset({"headers", "body", "after"}),
}
"""The keys that make a record an answer in full, each with those that may stand beside it."""
OF_REPLIES: Final = frozenset({"status", "headers", "body"})
"""Keys of an answer that only a request has."""

FIRST_ERROR: Final = 400
"""The lowest status with which a request fails."""


@dataclass(frozen=True, slots=True)
class AnswerReader:
    """Reads the answers of one mocked step."""

    declared: Declarations
    step: Step

    def answer(self, data: object, place: Place, *, within: bool = False) -> MockAnswer:
        """Return an answer.

        Args:
            within: Whether it is one of several `attempts`, which have none themselves.
        """
        if self.declared.any_broken(place, ANSWERS):
            return MockAnswer()  # what stands there has been told
        if not is_record(data):
            return MockAnswer(value=self.given(self.misspelt(data), place, within))
        head, *others = [key for key in ANSWERS if key in data]
        strange = {*others, *data.keys() - ANSWERS.keys() - ANSWERS[head]}
        for key in [key for key in data if key in strange]:
            self.declared.report(problems.key_of_another_answer((place / key).key, key, head))
        if head == "attempts":
            return self.attempts(data["attempts"], place / "attempts", within=within)
        of_replies = [] if is_request(self.step.action) else [key for key in data if key in OF_REPLIES]
        for key in [key for key in of_replies if key not in strange]:
            at = (place / key).key
            self.declared.report(problems.no_reply(at, key, self.step.name, fixes.remove_entry(at)))
        after = 0.0
        if "after" in data:
            after = duration(data["after"], place / "after", self.declared.report, zero=True) or 0.0
        written = data.get("headers")
        headers = written if isinstance(written, Mapping) else {}
        headers = {str(name).lower(): str(text) for name, text in headers.items()}
        if head == "error":
            return MockAnswer(
                error=self.error(data, place), headers=headers, body=data.get("body"), after=after
            )
        status = data.get("status", 200)
        if isinstance(status, int) and status >= FIRST_ERROR and "status" not in strange:
            self.declared.report(problems.failing_status(place / "status", status))
        value = self.given(data["give"], place / "give", within)
        return MockAnswer(
            value, status=status if isinstance(status, int) else 200, headers=headers, after=after
        )

    def misspelt(self, data: object) -> object:
        """Return an answer of which one key is misspelt without what may stand beside it; every other one as it is."""
        fields = self.step.result.fields if isinstance(self.step.result, Record) else {}
        if not isinstance(data, Mapping) or len(data) == 1:
            return data
        for key in data:
            word = nearest(str(key), ANSWERS) if key not in fields else None
            if word is not None and data.keys() - {key} <= ANSWERS[word]:
                return {key: data[key]}
        return data

    def attempts(self, data: object, place: Place, *, within: bool) -> MockAnswer:
        """Return the answers to the attempts of one run."""
        if within:
            self.declared.report(problems.key_of_another_answer(place.key, "attempts", "attempts"))
        if within or not isinstance(data, list):
            return MockAnswer()
        answers = [self.answer(each, place / index, within=True) for index, each in enumerate(data)]
        return MockAnswer(attempts=tuple(answers))

    def error(self, data: Data, place: Place) -> str:
        """Return the name of the error with which an attempt fails."""
        name, at = data["error"], place / "error"
        if is_status(name):
            hint = f"write `http.{name}`"
            self.declared.report(step_problems.unknown_error(at, str(name), (), hint))
            return f"http.{name}"
        error_names(str(name), at, self.declared.report, mocked=True)
        if "body" in data and is_request(self.step.action) and not str(name).startswith("http."):
            self.declared.report(
                problems.body_without_reply(
                    (place / "body").key, str(name), "write the status: `error: http.…`"
                )
            )
        return str(name)

    def given(self, data: object, place: Place, within: bool) -> object:
        """Return the value that the step gives."""
        step = self.step
        if step.result is None and step.kind != "transform":
            if data not in (None, {}):
                why = "this step gives nothing, so there is nothing to stand in for"
                hint = "write `{}`, or an error: `{error: …}`"
                hint += "; what people answer is declared by `form`" if step.kind == "human" else ""
                self.declared.report(value_problems.wrong_value(place, why, hint))
            return None
        # what is mocked of a `map` is what is done with an item, once for each
        mapped = step.action if isinstance(step.action, MapItems) else None
        if step.kind == "map" and mapped is None:
            return data  # what is wrong with the action has been told
        wanted = mapped.result if mapped is not None else step.result
        call = mapped.do if mapped is not None else step.action
        if isinstance(call, WorkflowCall) and is_event(data):
            data = self.one_event(data, place, dict(call.ends))
        elif isinstance(call, WaitEvent) and len(call.events) > 1:
            records = {event.name: event.record for event in call.events}
            if is_event(data):
                data = self.one_event(data, place, records)
            else:
                self.declared.report(problems.which_awaited_event(place, step.name, list(records)))
        elif isinstance(call, WorkflowCall) and not call.detach and len(call.ends) > 1:
            names = [name for name, _ in call.ends]
            self.declared.report(problems.which_end_of_the_workflow(place, call.workflows, names))
        elif hint := self.meant_error(data, wanted):
            why = f"wanted the output of `{step.name}`, and this is no part of it"
            self.declared.report(value_problems.wrong_value(place, why, hint))
        elif mapped is not None and isinstance(data, list) and isinstance(wanted, Record):
            why = f"wanted the output of `{step.name}` for one item, found a list"
            hint = "a list under `mock` has one answer for each item, without further brackets"
            self.declared.report(value_problems.wrong_value(place, why, hint))
        else:
            data = read_data(data, place.address, wanted or UNKNOWN, self.declared.report)
        quorum = step.action.quorum if isinstance(step.action, AskPerson) else None
        if (
            isinstance(quorum, int)
            and isinstance(data, list)
            and (len(data) > quorum if within else len(data) != quorum)
        ):
            self.declared.report(pause_problems.quorum_of_answers(place, step.name, quorum, len(data)))
        return data

    def meant_error(self, data: object, wanted: Type | None) -> str:
        """Return how an error is written, if it is meant by what does not fit; else an empty text."""
        if not isinstance(wanted, Record):
            return ""
        if isinstance(data, str) and (data == "error" or data in KNOWN or PATTERN.fullmatch(data)):
            return f"an error is `{{error: {'NAME' if data == 'error' else data}}}`"
        status = data.get("status") if isinstance(data, Mapping) and "status" not in wanted.fields else None
        if isinstance(status, int) and FIRST_ERROR <= status < 600 and is_request(self.step.action):
            return f"a reply with this status is `{{error: http.{status}}}`"
        return ""

    def one_event(self, data: Data, place: Place, records: Mapping[str, Record]) -> object:
        """Read one of several events, as `{event: Name, with: {…}}`."""
        name = normal_form(str(data["event"]))
        if name not in records:
            self.declared.report(undeclared_problems.unknown_event(place / "event", name, records))
            return None
        at = place / "with" if "with" in data else place
        given = read_data(data.get("with", {}), at.address, records[name], self.declared.report)
        return {**data, "event": name, "with": given} if "with" in data else {**data, "event": name}


def is_one_quorum(answers: list[object], step: Step) -> bool:
    """Return whether a list holds the answers of several people in one run, not those of successive runs."""
    return (
        isinstance(step.action, AskPerson)
        and step.action.quorum is not None
        and all(isinstance(each, Mapping) and not is_record(each) for each in answers)
    )


def is_record(data: object) -> TypeGuard[Data]:
    """Return whether an answer says in full what comes, and is not the value itself."""
    return isinstance(data, Mapping) and not ANSWERS.keys().isdisjoint(data)


def is_status(error: object) -> bool:
    """Return whether a value is the HTTP status of a failure."""
    return isinstance(error, int) and not isinstance(error, bool) and 400 <= error <= 599


def is_event(data: object) -> TypeGuard[Data]:
    """Return whether a mock names the event by which another workflow ends, or which has come."""
    return isinstance(data, Mapping) and "event" in data and data.keys() <= {"event", "with"}
