"""The expectations of a spec's tests: every name looked up, every value checked against its type."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final

from wfc.compiler.diagnostics import Place
from wfc.compiler.python.literals import normal_form
from wfc.compiler.resolve.symbols.declarations import Declarations
from wfc.compiler.resolve.symbols.tables import Data
from wfc.compiler.resolve.values.durations import duration
from wfc.compiler.resolve.values.error_names import KNOWN, error_names
from wfc.compiler.resolve.values.reader import read_data, text_before
from wfc.compiler.resolve.whole import scripts
from wfc.compiler.resolve.whole.part_contracts import accepted_events, emitted_events
from wfc.compiler.resolve.whole.step_lookup import StepLookup
from wfc.compiler.rules import cases as problems
from wfc.compiler.rules import undeclared as undeclared_problems
from wfc.compiler.rules import values as value_problems
from wfc.compiler.rules.spelling import nearest
from wfc.compiler.slotted import dataclass
from wfc.compiler.types import Record, resembles
from wfc.compiler.types.outside_names import own_name

__all__ = ["ExpectationReader"]

RUN_FAILURES: Final = ("cancelled", "deadline", "expression", "fail", "limit", "stuck")


@dataclass(frozen=True, slots=True)
class ExpectationReader:
    """Reads `expect`; names come out in normal form."""

    declared: Declarations
    steps: StepLookup

    def expected(
        self, data: Mapping[str, Any], place: Place, mocked: Collection[str] = ()
    ) -> dict[str, object]:
        """Return the expectations, with names in normal form.

        Args:
            mocked: The tools of agents of which the test says what they give.
        """
        found: dict[str, object] = dict(data)
        found |= self.end(data, place)
        ran = data.get("ran")
        if isinstance(ran, Mapping):
            for name in ran:
                self.steps.find(name, (place / "ran" / str(name)).key)
            found["ran"] = {normal_form(str(name)): times for name, times in ran.items()}
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
        if "after" in data:
            found["after"] = duration(data["after"], place / "after", self.declared.report, zero=True) or 0.0
        if "calls" in data:
            reader = scripts.script_reader(self.declared, self.steps.steps)
            found["calls"] = reader.expected_calls(data["calls"], place / "calls", mocked)
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
            if event is not None and event not in ends and ends and known and not self.is_lost(event.name):
                self.declared.report(problems.event_is_no_end(place / "end", event.name))
            end = event
            found["end"] = normal_form(str(data["end"]))
        elif isinstance(data.get("with"), Mapping) and len(ends) > 1:
            self.declared.report(problems.with_which_end((place / "with").key))
        given = data.get("with")
        if isinstance(given, Mapping) and end is not None:
            found["with"] = self.some(given, place / "with", end.record, f"`{end.name}`")
        return found

    def is_lost(self, event: str) -> bool:
        """Return whether steps emit an event that no step accepts, which is told where they do."""
        steps = list(self.steps.steps.values())
        return event in emitted_events(steps) and event not in accepted_events(steps)

    def some(
        self, data: Mapping[object, object], place: Place, record: Record, owner: str
    ) -> dict[str, object]:
        """Read some fields of a record; fields that a test does not name may have any value."""
        found: dict[str, object] = {}
        for key, content in data.items():
            field = record.fields.get(normal_form(str(key)))
            at = place / str(key)
            if field is None:
                own = own_name(record.fields, str(key))
                likely = [name for name, each in record.fields.items() if resembles(content, each.type)]
                unknown = value_problems.unknown_entry(at.key, str(key), owner, record.fields, own, likely)
                if isinstance(content, str) and (before := text_before(data, key)):
                    unknown = value_problems.after_a_comma(unknown, before)
                self.declared.report(unknown)
            else:
                found[field.name] = read_data(
                    content, at.address, field.type, self.declared.report, field.constraints
                )
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
                self.declared.report(
                    undeclared_problems.unknown_state_field(at.key, normal_form(str(key)), fields)
                )
            else:
                found[field.name] = read_data(
                    content, at.address, field.type, self.declared.report, field.constraints
                )
        return found

    def check_failure(self, name: str, place: Place) -> None:
        """Check `fails`: an error's dotted name, the way in which a run can fail, or the text of a `fail`."""
        if name in RUN_FAILURES or " " in name:
            return
        if "." in name or nearest(name, (*KNOWN, *RUN_FAILURES)):
            error_names(name, place, self.declared.report, mocked=True)

    def streamed(self, data: list[object], place: Place) -> list[object]:
        """Return what is streamed: texts, or events with some of their fields."""
        found: list[object] = []
        for index, written in enumerate(data):
            item = written
            if isinstance(item, Mapping) and "after" in item:
                at = place / index / "after"
                item = {**item, "after": duration(item["after"], at, self.declared.report, zero=True) or 0.0}
            found.append(item)
            if not isinstance(item, Mapping):
                continue
            if not isinstance(item.get("event"), str):
                continue
            event = self.declared.events.find(item["event"], place / index / "event", self.declared.report)
            if event is None:
                continue
            found[-1] = {**item, "event": event.name}
            if isinstance(item.get("with"), Mapping):
                given = self.some(item["with"], place / index / "with", event.record, f"`{event.name}`")
                found[-1] = {**item, "event": event.name, "with": given}
        return found
