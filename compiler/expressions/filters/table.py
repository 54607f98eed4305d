"""What a filter is: its signature, its documentation, its types, its Python."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from wfc.compiler.diagnostics import Finding
from wfc.compiler.expressions.python.pieces import Piece, call, method
from wfc.compiler.expressions.syntax.tree import Compare, Constant, FilterCall, Node
from wfc.compiler.expressions.typing.comparisons import adapt
from wfc.compiler.expressions.typing.fields import item_field
from wfc.compiler.rules import operands as operand_problems
from wfc.compiler.slotted import dataclass, field
from wfc.compiler.types import UNKNOWN, ListOf, Type, assignable, base, members, show

if TYPE_CHECKING:
    from wfc.compiler.expressions.typing.checker import Typing

__all__ = ["Call", "Filter", "Parameter", "Speller", "Spelling", "simple"]


@dataclass(frozen=True, slots=True)
class Parameter:
    """What a filter takes in parentheses.

    Args:
        type: What an argument must be; ``None``: the filter judges for itself.
        required: Whether it must be given.
        constant: Whether it must be written out, so that the compiler can read it.
    """

    name: str
    type: Type | None = None
    required: bool = False
    constant: bool = False


class Speller(Protocol):
    """What makes pieces of nodes."""

    def piece(self, node: Node) -> Piece:
        """The Python of a node."""
        ...

    def text(self, value: str) -> Piece:
        """A text as a literal."""
        ...

    def comparison(self, node: Compare, left: Piece) -> Piece:
        """A comparison whose left side is a piece already."""
        ...

    def membership(self, item: Piece, kind: Type, items: Piece, container: Type) -> Piece:
        """Whether something of a kind is in a text, a list or a map."""
        ...

    def exact(self, node: Node, target: Type) -> Piece:
        """A value beside others of a type: where that is exact, so is it."""
        ...

    def joined(self, items: Sequence[Node], separator: str) -> Piece:
        """Scalars as one text."""
        ...

    def local(self, *used: Piece) -> str:
        """A name for an item that no piece uses."""
        ...

    def attribute(self, name: str, path: str) -> Piece:
        """The field at a path of the record that a local name stands for."""
        ...


@dataclass(frozen=True, slots=True)
class Spelling:
    """A filter's use, to be spelled."""

    node: FilterCall
    speller: Speller
    subject: Piece
    arguments: Mapping[str, Piece]

    @property
    def type(self) -> Type:
        """The type of what is filtered."""
        return self.node.of.type

    def constant(self, name: str) -> object:
        """The value of an argument that is written out; ``None`` if it is not given."""
        argument = self.node.bound.get(name)
        return argument.value if isinstance(argument, Constant) else None


@dataclass(frozen=True, slots=True)
class Filter:
    """A filter.

    Args:
        takes: What it is used on, in words for the reference.
        gives: What it makes of it, in words.
        doc: One sentence, or two.
        example: An expression that uses it, and what that gives, as JSON.
        check: The type of what it gives; reports what does not fit.
        spell: Its Python.
        takes_null: Whether it may be used on what may be null.
    """

    name: str
    takes: str
    gives: str
    doc: str
    example: tuple[str, str]
    parameters: tuple[Parameter, ...]
    check: Callable[[Call], Type]
    spell: Callable[[Spelling], Piece]
    takes_null: bool = False


@dataclass(slots=True)
class Call:
    """A filter's use, to be typed.

    Args:
        subject: The type of what is filtered.
    """

    typing: Typing
    node: FilterCall
    filter: Filter
    subject: Type
    bound: dict[str, Node] = field(default_factory=dict)

    def wrong(self, finding: Finding) -> Type:
        """Report a finding about this use."""
        return self.typing.wrong(finding)

    def bind(self) -> bool:
        """Give each parameter its argument; whether all fit as far as the signature says."""
        parameters = list(self.filter.parameters)
        signature = f"{self.filter.name}({', '.join(each.name for each in parameters)})"
        for name, argument in self.node.arguments:
            parameter = next((each for each in parameters if name in (None, each.name)), None)
            place = self.typing.at(argument)
            if parameter is None:
                self.wrong(
                    operand_problems.unexpected_argument(place, self.filter.name, name or "", signature)
                )
                return False
            parameters.remove(parameter)
            self.bound[parameter.name] = argument
            if not self.argument_fits(parameter, argument):
                return False
        missing = [each.name for each in parameters if each.required]
        if missing:
            place = self.typing.place.stretch(self.node.name_start, self.node.name_end)
            self.wrong(operand_problems.missing_argument(place, self.filter.name, missing[0], signature))
            return False
        self.node.bound = self.bound
        return True

    def argument_fits(self, parameter: Parameter, argument: Node) -> bool:
        if argument.type == UNKNOWN:
            return True
        place = self.typing.at(argument)
        if parameter.constant and not isinstance(argument, Constant):
            self.wrong(operand_problems.argument_not_constant(place, self.filter.name, parameter.name))
            return False
        if parameter.type is not None and not assignable(argument.type, parameter.type):
            found = show(base(argument.type))
            self.wrong(operand_problems.wrong_argument(place, self.filter.name, show(parameter.type), found))
            return False
        return True

    def misfit(self) -> Type:
        """Report that the filter is not for what it is used on."""
        node = self.node.of
        shown = show(base(self.subject))
        return self.wrong(
            operand_problems.wrong_filter(
                self.typing.at(node), self.typing.words(node), shown, self.filter.name, self.filter.takes
            )
        )

    def constant(self, name: str) -> object:
        """The value of an argument that is written out; ``None`` if it is not given."""
        argument = self.bound.get(name)
        return argument.value if isinstance(argument, Constant) else None

    def adapted(self, name: str, wanted: Type) -> Type:
        """The type of an argument, where a text may stand for a date, a decimal and their like."""
        argument = self.bound[name]
        return adapt(argument, argument.type, wanted)

    def item(self) -> Type:
        """The type of the items of a list, or of their field if the argument ``field`` names one."""
        assert isinstance(self.subject, ListOf)
        argument = self.bound.get("field")
        if not isinstance(argument, Constant) or not isinstance(argument.value, str):
            return self.subject.item
        inside = self.typing.place.stretch(argument.start + 1, argument.end - 1)
        if "\\" in self.typing.text[argument.start : argument.end]:
            inside = self.typing.at(argument)
        found = item_field(self.subject.item, argument.value, inside, "an item")
        return self.wrong(found) if isinstance(found, Finding) else found


def simple(
    name: str,
    takes: Type | tuple[Type, ...],
    gives: Type,
    python: str,
    doc: str,
    example: tuple[str, str],
    *parameters: Parameter,
) -> Filter:
    """A filter from one scalar to another.

    Args:
        python: A method (``.upper``) or a function (``len``, ``filters.trim``) that gets the arguments too.
    """
    kinds = takes if isinstance(takes, tuple) else (takes,)

    def check(use: Call) -> Type:
        if all(base(each) in kinds for each in members(use.subject)):
            return gives
        return use.misfit()

    def spell(use: Spelling) -> Piece:
        arguments = [use.arguments[each.name] for each in parameters if each.name in use.arguments]
        if python.startswith("."):
            return method(use.subject, python[1:], *arguments)
        return call(python, use.subject, *arguments)

    return Filter(name, " or ".join(map(show, kinds)), show(gives), doc, example, parameters, check, spell)
