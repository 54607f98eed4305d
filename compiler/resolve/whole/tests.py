"""The spec's own tests: every name looked up, every value checked against its type."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from wfc.compiler.diagnostics import Place
from wfc.compiler.model import Delivery, Event, MockAnswer, ScriptedReply, Step, TestCase
from wfc.compiler.python.literals import normal_form
from wfc.compiler.resolve.symbols.declarations import Declarations
from wfc.compiler.resolve.symbols.tables import Data
from wfc.compiler.resolve.values.durations import duration
from wfc.compiler.resolve.values.reader import read_data
from wfc.compiler.resolve.whole import scripts
from wfc.compiler.resolve.whole.expectations import ExpectationReader
from wfc.compiler.resolve.whole.mocks import MockReader
from wfc.compiler.resolve.whole.step_lookup import StepLookup
from wfc.compiler.rules import cases as problems
from wfc.compiler.rules import messages as message_problems
from wfc.compiler.rules import pauses as pause_problems
from wfc.compiler.rules import values as value_problems
from wfc.compiler.slotted import dataclass, field
from wfc.compiler.types import DATETIME, fits
from wfc.compiler.types.values import quote_at_end

__all__ = ["resolve_tests"]


def resolve_tests(data: Data, steps: Sequence[Step], declared: Declarations) -> tuple[TestCase, ...]:
    """Return the tests, in the order written."""
    tests = data.get("tests")
    written = data.get("steps")
    known = {normal_form(str(name)) for name in written} if isinstance(written, Mapping) else set()
    known |= declared.broken_names("steps") | {step.name for step in steps}  # those of parts too
    lookup = StepLookup(declared, {step.name: step for step in steps}, known)
    listed = enumerate(tests if isinstance(tests, list) else ())
    cases = [(each, Place(("tests", index))) for index, each in listed if isinstance(each, Mapping)]
    names = frozenset(str(each.get("name", "")) for each, _ in cases)
    mocks, expectations = MockReader(declared, lookup), ExpectationReader(declared, lookup)
    reader = TestResolver(declared, mocks, expectations, names)
    return tuple(reader.test(each, place) for each, place in cases)


@dataclass(slots=True)
class TestResolver:
    """Reads tests.

    Args:
        all_names: The names of all tests.
        names: Names of the tests so far, and where they stand.
        known: The tests so far.
    """

    declared: Declarations
    mocks: MockReader
    expectations: ExpectationReader
    all_names: frozenset[str]
    names: dict[str, Place] = field(default_factory=dict)
    known: dict[str, TestCase] = field(default_factory=dict)

    def test(self, data: Data, place: Place) -> TestCase:
        name = str(data.get("name", ""))
        if name and name in self.names:
            self.declared.report(problems.test_name_twice(place / "name", name, self.names[name]))
        self.names.setdefault(name, place / "name")
        base = self.base(data, place)
        start = self.start(data, place, base)
        expect = data.get("expect")
        tools = {**(base.tools if base is not None else {}), **self.tools(data, place)}
        expected = {}
        if isinstance(expect, Mapping):
            expected = self.expectations.expected(expect, place / "expect", tools)
        mock = self.mocks.mocks(data.get("mock"), place / "mock")
        made = TestCase(
            name=name,
            start=start,
            mock=mock if base is None else {**base.mock, **mock},
            real=tuple(self.mocks.real(data.get("real"), place / "real")),
            clock=self.clock(data, place, base),
            expect=expected,
            address=place.address,
            deliver=self.deliveries(data.get("deliver"), place / "deliver"),
            config={**(base.config if base is not None else {}), **self.config(data, place / "config")},
            cancel=duration(data["cancel"], place / "cancel", self.declared.report)
            if "cancel" in data
            else None,
            script={**(base.script if base is not None else {}), **self.script(data, place)},
            tools=tools,
            people={**(base.people if base is not None else {}), **self.people(data, place)},
        )
        self.known.setdefault(name, made)
        return made

    def script(self, data: Data, place: Place) -> Mapping[str, tuple[ScriptedReply, ...]]:
        """Return the replies of the models of agents."""
        return self.of_agents().scripts(data["script"], place / "script") if "script" in data else {}

    def tools(self, data: Data, place: Place) -> Mapping[str, tuple[MockAnswer, ...]]:
        """Return what tools give to agents."""
        return self.of_agents().tools(data["tools"], place / "tools") if "tools" in data else {}

    def people(self, data: Data, place: Place) -> Mapping[str, tuple[MockAnswer, ...]]:
        """Return what people say to calls that they have to allow."""
        return self.of_agents().people(data["people"], place / "people") if "people" in data else {}

    def of_agents(self) -> scripts.ScriptReader:
        """Return what reads what a test says of agents."""
        return scripts.script_reader(self.declared, self.mocks.steps.steps)

    def base(self, data: Data, place: Place) -> TestCase | None:
        """Return the test that another one is like."""
        name = data.get("like")
        if not isinstance(name, str):
            return None
        found = self.known.get(name)
        if found is None:
            below = name in self.all_names
            self.declared.report(problems.no_test_above(place / "like", name, list(self.known), below=below))
        return found

    def start(self, data: Data, place: Place, base: TestCase | None) -> Mapping[str, Any]:
        """Return the fields of the start event, those of the test that this one is like among them."""
        start, event = data.get("start"), self.declared.start
        if event is None or self.declared.any_broken(place, ("like", "start")):
            return start if isinstance(start, Mapping) else {}
        at = place / "start" if "start" in data else place
        if self.named_again(start, at, event):
            return {}
        if "start" in data and "like" not in data:
            read = read_data(start or {}, at.address, event.record, self.declared.report)
            return read if isinstance(read, Mapping) else {}
        own = start if isinstance(start, Mapping) else {}
        found = self.expectations.some(own, at, event.record, f"`{event.name}`")
        merged = {**(base.start if base is not None else {}), **found}
        whole = (base is not None or "like" not in data) and len(found) == len(own)
        missing = [
            each.name for each in event.record.fields.values() if each.required and each.name not in merged
        ]
        if whole and missing and not self.is_lacking(base):
            under = "" if "start" in data else "start"
            self.declared.report(value_problems.missing_entry(at, missing, f"`{event.name}`", under))
        return merged

    def is_lacking(self, base: TestCase | None) -> bool:
        """Return whether a test lacks fields of the start event itself, which has been told there."""
        event = self.declared.start
        if base is None or event is None:
            return False
        return any(each.required and each.name not in base.start for each in event.record.fields.values())

    def config(self, data: Data, place: Place) -> dict[str, object]:
        """Return the fields of the config that a test sets."""
        given = data.get("config")
        if not isinstance(given, Mapping) or self.declared.unread("config"):
            return {}
        return self.expectations.some(given, place, self.declared.config, "the config")

    def named_again(self, start: object, at: Place, event: Event) -> bool:
        """Return whether the start event is named where its fields are wanted, and report it if so."""
        if not isinstance(start, Mapping) or not start:
            return False
        strange = start.keys() - event.record.fields.keys()
        if strange != set(start) or strange not in ({event.name}, {"event", "with"}):
            return False
        why = f"the fields of `{event.name}` stand here by themselves"
        fields = ", ".join(f"{name}: …" for name in list(event.record.fields)[:4])
        self.declared.report(value_problems.wrong_value(at, why, f"write `{{{fields}}}`"))
        return True

    def never_comes(self, event: str) -> bool:
        """Return whether an event is not received, and this was not reported for a waiting step or another
        test.
        """
        declared = self.declared
        return not (event in declared.receives or event in declared.waited or declared.may_receive_more())

    def deliveries(self, data: object, place: Place) -> tuple[Delivery, ...]:
        """Return the events from outside, by the time at which they arrive."""
        found = []
        for index, each in enumerate(data if isinstance(data, list) else ()):
            if not isinstance(each, Mapping) or not isinstance(each.get("event"), str):
                continue
            at = place / index
            event = self.declared.events.find(each["event"], at / "event", self.declared.report)
            if event is None:
                continue
            if event.role != "message":
                self.declared.report(
                    message_problems.never_from_outside(at / "event", event.name, event.role)
                )
            elif self.never_comes(event.name):
                self.declared.waited.setdefault(event.name, at.address)
                self.declared.report(
                    pause_problems.not_received(at / "event", event.name, self.declared.receives)
                )
            given = each.get("with")
            at_given = (at / "with" if given else at).address
            if not self.declared.any_broken(at, ("with",)):
                given = read_data(given or {}, at_given, event.record, self.declared.report)
            after = 0.0
            if "after" in each:
                after = duration(each["after"], at / "after", self.declared.report, zero=True) or 0.0
            found.append(Delivery(event.name, given if isinstance(given, Mapping) else {}, after))
        return tuple(sorted(found, key=lambda delivery: delivery.after))

    def clock(self, data: Data, place: Place, base: TestCase | None) -> str | None:
        """Return when the run starts, which may be when that of the test starts that this one is like."""
        if "clock" not in data:
            return base.clock if base is not None else None
        if fits(data["clock"], DATETIME) is not None:
            said = str(data["clock"])
            hint = quote_at_end(said, DATETIME)
            self.declared.report(problems.clock_without_offset(place / "clock", said, hint))
            return None
        return str(data["clock"])
