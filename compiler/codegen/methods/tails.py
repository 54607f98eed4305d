"""The tail of a step → statements: everything is computed first, and assigned last."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Final

from wfc.compiler.codegen.bindings import Bindings
from wfc.compiler.codegen.layout.expressions import INDENT
from wfc.compiler.codegen.layout.statements import fit
from wfc.compiler.codegen.literals.brackets import after_star, beside_and
from wfc.compiler.codegen.literals.constants import call
from wfc.compiler.codegen.literals.functions import FunctionBuilder, Path
from wfc.compiler.codegen.literals.values import ValueWriter
from wfc.compiler.codegen.methods.only_event import OnlyEvent
from wfc.compiler.codegen.methods.uses import mentioned_paths, paths_of_entry, state_fields
from wfc.compiler.codegen.methods.writer import BODY
from wfc.compiler.codegen.names import ModuleNames
from wfc.compiler.expressions.python.annotations import annotation, union
from wfc.compiler.model import Emission, Emit, Entry, Exit, Merge, Nothing, Save
from wfc.compiler.python.literals import Code, field_name, literal, local_name
from wfc.compiler.slotted import dataclass, field
from wfc.compiler.types import (
    NO_CONSTRAINTS,
    STRING,
    Enumeration,
    ListOf,
    MapOf,
    Record,
    Type,
    members,
    without_null,
)

__all__ = ["BODY", "TailWriter"]


BODY_OF_REPLY: Final = ("error", "body")
"""What entries that ask for a body spell otherwise: it has been read as its type."""


@dataclass(slots=True)
class SavePlan:
    """The way in which a tail saves.

    Args:
        statements: Locals for what has to be computed.
        known: How conditions and emissions spell the fields that are saved.
        locals: By state field, those that there are.
        assignments: The last statements, which cannot fail.
    """

    statements: list[str] = field(default_factory=list)
    known: dict[Path, Code] = field(default_factory=dict)
    locals: dict[str, Code] = field(default_factory=dict)
    assignments: list[str] = field(default_factory=list)


class TailWriter:
    """A writer of the body of a function that saves and emits.

    Args:
        function: Where it stands; its parameters are taken on the way.
        state: The record of the run's state.
        told_apart: Whether lists of events must say which event is theirs.
        first_of: The events of a join of which some exclude each other.
        bindings: Those of the module, for an exit that reads what a service has replied.
    """

    def __init__(
        self,
        function: FunctionBuilder,
        names: ModuleNames,
        state: Record,
        *,
        told_apart: bool = False,
        first_of: Record | None = None,
        bindings: Bindings | None = None,
    ) -> None:
        self.function = function
        self.names = names
        self.state = state
        self.values = ValueWriter(function, names, told_apart=told_apart)
        self.first_of = first_of
        self.bindings = bindings

    def returns(self, exit_: Exit, *, unhandled: bool = False) -> Code:
        """Return the type of everything that may be emitted."""
        types = [self.values.emitted(entry.emission) for entry in exit_.entries]
        return union([*types, *([Code("Unhandled")] if unhandled else [])])

    def lines(self, exit_: Exit, saves: Sequence[Save], *, unhandled: bool = False) -> list[str]:
        """Return the statements.

        Args:
            exit_: The entries, of which the first that matches is taken.
            saves: The step's own.
            unhandled: Whether no entry may match, which is said by ``UNHANDLED``.
        """
        if not saves:
            body = list(self.leave_early(exit_.entries, unhandled))
        elif len(exit_.entries) == 1 and not exit_.entries[0].save:
            body = list(self.save_and_leave(exit_.entries[0].emission, saves))
        else:
            body = list(self.save_and_choose(exit_, saves, unhandled))
        if len(body) > 1 and body[-1] == "return None" and self.returns(exit_) == "None":
            body.pop()  # where nothing is ever given, what is saved is all
        return [*(line for lead in self.function.lead for line in fit(lead, BODY)), *body]

    # --- without saves of the step
    def leave_early(self, entries: Sequence[Entry], unhandled: bool) -> Iterator[str]:
        saving = [entry.emission for entry in entries if entry.save and not _cannot_fail(entry.emission)]
        if len(saving) > 1:
            yield from fit(f"emitted: {union(map(self.values.emitted, saving))}", BODY)
        only = OnlyEvent(self.function, self.first_of)
        for position, entry in enumerate(entries):
            last = position == len(entries) - 1 and not unhandled
            self.function.known.pop(BODY_OF_REPLY, None)
            condition = None if last else self.condition(entry)
            indent = BODY if condition is None else BODY + INDENT
            lines = list(self.save_and_leave(entry.emission, entry.save, indent, seen=False))
            yield from only.assertions("\n".join([condition or "", *lines]))
            if condition is None:
                yield from lines
                return
            yield from fit(f"if {condition}:", BODY)
            yield from indented(iter([*only.assertions("\n".join(lines), entry.when), *lines]))
            only.pass_over(entry)
        yield "return UNHANDLED"

    def condition(self, entry: Entry, known: Mapping[Path, Code] | None = None) -> Code | None:
        """Return the condition under which an entry is taken; ``None`` if it always is."""
        parts: list[str] = []
        if entry.errors or entry.body is not None:
            self.function.note([("error",)])
        if entry.errors:
            parts.append(call(Code("error.matches"), *map(literal, entry.errors)))
        if entry.body is not None:
            assert self.bindings is not None
            reply = self.function.names.give(Code("reply"))
            parts.append(f"({reply} := {self.bindings.body(entry.body)}.parse(error.body)) is not None")
            self.function.known[BODY_OF_REPLY] = Code(f"{reply}.value")
        if entry.when is not None:
            when = self.function.expression(entry.when, known)
            parts.append(beside_and(when) if parts else when)
        return Code(" and ".join(parts)) if parts else None

    def save_and_leave(
        self, emission: Emission, saves: Sequence[Save], indent: int = BODY, *, seen: bool = True
    ) -> Iterator[str]:
        """Yield one way to leave; ``seen``: what is emitted sees these saves (the step's, not an entry's
        own).
        """
        if not saves:
            yield from fit(f"return {self.values.emission(emission)}", indent)
            return
        self.function.note([("state",)])
        certain = _cannot_fail(emission)
        read = set(state_fields(mentioned_paths(emission))) if seen else set()
        plan = self.plan(saves, read, alone=certain)
        yield from _fitted(plan.statements, indent)
        emitted = self.values.emission(emission, plan.known if seen else {})
        if certain:
            yield from _fitted([*plan.assignments, f"return {emitted}"], indent)
            return
        yield from _fitted([f"emitted = {emitted}", *plan.assignments, "return emitted"], indent)

    def saves(self, saves: Sequence[Save]) -> list[str]:
        """Return the statements that save, and emit nothing."""
        plan = self.plan(saves, frozenset(), alone=True)
        return list(_fitted([*plan.statements, *plan.assignments], BODY))

    # --- saves, and a choice of what is emitted
    def save_and_choose(self, exit_: Exit, saves: Sequence[Save], unhandled: bool) -> Iterator[str]:
        self.function.note([("state",)])
        read = {name for entry in exit_.entries for name in state_fields(paths_of_entry(entry))}
        again = {save.field for entry in exit_.entries for save in entry.save}
        plan = self.plan(saves, read, again=again)
        yield from _fitted(plan.statements, BODY)
        yield from fit(f"emitted: {self.returns(exit_)}", BODY)
        only = OnlyEvent(self.function, self.first_of)
        for position, entry in enumerate(exit_.entries):
            last = position == len(exit_.entries) - 1 and not unhandled
            condition = None if last else self.condition(entry, plan.known)
            alone = position == 0 and condition is None
            lines = list(self.branch(entry, plan, BODY if alone else BODY + INDENT))
            lines[:0] = only.assertions("\n".join(lines), entry.when if condition else None)
            only.pass_over(entry)
            if condition is not None:
                yield from fit(f"{'elif' if position else 'if'} {condition}:", BODY)
            elif position:
                yield "else:"
            yield from lines if alone else indented(iter(lines))
            if condition is None:
                break
        else:
            yield from ("else:", " " * INDENT + "return UNHANDLED")
        yield from _fitted([*plan.assignments, "return emitted"], BODY)

    def branch(self, entry: Entry, plan: SavePlan, indent: int) -> Iterator[str]:
        """Yield one entry: its own values to save, what it emits, and then its own saves."""
        last: list[str] = []
        for save in entry.save:
            step_local = plan.locals.get(save.field)
            local = self.function.names.give(local_name(save.field))
            yield from fit(self.bound(local, save, self.saved(save, step_local)), indent)
            # a field that the step saves too is assigned below, from the step's local
            last.append(f"{step_local or f'state.{field_name(save.field)}'} = {local}")
        yield from fit(f"emitted = {self.values.emission(entry.emission, plan.known)}", indent)
        yield from last

    # --- values to save
    def plan(
        self, saves: Sequence[Save], read: Set[str], *, again: Set[str] = frozenset(), alone: bool = False
    ) -> SavePlan:
        """Return how values are computed and assigned.

        Args:
            saves: In the order written; each sees the state as it was.
            read: State fields that conditions and emissions mention, which see them as saved.
            again: State fields that an entry saves too.
            alone: Whether nothing but the assignments follows, so that one value needs no local.
        """
        plan = SavePlan()
        spelled = {save.field: self.saved(save) for save in saves}
        hard = [save for save in saves if not self.is_plain(save, spelled[save.field])]
        for save in saves:
            code, target = spelled[save.field], f"state.{field_name(save.field)}"
            if save not in hard and save.field not in again:
                plan.assignments.append(f"{target} = {code}")
                if save.value.expression is not None or save.field not in read:
                    plan.known["state", save.field] = code
                    continue
                plan.assignments.pop()
            if alone and len(hard) == 1 and save.field not in read | again:
                plan.assignments.insert(0, f"{target} = {code}")
                continue
            local = self.function.names.give(local_name(save.field))
            plan.statements.append(self.bound(local, save, code, always=save.field in again))
            plan.assignments.append(f"{target} = {local}")
            plan.known["state", save.field] = local
            plan.locals[save.field] = local
        return plan

    def is_plain(self, save: Save, spelled: Code) -> bool:
        """Return whether a value is available already, and reading it can neither fail nor be affected by
        another save.
        """
        if save.merge is not None and save.merge.how != "last":
            return False
        if save.value.expression is None:
            return save.value.template is None and save.value.items is None and save.value.entries is None
        return _dotted(spelled) and not spelled.startswith("state.")

    def saved(self, save: Save, before: str | None = None) -> Code:
        """Return a value to save, merged with the present one, and checked against its field's bounds.

        Args:
            before: What the step itself saves, where this save is an entry's own.
        """
        spelled = self.values.value(save.value)
        if save.merge is not None:
            there = Code(before or f"state.{field_name(save.field)}")
            spelled = merged_value(there, spelled, save.merge, written_out=save.value.items is not None)
        if self.state.fields[save.field].constraints != NO_CONSTRAINTS:
            return call(Code("state.checked"), literal(str(field_name(save.field))), spelled)
        return spelled

    def bound(self, local: Code, save: Save, spelled: Code, *, always: bool = False) -> str:
        """Return ``local = value``, with the field's type where Python would infer another one from the
        value.
        """
        wanted = self.state.fields[save.field].type
        found = save.value.expression.type if save.value.expression is not None else None
        if save.value.template is not None:
            found = STRING
        known = found in (wanted, without_null(wanted)) and not _has_enumeration(wanted)
        if not always and (known or _dotted(spelled)):
            return f"{local} = {spelled}"
        return f"{local}: {annotation(wanted, self.names)} = {spelled}"


def merged_value(there: Code, new: Code, merge: Merge, *, written_out: bool) -> Code:
    """Return what a state field holds after a save."""
    if merge.how == "append":
        return Code(
            f"[*{there}, {new[1:-1]}]" if written_out and new != "[]" else f"[*{there}, *{after_star(new)}]"
        )
    if merge.how == "by":
        key = Code(f"lambda item: item.{field_name(merge.by)}")
        return call(Code("filters.merged_by"), there, new, key)
    return new


def indented(lines: Iterator[str]) -> Iterator[str]:
    return (" " * INDENT + line for line in lines)


def _fitted(statements: Sequence[str], indent: int) -> Iterator[str]:
    return (line for statement in statements for line in fit(statement, indent))


def _dotted(code: str) -> bool:
    return all(part.isidentifier() for part in code.split("."))


def _has_enumeration(type_: Type) -> bool:
    match type_:
        case Enumeration():
            return True
        case ListOf():
            return _has_enumeration(type_.item)
        case MapOf():
            return _has_enumeration(type_.value)
    return any(_has_enumeration(member) for member in members(type_) if member is not type_)


def _cannot_fail(emission: Emission) -> bool:
    return isinstance(emission, Nothing) or (isinstance(emission, Emit) and not emission.fills)
