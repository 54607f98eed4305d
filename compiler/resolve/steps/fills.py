"""Sources of values for the fields of an emitted event."""

from __future__ import annotations

from wfc.compiler.diagnostics import Place
from wfc.compiler.expressions import Expression, Scope, reference
from wfc.compiler.model import Event, Fill, Value
from wfc.compiler.resolve.values import mismatches
from wfc.compiler.resolve.values.reader import ValueReader
from wfc.compiler.rules import closest
from wfc.compiler.rules import fills as problems
from wfc.compiler.slotted import dataclass
from wfc.compiler.types import (
    ANY,
    NULL,
    UNKNOWN,
    Field,
    ListOf,
    Optional,
    Record,
    Type,
    assignable,
    common,
    members,
    show,
    without_null,
)

__all__ = ["EventFiller", "field_type"]


def field_type(type: Type, name: str) -> Type | None:
    """Return the type of a record's field; for one of several records, only if each has the field."""
    if isinstance(type, Record):
        field = type.fields.get(name)
        return None if field is None else field.type
    if isinstance(type, Optional) or type == NULL:
        return None
    found: list[Type] = []
    for member in members(type):
        if member is UNKNOWN:
            return UNKNOWN
        if not isinstance(member, Record) or name not in member.fields:
            return None
        found.append(member.fields[name].type)
    return common(*found)


def given_as_whole(source: str, fills: dict[str, Fill]) -> Expression | None:
    """Return by what `with` gives a field the whole of a source, which is then meant for that field alone.

    What has no type, as its name is not known, may be meant as the source.
    """
    given = [fill.value.expression for fill in fills.values() if fill.how == "with"]
    known = [each for each in given if each is not None]
    return next(
        (each for each in known if each.text.strip() == source),
        next((each for each in known if each.type is UNKNOWN), None),
    )


@dataclass(slots=True)
class EventFiller:
    """Fills one event at one place.

    Args:
        reader: Reads `with`, and keeps the uses.
        scope: What `with` may mention, narrowed by the conditions that lead here.
        item: The name of an `each`'s item, or ``None``.
        silent: Whether something about this entry is reported already, so that gaps are not.
    """

    reader: ValueReader
    scope: Scope
    item: str | None = None
    silent: bool = False

    def fill(self, event: Event, given: object, place: Place) -> tuple[Fill, ...]:
        """Return how each field is filled, in the order of the event's fields, without those that nothing
        fills.

        Args:
            event: The event to be emitted.
            given: The mapping under `with`, or ``None``.
            place: Of the mention of the event; `with` stands beside it, if it is there.
        """
        fields = event.record.fields
        fills: dict[str, Fill] = {}
        if isinstance(given, dict):
            at = Place((*place.address[:-1], "with"))
            values = self.reader.given(given, at, fields, f"`{event.name}`", self.scope)
            fills = {name: Fill(name, value, "with") for name, value in values.items()}
        open_fields = {name: field for name, field in fields.items() if name not in fills}
        if open_fields:
            # each strange name has been reported, and may be what is missing
            strange = len(given) - len(fills) if isinstance(given, dict) else 0
            self.fill_rest(event, open_fields, fills, place, strange, given=isinstance(given, dict))
        return tuple(fills[name] for name in fields if name in fills)

    def fill_rest(
        self,
        event: Event,
        left: dict[str, Field],
        fills: dict[str, Fill],
        place: Place,
        strange: int,
        *,
        given: bool,
    ) -> None:
        """Fill the fields that are not given; report them where there are more than names that were not known."""
        sources = [name for name in (self.item, "result") if name is not None and name in self.scope.names]
        for source in sources:
            self.by_name(event, source, left, fills, place)
        for source in sources:
            self.as_whole(event, source, left, fills, place)
        for accepted in ("event", "events"):
            if accepted in self.scope.names:
                self.by_name(event, accepted, left, fills, place)
        missing = [name for name, field in left.items() if field.required]
        if len(missing) > strange and not self.silent and not self.unknown_sources(sources):
            value = self.elsewhere(missing[0], left[missing[0]])
            self.reader.report(
                problems.unfilled_field(
                    place,
                    event.name,
                    missing,
                    self.looked(missing),
                    value,
                    self.output(missing, left),
                    self.bringing(),
                    given=given,
                )
            )

    def bringing(self) -> str:
        """Return the name of the one event that might bring what is missing; empty if there is none, or several."""
        kind = self.type_of("event") if "event" in self.scope.names else None
        return kind.name or "" if isinstance(kind, Record) else ""

    def output(self, missing: list[str], fields: dict[str, Field]) -> str:
        """Return the `output` that would let the result fill the fields; empty if `output` is set already."""
        if "result" not in self.scope.names or self.type_of("result") is not ANY:
            return ""
        return ", ".join(f"{name}: {show(fields[name].type)}" for name in missing)

    def elsewhere(self, name: str, field: Field) -> str:
        """Return what could be written for a field that nothing fills: the input of that name, if there is
        one.
        """
        given = field_type(self.type_of("inputs"), name) if "inputs" in self.scope.names else None
        return f'"${{{{ inputs.{name} }}}}"' if given is not None and assignable(given, field.type) else "…"

    def unknown_sources(self, sources: list[str]) -> bool:
        return any(
            self.type_of(name) is UNKNOWN
            for name in (*sources, "event", "events")
            if name in self.scope.names
        )

    def type_of(self, name: str) -> Type:
        return self.scope.fact((name,)) or self.scope.names[name]

    def by_name(
        self, event: Event, source: str, left: dict[str, Field], fills: dict[str, Fill], place: Place
    ) -> None:
        """Fill fields from the fields of a source that have the same names."""
        whole = self.type_of(source)
        for name, field in list(left.items()):
            if source == self.item and name == self.item:
                given: Type | None = whole
                path = [source]
            else:
                given = field_type(whole, name)
                path = [source, name]
            if given is None:
                if not field.required and source in {"event", "events"} and not self.silent:
                    self.report_unclear(event, source, field, place)
                continue
            del left[name]
            if given is UNKNOWN:
                self.reader.uses.add(source)
                continue
            expression = reference(self.scope, *path)
            given = expression.type  # which knows what conditions have excluded
            if assignable(given, field.type):
                self.take(name, field, expression, path, fills, place)
                continue
            self.reader.uses.add(source)
            if not self.silent:
                wanted = field.type
                hint = mismatches.alike(given, wanted)
                hint = mismatches.mismatch(given, wanted)[1] if isinstance(given, Optional) else hint
                self.reader.report(
                    problems.wrong_fill(
                        place,
                        event.name,
                        name,
                        source=f"`{'.'.join(path)}`",
                        given=show(given),
                        wanted=show(wanted),
                        hint=hint,
                        others=any(each.how == "with" for each in fills.values()),
                    )
                )

    def report_unclear(self, event: Event, source: str, field: Field, place: Place) -> None:
        """Report a field that may stay open, and that some of the accepted events have but not just one or all."""
        accepted = self.type_of(source)
        if source == "event":
            found = members(accepted)
        elif isinstance(accepted, Record):
            found = tuple(without_null(each.type) for each in accepted.fields.values())
        else:
            return  # of a batch there are many
        events = [each for each in found if isinstance(each, Record) and each.role == "event"]
        having = [each.called or each.name for each in events if field.name in each.fields]
        if having:
            together, nullable = source == "events", isinstance(field.type, Optional)
            self.reader.report(
                problems.unclear_fill(
                    place, event.name, field.name, having, together=together, nullable=nullable
                )
            )

    def as_whole(
        self, event: Event, source: str, left: dict[str, Field], fills: dict[str, Fill], place: Place
    ) -> None:
        """Fill the only field that is still open from the source as a whole, if the types match."""
        if len(left) != 1:
            return
        given = self.type_of(source)
        ((name, field),) = left.items()
        if given in (ANY, UNKNOWN) or not assignable(given, field.type):
            return
        whole = given_as_whole(source, fills)
        if whole is not None:
            if whole.type is UNKNOWN:  # what cannot be read may be another value, and this one fill the field
                del left[name]
            return
        rival = self.rival(name, field)
        if rival and not self.silent and field.type is not UNKNOWN:
            self.reader.report(problems.unclear_whole(place, event.name, name, source, rival))
        self.take(name, field, reference(self.scope, source), [source], fills, place)
        del left[name]

    def rival(self, name: str, field: Field) -> str:
        """Return the accepted event's field of that name, as an expression, if it would fit too; else empty."""
        for accepted in ("event", "events"):
            if accepted in self.scope.names:
                found = field_type(self.type_of(accepted), name)
                if found not in (None, UNKNOWN) and assignable(found, field.type):
                    return f"{accepted}.{name}"
        return ""

    def take(
        self,
        name: str,
        field: Field,
        expression: Expression,
        path: list[str],
        fills: dict[str, Fill],
        place: Place,
    ) -> None:
        self.reader.note(expression)
        value = Value(field.type, place.address, expression=expression)
        match path:
            case [self.item]:
                fills[name] = Fill(name, value, "whole item")
            case ["result"]:
                fills[name] = Fill(name, value, "whole result")
            case [self.item, _]:
                fills[name] = Fill(name, value, "item field")
            case ["result", _]:
                fills[name] = Fill(name, value, "result field")
            case _:
                fills[name] = Fill(name, value, "event field")

    def looked(self, missing: list[str]) -> str:
        """Describe which sources were searched."""
        words = ["`with` does not have it" if len(missing) == 1 else "`with` does not have them"]
        for source in (self.item, "result", "event", "events"):
            if source is not None and source in self.scope.names:
                words.append(self.looked_at(source, self.type_of(source), missing))
        return f"{', '.join(words[:-1])} and {words[-1]}" if len(words) > 1 else words[0]

    def looked_at(self, source: str, type: Type, missing: list[str]) -> str:
        if isinstance(type, Optional) and field_type(type.of, missing[0]) is not None:
            return f"`{source}` may be null"
        if isinstance(type, Optional):
            return f"`{source}` is {show(type)}"
        if type is ANY:
            return f"`{source}` is any, which fills nothing"
        if source == "events":
            if isinstance(type, ListOf):
                return "`events` is a list"
            return f"no single event of `events` has {'it' if len(missing) == 1 else 'them'}"
        if isinstance(type, Record):
            near = closest(missing[0], type.fields)
            of = f" ({show(type)})" if type.name and type.role != "output" else ""
            return f"`{source}`{of} has no such field{f' ({near})' if near else ''}"
        with_it = [each for each in members(type) if isinstance(each, Record) and missing[0] in each.fields]
        if with_it:
            return f"only {' and '.join(f'`{each.name}`' for each in with_it)} has it"
        return f"`{source}` is {show(type)}"
