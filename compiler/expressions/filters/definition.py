"""What a filter is: its signature, its documentation, its types, its Python.

A new filter is one :class:`Filter` in ``texts``, ``scalars``, ``lists`` or ``records`` beside this file. A function
that its Python calls as ``filters.name`` stands in ``wfc/runtime/values/filters.py``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from wfc.compiler.expressions.python import pieces
from wfc.compiler.expressions.typing.filter_calls import CheckedFilter, FilterParameter
from wfc.compiler.slotted import dataclass
from wfc.compiler.types import Type, base, members, show

if TYPE_CHECKING:
    from wfc.compiler.expressions.python.filter_calls import PrintedFilter
    from wfc.compiler.expressions.python.pieces import Piece

__all__ = ["CheckedFilter", "Filter", "FilterParameter", "simple"]


@dataclass(frozen=True, slots=True)
class Filter:
    """A filter.

    Args:
        takes: What it is used on, in words for the reference.
        gives: What it makes of it, in words.
        doc: One sentence, or two.
        example: An expression that uses it, and what that gives, as JSON.
        check: The type of what it gives; reports what does not fit.
        to_python: Its Python.
        takes_null: Whether it may be used on what may be null.
        takes_fields: Whether its arguments have the names of the fields of what it is used on.
    """

    name: str
    takes: str
    gives: str
    doc: str
    example: tuple[str, str]
    parameters: tuple[FilterParameter, ...]
    check: Callable[[CheckedFilter], Type]
    to_python: Callable[[PrintedFilter], Piece]
    takes_null: bool = False
    takes_fields: bool = False


def simple(
    name: str,
    takes: Type | tuple[Type, ...],
    gives: Type,
    python: str,
    doc: str,
    example: tuple[str, str],
    *parameters: FilterParameter,
) -> Filter:
    """A filter from one scalar to another.

    Args:
        python: A method (``.upper``) or a function (``len``, ``filters.trim``) that gets the arguments too.
    """
    kinds = takes if isinstance(takes, tuple) else (takes,)

    def check(use: CheckedFilter) -> Type:
        if all(base(each) in kinds for each in members(use.subject)):
            return gives
        return use.misfit()

    def to_python(use: PrintedFilter) -> Piece:
        arguments = [use.arguments[each.name] for each in parameters if each.name in use.arguments]
        if python.startswith("."):
            return pieces.method(use.subject, python[1:], *arguments)
        return pieces.call(python, use.subject, *arguments)

    return Filter(
        name, " or ".join(map(show, kinds)), show(gives), doc, example, parameters, check, to_python
    )
