"""The exits of a step: the entries of `emit`, `on_error`, `on_limit` and `on_timeout`."""

from __future__ import annotations

from collections.abc import Sequence

from wfc.compiler.diagnostics import Place
from wfc.compiler.expressions import Scope, reference
from wfc.compiler.expressions.conditions import exhaustiveness
from wfc.compiler.expressions.typing.loops import LOOP
from wfc.compiler.model import (
    Emission,
    Emit,
    EmitAll,
    EmitEach,
    Entry,
    Exit,
    Fail,
    Fill,
    Nothing,
    Restart,
    Save,
    Value,
)
from wfc.compiler.python.literals import normal_form, pascal_case
from wfc.compiler.resolve.steps.fills import EventFiller
from wfc.compiler.resolve.steps.saves import resolve_saves
from wfc.compiler.resolve.symbols.declarations import Declarations
from wfc.compiler.resolve.symbols.names import check_style
from wfc.compiler.resolve.symbols.tables import Data, one_or_many
from wfc.compiler.resolve.values import bounds, error_names
from wfc.compiler.resolve.values.reader import ValueReader, hint_for_list
from wfc.compiler.resolve.values.scopes import RESERVED
from wfc.compiler.rules import cases as case_problems
from wfc.compiler.rules import names as name_problems
from wfc.compiler.rules import steps as problems
from wfc.compiler.slotted import dataclass, replace
from wfc.compiler.types import UNKNOWN, ListOf, Record, Type, parse_type, show

__all__ = ["ExitResolver"]

CONDITIONS = frozenset({"when", "errors", "body"})
"""The keys of an entry that say when it is taken."""


def with_body(error: Type | None, body: Type) -> Type:
    """Return what `error` is where the body of its reply is known to be so made."""
    if not isinstance(error, Record):
        return UNKNOWN
    fields = {**error.fields, "body": replace(error.fields["body"], type=body)}
    return Record(error.name, fields, role="namespace")


@dataclass(slots=True)
class ExitResolver:
    """Resolves the exits of one step.

    Args:
        reader: Reads expressions, and keeps their uses.
    """

    declared: Declarations
    reader: ValueReader

    def exit(self, data: object, place: Place, scope: Scope) -> Exit:
        """Resolve all entries of one exit; each may assume that those before it did not match."""
        listed = one_or_many(data, place)
        found: dict[int, Entry] = {}
        for index in self.reading_order(listed):
            entry, scope = self.entry(*listed[index], scope)
            if entry is None:
                self.declared.flow_whole = False
            else:
                found[index] = entry
        entries = [found[index] for index in sorted(found)]
        if len(entries) < len(listed):
            # what the missing ones were for is not known, so none of the rest is said to be too few
            return Exit(tuple(entries), place.address, exhaustive=True)
        if not entries:
            return Exit((), place.address)
        left = self.case_left(entries)
        return Exit(tuple(entries), place.address, exhaustive=not left, left=left)

    def reading_order(self, listed: Sequence[tuple[object, Place]]) -> list[int]:
        """Return the entries' numbers, of those that are taken in every case last.

        Such an entry above others is a mistake of its own. It is meant for what they leave, so that nothing is said
        of what their conditions exclude.
        """

        if len(listed) == 1:
            return [0]

        def is_conditional(content: object, place: Place) -> bool:
            given = isinstance(content, dict) and not CONDITIONS.isdisjoint(content)
            return given or self.declared.any_broken(place, CONDITIONS)

        return sorted(range(len(listed)), key=lambda index: not is_conditional(*listed[index]))

    def case_left(self, entries: Sequence[Entry]) -> str:
        """Describe a case that the conditions of some entries do not cover; empty if they cover every case."""
        if any(entry.is_certain for entry in entries):
            return ""
        free = [entry for entry in entries if not entry.errors and entry.body is None]
        conditions = [entry.when for entry in free if entry.when is not None]
        if not conditions:
            return "any error that no entry names"
        left = exhaustiveness.falls_through(conditions)
        return "" if left is None else left.text

    def entry(self, data: object, place: Place, scope: Scope) -> tuple[Entry | None, Scope]:
        """Return one entry, and the scope of the entries after it."""
        if not isinstance(data, dict):
            emission = self.emission(data, place, scope)
            return (Entry(None, (), (), emission, place.address) if emission else None), scope
        whole = place.address[0] == "on_error"  # a step's is below `steps`
        errors: tuple[str, ...] = ()
        if "errors" in data:
            errors = error_names.error_names(
                data["errors"], place / "errors", self.declared.report, whole=whole
            )
        body = self.body(data["body"], errors, place / "body") if "body" in data else None
        when, inside, after = None, scope, scope
        if body is not None or self.declared.is_broken((*place.address, "body")):
            inside = scope.with_name("error", with_body(scope.names.get("error"), body or UNKNOWN))
        if "when" in data:
            when = self.reader.condition(data["when"], place / "when", inside)
            inside = inside.assuming(when, True)
            after = scope if errors or body is not None else scope.assuming(when, False)
        elif self.declared.is_broken((*place.address, "when")):
            inside = after = inside.narrowed("unclear")
        saves: tuple[Save, ...] = ()
        if "save" in data:
            saves = resolve_saves(data["save"], place / "save", inside, self.declared, self.reader)
        emission = self.emission(data, place, inside)
        unnamed = bool(data.get("errors")) and not errors  # all its errors are misspelt
        broken = self.declared.any_broken(place, CONDITIONS)
        if emission is None or unnamed or broken:
            return None, after
        return Entry(when, errors, saves, emission, place.address, body), after

    def body(self, data: object, errors: tuple[str, ...], place: Place) -> Type:
        """Return what the body of a reply must be made of; report errors after which there is no reply."""
        if errors and not any(name.partition(".")[0] == "http" for name in errors):
            hint = "name errors of replies, as in `errors: [http.409]`"
            self.declared.report(case_problems.body_without_reply(place.key, errors[0], hint))
        owner = next((str(each) for each in place.address[1:] if isinstance(each, str)), "")
        name = f"{pascal_case(owner if place.address[0] == 'steps' else 'run')}Reply"
        return parse_type(data, place, self.declared.types, self.declared.report, name)

    def emission(self, data: object, place: Place, scope: Scope, item: str | None = None) -> Emission | None:
        """Return what an entry emits; ``None`` if that is not known, which is reported here or has been
        before.
        """
        if isinstance(data, str):
            return Nothing(place.address) if data == "nothing" else self.emit(data, None, place, scope, item)
        if not isinstance(data, dict):
            return None
        if "event" in data:
            if data["event"] == "nothing":
                return Nothing(place.address)
            return self.emit(data["event"], data.get("with"), place / "event", scope, item)
        if "fail" in data:
            return Fail(self.reader.text(data["fail"], place / "fail", scope), place.address)
        if "each" in data:
            return self.each(data["each"], place / "each", scope)
        if "all" in data:
            return self.all(data["all"], place / "all", scope)
        if isinstance(data.get("restart"), dict):
            return self.restart(data["restart"], place, scope)
        if "nothing" in data:
            return Nothing(place.address)
        return None

    def restart(self, data: Data, place: Place, scope: Scope) -> Restart | None:
        """Return the inputs of the run that follows: those given, and this run's own values for all others."""
        start = self.declared.start
        if start is None:
            return None
        at, fields, given = place / "restart" / "with", start.record.fields, data.get("with")
        values: dict[str, Value] = {}
        if isinstance(given, dict):
            values = self.reader.given({**given}, at, fields, f"`{start.name}`", scope)
        fills: list[Fill] = []
        for name, field in fields.items():
            if name in values:
                fills.append(Fill(name, values[name], "with"))
            else:
                value = Value(field.type, place.address, expression=reference(scope, "inputs", name))
                fills.append(Fill(name, value, "with"))
        return Restart(start, tuple(fills), place.address)

    def emit(self, name: object, given: object, place: Place, scope: Scope, item: str | None) -> Emit | None:
        if not isinstance(name, str):
            return None
        event = self.declared.events.find(name, place, self.declared.report)
        if event is None:
            if isinstance(given, dict):
                # its expressions are read all the same: they may hold mistakes of their own, and uses
                self.reader.value(given, Place((*place.address[:-1], "with")), UNKNOWN, scope)
            self.reader.uses.add("result")
            return None
        if event.role == "start":
            self.declared.report(problems.start_event_emitted(place, event.name))
            self.declared.flow_whole = False
        owner = place.address if given is None and place.address[-1:] != ("event",) else place.address[:-1]
        silent = self.declared.is_broken(owner)
        fills = EventFiller(self.reader, scope, item, silent).fill(event, given, place)
        return Emit(event, fills, owner, place.address)

    def each(self, data: object, place: Place, scope: Scope) -> EmitEach | None:
        if not isinstance(data, dict) or "in" not in data:
            return None
        items = self.reader.expression(data["in"], place / "in", scope)
        item_type: Type = UNKNOWN
        if isinstance(items.type, ListOf):
            item_type = items.type.item
        elif items.type is not UNKNOWN:
            self.declared.report(
                problems.each_not_a_list(
                    place / "in", show(items.type), hint_for_list(items.text, items.type)
                )
            )
        name = normal_form(str(data.get("as", "item")))
        if name in RESERVED:
            self.declared.report(name_problems.name_in_use(place / "as", name))
        elif not check_style(name, place / "as", "name of an item", self.declared.report):
            return None
        emission = self.emission(
            {k: data[k] for k in ("event", "with") if k in data},
            place,
            scope.with_name("loop", LOOP).with_name(name, item_type),
            name,
        )
        most = data.get("max")
        if not isinstance(emission, Emit):
            return None
        limit = bounds.count(most, place / "max", self.declared) if most is not None else 0
        once = data.get("concurrency")
        concurrency = bounds.count(once, place / "concurrency", self.declared) if once is not None else None
        return EmitEach(items, name, emission, limit or 0, place.address, concurrency)

    def all(self, data: object, place: Place, scope: Scope) -> EmitAll | None:
        if not isinstance(data, list):
            return None
        found: list[Emit | EmitEach] = []
        for index, each in enumerate(data):
            emission = self.emission(each, place / index, scope)
            if isinstance(emission, (Emit, EmitEach)):
                found.append(emission)
            else:
                self.declared.flow_whole = False
        return EmitAll(tuple(found), place.address) if found else None
