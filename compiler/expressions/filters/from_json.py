"""The filter that reads JSON as a type, which is written as a text: ``from_json("list of Order")``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from wfc.compiler.diagnostics import Finding
from wfc.compiler.expressions.python import pieces
from wfc.compiler.expressions.python.annotations import annotation, is_class, records_in
from wfc.compiler.expressions.python.f_strings import NoFStringError
from wfc.compiler.expressions.python.node_printer import NodePrinter
from wfc.compiler.expressions.syntax.tree import Constant
from wfc.compiler.expressions.typing.filter_calls import CheckedFilter
from wfc.compiler.python.literals import Code, class_name
from wfc.compiler.rules import types as type_problems
from wfc.compiler.slotted import dataclass, replace
from wfc.compiler.types import STRING, Enumeration, Record, Type, base

if TYPE_CHECKING:
    from wfc.compiler.expressions.python.filter_calls import PrintedFilter
    from wfc.compiler.expressions.python.pieces import Piece

__all__ = ["check", "to_python"]


def check(use: CheckedFilter) -> Type:
    """Return the type that the text is read as; report what is wrong with how it is written."""
    if base(use.subject) != STRING:
        return use.misfit()
    argument = use.bound["type"]
    assert isinstance(argument, Constant)
    written, whole = str(argument.value), use.reporter.at(argument)
    if not written.strip():
        found = type_problems.not_a_type(whole, "")
        return use.wrong(replace(found, hint="write a name, `list of T`, `map of T` or `optional T`"))
    escapes = "\\" in use.reporter.text[argument.start : argument.end]

    def report(finding: Finding) -> None:
        found = replace(finding, place=whole, fix=None) if escapes else finding
        use.wrong(named_types_only(found))

    # with blanks for all that stands before it, so that words stand where they do in the whole text
    return use.types(" " * (argument.start + 1) + written, whole, report)


def named_types_only(finding: Finding) -> Finding:
    """Return a finding whose hint shows nothing in braces, for which there is no place in a text."""
    if "{" not in finding.hint:
        return finding
    return replace(finding, hint="declare such a type under `types`, and write its name here")


@dataclass(frozen=True, slots=True)
class NamesOfClasses:
    """The Python names of records and of enumerations that have a name, where an expression is printed."""

    printer: NodePrinter
    enumerations: Mapping[str, Code]

    def of(self, record: Record) -> Code:
        """Return the class name of a record."""
        return Code(self.printer.class_of(record))


def to_python(use: PrintedFilter) -> Piece:
    """Print the call, with the type as a class where it is one."""
    type = use.node.type
    named = (each for each in records_in(type) if isinstance(each, Enumeration))
    names = NamesOfClasses(use.printer, {each.name: Code(class_name(each.name)) for each in named})
    spelled = annotation(type, names)
    if not is_class(type):
        spelled = Code(f"Output[{spelled}]({spelled})")
    if use.printer.quotes is not None and '"' in spelled:
        raise NoFStringError
    return pieces.call("filters.from_json", use.subject, spelled)
