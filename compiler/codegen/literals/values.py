"""Values of a spec's fields, arguments and bodies → Python expressions of the wanted type."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from wfc.compiler.codegen.literals.constants import call, constant, construct
from wfc.compiler.codegen.literals.functions import FunctionBuilder, Path
from wfc.compiler.codegen.names import ModuleNames
from wfc.compiler.expressions import Expression
from wfc.compiler.model import Emission, Emit, EmitAll, EmitEach, Fail, Nothing, Restart, Value
from wfc.compiler.python.literals import Code, literal, local_name
from wfc.compiler.types import Record, members

__all__ = ["ValueWriter"]

Known = Mapping[Path, Code]


NOTHING_KNOWN: Known = {}


class ValueWriter:
    """A writer of the values and emissions of one function.

    Args:
        told_apart: Whether lists of events must say which event is theirs, even when they are empty.
    """

    def __init__(self, function: FunctionBuilder, names: ModuleNames, *, told_apart: bool = False) -> None:
        self.function = function
        self.names = names
        self.told_apart = told_apart

    def value(self, value: Value, known: Known = NOTHING_KNOWN) -> Code:
        """Return a value as the wanted type."""
        if value.expression is not None:
            return self.function.expression(value.expression, known, into=value.type)
        if value.template is not None:
            return self.function.template(value.template, known)
        if value.secret is not None:
            return call(Code("Secret"), literal(value.secret.name))
        if value.items is not None:
            return Code(f"[{', '.join(self.value(item, known) for item in value.items)}]")
        if value.entries is not None:
            entries = {name: self.value(entry, known) for name, entry in value.entries}
            record = self.record_for(value)
            if record is not None:
                return construct(record, entries, self.names)
            return Code(f"{{{', '.join(f'{literal(name)}: {code}' for name, code in entries.items())}}}")
        return constant(value.constant, value.type, self.names)

    def pairs(self, entries: Iterable[tuple[str, Value]]) -> Code:
        """Return values by name as a dict."""
        return Code(f"{{{', '.join(f'{literal(name)}: {self.value(value)}' for name, value in entries)}}}")

    def record_for(self, value: Value) -> Record | None:
        """Return the record that a value with entries becomes, if its type is one."""
        given = {name for name, _ in value.entries or ()}
        for member in members(value.type):
            if isinstance(member, Record):
                required = {name for name, field in member.fields.items() if field.required}
                if required <= given <= set(member.fields):
                    return member
        return None

    def emission(self, emission: Emission, known: Known = NOTHING_KNOWN) -> Code:
        """Return what is emitted, as an expression."""
        match emission:
            case Emit():
                return self.emit(emission, known)
            case EmitEach():
                return self.batch(emission, known)
            case EmitAll():
                return call(Code("All"), *(self.emission(entry, known) for entry in emission.entries))
            case Fail():
                return call(Code("Fail"), self.function.template(emission.text, known))
            case Restart():
                values = {fill.field: self.value(fill.value, known) for fill in emission.fills}
                return call(Code("Restart"), construct(emission.event.record, values, self.names))
            case Nothing():
                return Code("None")

    def emit(self, emit: Emit, known: Known) -> Code:
        """Return an event, its fields in the order in which the event declares them."""
        values = {fill.field: self.value(fill.value, known) for fill in emit.fills}
        ordered = {name: values[name] for name in emit.event.record.fields if name in values}
        return construct(emit.event.record, ordered, self.names)

    def batch(self, batch: EmitEach, known: Known) -> Code:
        """Return a batch with one event for each item."""
        items = self.function.expression(batch.items, known)
        names = self.function.names.inner()
        item = names.give(local_name(batch.name))
        index, whole = names.give("loop_index"), names.give("loop_items")
        of_loop = {"index": index, "first": f"{index} == 1", "last": f"{index} == len({whole})"}
        inside: dict[Path, Code] = {("loop", name): Code(code) for name, code in of_loop.items()}
        if batch.name == "loop":
            inside.clear()
        event = self.emit(batch.emit, {**known, **inside, (batch.name,): item})
        source = call(Code("filters.at_most"), self.function.bound(batch.max), items)
        words = re.findall(r"\w+", event)  # most batches ask for neither
        loop = f"for {item} in {source}"
        if whole in words:
            loop = f"for {whole} in [{source}] for {index}, {item} in enumerate({whole}, 1)"
        elif index in words:
            loop = f"for {index}, {item} in enumerate({source}, 1)"
        events = Code(f"[{event} {loop}]")
        if not self.told_apart and batch.concurrency is None:
            return events
        named: dict[str, Code] = {}
        if isinstance(batch.concurrency, Expression):
            named["concurrency"] = self.function.expression(batch.concurrency, known)
        elif batch.concurrency is not None:
            named["concurrency"] = literal(batch.concurrency)
        return call(Code("Batch"), self.names.of(batch.emit.event.record), events, **named)

    def emitted(self, emission: Emission) -> Code:
        """Return the type of what is emitted, for the signature."""
        match emission:
            case Emit():
                return self.names.of(emission.event.record)
            case EmitEach():
                return Code(f"list[{self.names.of(emission.emit.event.record)}]")
            case EmitAll():
                return Code(f"All[{', '.join(self.emitted(entry) for entry in emission.entries)}]")
            case Fail():
                return Code("Fail")
            case Restart():
                return Code("Restart")
            case Nothing():
                return Code("None")
