"""The spec's own tests: every name looked up, every value held against its type."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeGuard

from wfc.compiler.diagnostics import Place
from wfc.compiler.model import AskPerson, Delivery, Event, MapItems, MockAnswer, Step, TestCase, WorkflowCall
from wfc.compiler.python.literals import normal_form
from wfc.compiler.resolve.symbols.declarations import Declarations
from wfc.compiler.resolve.symbols.tables import Data
from wfc.compiler.resolve.values.durations import duration
from wfc.compiler.resolve.values.error_names import KNOWN, error_names
from wfc.compiler.resolve.values.reader import read_data
from wfc.compiler.rules import cases as problems
from wfc.compiler.rules.messages import never_from_outside
from wfc.compiler.rules.names import unknown_event, unknown_state_field, unknown_step
from wfc.compiler.rules.pauses import not_received, quorum_of_answers
from wfc.compiler.rules.spelling import nearest
from wfc.compiler.rules.steps import unknown_error
from wfc.compiler.rules.values import unknown_entry, wrong_value
from wfc.compiler.slotted import dataclass
from wfc.compiler.types import DATETIME, UNKNOWN, Record, fits

__all__ = ["resolve_tests"]

RUN_FAILURES: Final = ("deadline", "expression", "fail", "limit", "stuck")


def resolve_tests(data: Data, steps: Sequence[Step], declared: Declarations) -> tuple[TestCase, ...]:
    """The tests, in the order written."""
    tests = data.get("tests")
    written = data.get("steps")
    known = {normal_form(str(name)) for name in written} if isinstance(written, Mapping) else set()
    known |= declared.broken_names("steps") | {step.name for step in steps}  # those of parts too
    reader = TestResolver(declared, {step.name: step for step in steps}, known, {})
    listed = enumerate(tests if isinstance(tests, list) else ())
    return tuple(
        reader.test(each, Place(("tests", index))) for index, each in listed if isinstance(each, Mapping)
    )


def is_one_quorum(answers: list[object], step: Step) -> bool:
    """Whether a list is what several people answer in one run, not what successive runs give."""
    return (
        isinstance(step.action, AskPerson)
        and step.action.quorum is not None
        and all(isinstance(each, Mapping) and each.keys() != {"error"} for each in answers)
    )


@dataclass(slots=True)
class TestResolver:
    """Reads tests.

    Args:
        steps: Those that could be understood, by name.
        known: Names of all that there are.
        names: Names of the tests so far, and where they stand.
    """

    declared: Declarations
    steps: dict[str, Step]
    known: set[str]
    names: dict[str, Place]

    def test(self, data: Data, place: Place) -> TestCase:
        name = str(data.get("name", ""))
        if name and name in self.names:
            self.declared.report(problems.test_name_twice(place / "name", name, self.names[name]))
        self.names.setdefault(name, place / "name")
        start: Any = data.get("start")
        if self.declared.start is not None and not self.declared.is_broken((*place.address, "start")):
            at = place / "start" if "start" in data else place
            if not self.named_again(start, at, self.declared.start):
                start = read_data(start or {}, at.address, self.declared.start.record, self.declared.report)
        expect = data.get("expect")
        expected = self.expected(expect, place / "expect") if isinstance(expect, Mapping) else {}
        return TestCase(
            name=name,
            start=start if isinstance(start, Mapping) else {},
            mock=self.mocks(data.get("mock"), place / "mock"),
            real=tuple(self.real(data.get("real"), place / "real")),
            clock=self.clock(data.get("clock"), place / "clock"),
            expect=expected,
            address=place.address,
            deliver=self.deliveries(data.get("deliver"), place / "deliver"),
        )

    def named_again(self, start: object, at: Place, event: Event) -> bool:
        """Whether the start event is named where its fields are wanted, which is reported."""
        if not isinstance(start, Mapping) or not start:
            return False
        strange = start.keys() - event.record.fields.keys()
        if strange != set(start) or strange not in ({event.name}, {"event", "with"}):
            return False
        why = f"the fields of `{event.name}` stand here by themselves"
        fields = ", ".join(f"{name}: …" for name in list(event.record.fields)[:4])
        self.declared.report(wrong_value(at, why, f"write `{{{fields}}}`"))
        return True

    def never_comes(self, event: str) -> bool:
        """Whether an event is not received, and neither a step that waits for it nor a test has said so."""
        declared = self.declared
        return not (event in declared.receives or event in declared.waited or declared.unread("receives"))

    def deliveries(self, data: object, place: Place) -> tuple[Delivery, ...]:
        """Events from outside, by the time at which they come."""
        found = []
        for index, each in enumerate(data if isinstance(data, list) else ()):
            if not isinstance(each, Mapping) or not isinstance(each.get("event"), str):
                continue
            at = place / index
            event = self.declared.events.find(each["event"], at / "event", self.declared.report)
            if event is None:
                continue
            if event.role != "message":
                self.declared.report(never_from_outside(at / "event", event.name, event.role))
            elif self.never_comes(event.name):
                self.declared.waited.setdefault(event.name, at.address)
                self.declared.report(not_received(at / "event", event.name, self.declared.receives))
            given = each.get("with")
            at_given = (at / "with" if given else at).address
            given = read_data(given or {}, at_given, event.record, self.declared.report)
            after = 0.0
            if "after" in each:
                after = duration(each["after"], at / "after", self.declared.report, zero=True) or 0.0
            found.append(Delivery(event.name, given if isinstance(given, Mapping) else {}, after))
        return tuple(sorted(found, key=lambda delivery: delivery.after))

    def step(self, name: object, place: Place) -> Step | None:
        normalised = normal_form(str(name))
        if normalised not in self.known and not self.declared.unread("steps"):
            self.declared.report(unknown_step(place, normalised, self.known))
        return self.steps.get(normalised)

    def clock(self, data: object, place: Place) -> str | None:
        if data is None:
            return None
        if fits(data, DATETIME) is not None:
            self.declared.report(problems.clock_without_offset(place, str(data)))
            return None
        return str(data)

    def real(self, data: object, place: Place) -> list[str]:
        found = []
        for index, name in enumerate(data if isinstance(data, list) else ()):
            step = self.step(name, place / index)
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
            step = self.step(name, at.key)
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
                unknown_error(place / "error", str(data["error"]), (), f"write `http.{data['error']}`")
            )
            return MockAnswer()
        if step.result is None and step.kind != "transform":
            if data not in (None, {}):
                why = "this step gives nothing, so there is nothing to stand in for"
                self.declared.report(wrong_value(place, why, "write `{}`, or an error: `{error: …}`"))
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
        if quorum is not None and isinstance(data, list) and len(data) != quorum:
            self.declared.report(quorum_of_answers(place, step.name, quorum, len(data)))
        return MockAnswer(value=data)

    def child_end(self, data: Data, place: Place, call: WorkflowCall) -> object:
        """An end of another workflow, as `{event: Name, with: {…}}`."""
        name = normal_form(str(data["event"]))
        records = dict(call.ends)
        if name not in records:
            self.declared.report(unknown_event(place / "event", name, records))
            return None
        at = place / "with" if "with" in data else place
        given = read_data(data.get("with", {}), at.address, records[name], self.declared.report)
        return {**data, "event": name, "with": given} if "with" in data else {**data, "event": name}

    def expected(self, data: Mapping[str, Any], place: Place) -> dict[str, object]:
        """What must hold, names in normal form."""
        found: dict[str, object] = dict(data)
        found |= self.end(data, place)
        ran = data.get("ran")
        if isinstance(ran, Mapping):
            for name in ran:
                self.step(name, (place / "ran" / str(name)).key)
            found["ran"] = {normal_form(str(name)): times for name, times in ran.items()}
        never = data.get("never_ran")
        if isinstance(never, list):
            for index, name in enumerate(never):
                self.step(name, place / "never_ran" / index)
            found["never_ran"] = [normal_form(str(name)) for name in never]
        emitted = data.get("emitted")
        if isinstance(emitted, list):
            for index, name in enumerate(emitted):
                if isinstance(name, str):
                    self.declared.events.find(name, place / "emitted" / index, self.declared.report)
            found["emitted"] = [normal_form(str(name)) for name in emitted]
        if isinstance(data.get("state"), Mapping):
            found["state"] = self.state(data["state"], place / "state")
        if isinstance(data.get("streamed"), list):
            found["streamed"] = self.streamed(data["streamed"], place / "streamed")
        if isinstance(data.get("fails"), str):
            self.check_failure(data["fails"], place / "fails")
        return found

    def end(self, data: Data, place: Place) -> dict[str, object]:
        found: dict[str, object] = {}
        ends = self.declared.end
        end = ends[0] if len(ends) == 1 else None
        if isinstance(data.get("end"), str):
            event = self.declared.events.find(str(data["end"]), place / "end", self.declared.report)
            known = "unknown-event" not in self.declared.codes  # else it may be one of `end`, misspelt there
            if event is not None and event not in ends and ends and known:
                self.declared.report(problems.event_is_no_end(place / "end", event.name))
            end = event
            found["end"] = normal_form(str(data["end"]))
        elif isinstance(data.get("with"), Mapping) and len(ends) > 1:
            self.declared.report(problems.with_which_end((place / "with").key))
        given = data.get("with")
        if isinstance(given, Mapping) and end is not None:
            found["with"] = self.some(given, place / "with", end.record, f"`{end.name}`")
        return found

    def some(
        self, data: Mapping[object, object], place: Place, record: Record, owner: str
    ) -> dict[str, object]:
        """Some fields of a record; those that a test does not name may be anything."""
        found: dict[str, object] = {}
        for key, content in data.items():
            field = record.fields.get(normal_form(str(key)))
            at = place / str(key)
            if field is None:
                self.declared.report(unknown_entry(at.key, str(key), owner, record.fields))
            else:
                found[field.name] = read_data(content, at.address, field.type, self.declared.report)
        return found

    def state(self, data: Mapping[object, object], place: Place) -> dict[str, object]:
        found: dict[str, object] = {}
        if self.declared.unread("state"):
            return found
        fields = self.declared.state.fields
        for key, content in data.items():
            at = place / str(key)
            field = fields.get(normal_form(str(key)))
            if field is None:
                self.declared.report(unknown_state_field(at.key, normal_form(str(key)), fields))
            else:
                found[field.name] = read_data(content, at.address, field.type, self.declared.report)
        return found

    def check_failure(self, name: str, place: Place) -> None:
        """`fails` is an error's dotted name, the way in which a run can fail, or the text of a `fail`."""
        if name in RUN_FAILURES or " " in name:
            return
        if "." in name or nearest(name, (*KNOWN, *RUN_FAILURES)):
            error_names(name, place, self.declared.report, mocked=True)

    def streamed(self, data: list[object], place: Place) -> list[object]:
        """Texts, or events with some of their fields."""
        found: list[object] = []
        for index, item in enumerate(data):
            found.append(item)
            if not isinstance(item, Mapping) or not isinstance(item.get("event"), str):
                continue
            event = self.declared.events.find(item["event"], place / index / "event", self.declared.report)
            if event is None:
                continue
            found[-1] = {**item, "event": event.name}
            if isinstance(item.get("with"), Mapping):
                given = self.some(item["with"], place / index / "with", event.record, f"`{event.name}`")
                found[-1] = {**item, "event": event.name, "with": given}
        return found


def is_status(error: object) -> bool:
    """Whether something is the number by which a service says what went wrong."""
    return isinstance(error, int) and not isinstance(error, bool) and 400 <= error <= 599


def is_end(data: object) -> TypeGuard[Data]:
    """Whether a mock says by which of its events another workflow ends."""
    return isinstance(data, Mapping) and "event" in data and data.keys() <= {"event", "with"}
