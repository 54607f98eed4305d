"""The use of a filter: its arguments against its signature, and what its own check needs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol

from wfc.compiler.diagnostics import Finding, Place
from wfc.compiler.expressions.syntax.tree import Constant, FilterCall, Node, RecordDisplay, walk
from wfc.compiler.expressions.typing import comparisons, fields, hints
from wfc.compiler.expressions.typing.reporter import TypeReporter
from wfc.compiler.expressions.typing.scope import TypeSource
from wfc.compiler.rules import expression_names as name_problems
from wfc.compiler.rules import expressions as expression_problems
from wfc.compiler.rules import operands as operand_problems
from wfc.compiler.rules.spelling import nearest
from wfc.compiler.slotted import dataclass, field
from wfc.compiler.types import UNKNOWN, ListOf, OneOf, Record, Type, assignable, base, may_be_null, show

__all__ = ["CheckedFilter", "FilterParameter", "FilterSignature"]

CONSTRUCTED: Final = frozenset({"type", "output", "built in"})
"""The kinds of records of which an expression may make new ones."""


@dataclass(frozen=True, slots=True)
class FilterParameter:
    """A parameter of a filter, given in parentheses.

    Args:
        type: What an argument must be; ``None``: the filter judges for itself.
        required: Whether it must be given.
        constant: Whether it must be written out, so that the compiler can read it.
    """

    name: str
    type: Type | None = None
    required: bool = False
    constant: bool = False


class FilterSignature(Protocol):
    """The interface of a filter that typing needs."""

    @property
    def name(self) -> str:
        """Return its name."""
        ...

    @property
    def takes(self) -> str:
        """Return what it is used on, in words."""
        ...

    @property
    def takes_null(self) -> bool:
        """Return whether it may be used on what may be null."""
        ...

    @property
    def takes_fields(self) -> bool:
        """Return whether its arguments have the names of the fields of what it is used on."""
        ...

    @property
    def parameters(self) -> Sequence[FilterParameter]:
        """Return what it takes in parentheses."""
        ...

    def check(self, use: CheckedFilter, /) -> Type:
        """Return the type of what a use gives; report what does not fit."""
        ...


@dataclass(slots=True)
class CheckedFilter:
    """A filter's use, to be typed.

    Args:
        subject: The type of what is filtered.
        types: Reads a type that stands in an argument.
    """

    reporter: TypeReporter
    node: FilterCall
    filter: FilterSignature
    subject: Type
    types: TypeSource
    bound: dict[str, Node] = field(default_factory=dict)

    def wrong(self, finding: Finding) -> Type:
        """Report a finding about this use."""
        return self.reporter.wrong(finding)

    def bind(self) -> bool:
        """Bind each parameter to its argument; return whether all fit as far as the signature says."""
        if self.filter.takes_fields:
            return self.bind_fields()
        parameters = list(self.filter.parameters)
        signature = f"{self.filter.name}({', '.join(each.name for each in parameters)})"
        for name, argument in self.node.arguments:
            parameter = next((each for each in parameters if name in (None, each.name)), None)
            place = self.reporter.at(argument)
            if parameter is None:
                named = (
                    argument.value if isinstance(argument, Constant) and not self.filter.parameters else None
                )
                of_field = (
                    isinstance(named, str)
                    and named.isidentifier()
                    and (
                        isinstance(self.subject, ListOf)
                        or (self.subject is UNKNOWN and self.filter.name == "sum")
                    )
                )
                instead = (
                    f'take the field first: `| pluck("{named}") | {self.filter.name}`'
                    if of_field
                    else self.meant_otherwise(argument)
                )
                self.wrong(
                    operand_problems.unexpected_argument(
                        place, self.filter.name, name or "", signature, instead
                    )
                )
                return False
            parameters.remove(parameter)
            self.bound[parameter.name] = argument
            if not self.argument_fits(parameter, argument):
                return False
        missing = [each.name for each in parameters if each.required]
        if missing:
            place = self.reporter.place.stretch(self.node.name_start, self.node.name_end)
            self.wrong(operand_problems.missing_argument(place, self.filter.name, missing[0], signature))
            return False
        self.node.bound = self.bound
        return True

    def meant_otherwise(self, argument: Node) -> str:
        """Return what to write for an argument too many: the form of a moment, or the fraction of a number."""
        text, value = self.reporter.text, argument.value if isinstance(argument, Constant) else None
        if self.filter.name in {"date", "datetime"} and isinstance(value, str) and "%" in value:
            return f"how a moment is written says `| format({text[argument.start : argument.end]})`"
        before = max((each.end for each in self.bound.values()), default=0)
        first = next((each for each in self.bound.values() if each.end == before), None)
        both = [each.value for each in (first, argument) if isinstance(each, Constant)]
        if first is not None and all(type(each) is int for each in both) and len(both) == 2:
            written = text[first.start : argument.end]
            return (
                f"a fraction stands behind a point: `{written.replace(',', '.')}`"
                if " " not in written
                else ""
            )
        return ""

    def bind_fields(self) -> bool:
        """Bind the fields of a record to the values that are given for them; return whether all fit."""
        record = base(self.subject)
        if record == UNKNOWN:
            return False
        if not isinstance(record, Record) or record.role not in CONSTRUCTED:
            self.misfit()
            return False
        signature = f"{self.filter.name}(field=value)"
        for name, argument in self.node.arguments:
            place = self.reporter.at(argument)
            if name is None:
                self.wrong(operand_problems.unexpected_argument(place, self.filter.name, "", signature))
                return False
            named = self.place_of_name(name, argument)
            if name in self.bound:
                self.wrong(expression_problems.key_twice(named, name))
                return False
            field = fields.item_field(record, name, named, self.reporter.words(self.node.of))
            if isinstance(field, Finding):
                self.wrong(field)
                return False
            self.bound[name] = argument
            if not self.field_fits(argument, field):
                return False
        if not self.bound:
            place = self.reporter.place.stretch(self.node.name_start, self.node.name_end)
            self.wrong(operand_problems.missing_argument(place, self.filter.name, "field", signature))
            return False
        self.node.bound = self.bound
        return True

    def field_fits(self, argument: Node, wanted: Type) -> bool:
        """Return whether a value may be that of a field; report it if not."""
        given = comparisons.adapt(argument, argument.type, wanted)
        if UNKNOWN in (given, wanted):
            return given != UNKNOWN
        if may_be_null(given) and not may_be_null(wanted):
            given = self.reporter.not_null(argument, given, use=f"by `{self.filter.name}`")
        if given == UNKNOWN or assignable(given, wanted):
            return given != UNKNOWN
        place, found = self.reporter.at(argument), show(base(given))
        self.wrong(operand_problems.wrong_argument(place, self.filter.name, show(wanted), found))
        return False

    def place_of_name(self, name: str, argument: Node) -> Place:
        """Return where the name of an argument stands, before its `=`."""
        start = self.reporter.text.rfind(name, self.node.name_end, argument.start)
        return (
            self.reporter.at(argument) if start < 0 else self.reporter.place.stretch(start, start + len(name))
        )

    def argument_fits(self, parameter: FilterParameter, argument: Node) -> bool:
        if argument.type == UNKNOWN:
            return True
        place = self.reporter.at(argument)
        if parameter.constant and not isinstance(argument, Constant):
            self.wrong(operand_problems.argument_not_constant(place, self.filter.name, parameter.name))
            return False
        if parameter.type is not None and not assignable(argument.type, parameter.type):
            found = show(base(argument.type))
            self.wrong(operand_problems.wrong_argument(place, self.filter.name, show(parameter.type), found))
            return False
        return True

    def misfit(self) -> Type:
        """Report that the filter is not for what it is used on, unless that is not known, as has been told."""
        node, subject = self.node.of, base(self.subject)
        if isinstance(subject, ListOf) and subject.item is UNKNOWN:
            return UNKNOWN
        words, name, takes = self.reporter.words(node), self.filter.name, self.filter.takes
        hint = hints.for_misfit(words, subject, name, takes)
        place = self.reporter.at(node)
        return self.wrong(operand_problems.wrong_filter(place, words, show(subject), name, takes, hint))

    def constant(self, name: str) -> object:
        """The value of an argument that is written out; ``None`` if it is not given."""
        argument = self.bound.get(name)
        return argument.value if isinstance(argument, Constant) else None

    def adapted(self, name: str, wanted: Type) -> Type:
        """The type of an argument, where a text may stand for a date, a decimal and their like."""
        argument = self.bound[name]
        return comparisons.adapt(argument, argument.type, wanted)

    def item(self) -> Type:
        """The type of the items of a list, or of their field if the argument ``field`` names one."""
        assert isinstance(self.subject, ListOf)
        argument = self.bound.get("field")
        if not isinstance(argument, Constant) or not isinstance(argument.value, str):
            return self.subject.item
        inside = self.reporter.place.stretch(argument.start + 1, argument.end - 1)
        if "\\" in self.reporter.text[argument.start : argument.end]:
            inside = self.reporter.at(argument)
        found = fields.item_field(self.subject.item, argument.value, inside, "an item")
        if not isinstance(found, Finding):
            return found
        slip = self.misspelt_key(argument.value) if found.code == "only-some-have" else None
        return self.wrong(slip or found)

    def misspelt_key(self, field: str) -> Finding | None:
        """Return the finding for a key that is misspelt in one of the records written out in the list.

        Only where the others have no field of that name, so that it can mean nothing else.
        """
        assert isinstance(self.subject, ListOf) and isinstance(self.subject.item, OneOf)
        records = [each for each in self.subject.item.types if isinstance(each, Record)]
        known = {name for each in records if field in each.fields for name in each.fields}
        for node in walk(self.node.of):
            if not isinstance(node, RecordDisplay):
                continue
            keys = {str(key.value): key for key, _ in node.entries}
            missing = sorted(known - keys.keys())
            slip = next((key for key in keys if key not in known and nearest(key, missing) == field), None)
            if field not in keys and slip is not None:
                place = self.reporter.at(keys[slip])
                return name_problems.unknown_field(place, slip, "a record beside it", missing)
        return None
