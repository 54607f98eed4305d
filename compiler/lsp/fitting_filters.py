"""Which filters fit a value in an expression that is being written, and how a filter is explained."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Final

from wfc.compiler.diagnostics import Finding, Place
from wfc.compiler.expressions import Scope
from wfc.compiler.expressions.conditions.narrowing import EMPTY, KINDS
from wfc.compiler.expressions.filters import FILTERS
from wfc.compiler.expressions.filters.definition import Filter
from wfc.compiler.expressions.syntax.lexer import UnreadableError
from wfc.compiler.expressions.syntax.reading import read_expression
from wfc.compiler.expressions.syntax.tree import FilterCall, Node, paths_in, walk
from wfc.compiler.expressions.typing.checker import TypeChecker
from wfc.compiler.lsp.scope import Loops, accepted, fields_behind, step_at, table
from wfc.compiler.resolve.declarations.types import is_record, words_of_type
from wfc.compiler.slotted import dataclass
from wfc.compiler.types import UNKNOWN, Record, Type, may_be_null, parse_fields, parse_type, without_null

__all__ = ["TESTS_IN_WORDS", "about_filter", "filters_for", "signature_of"]

HERE: Final = Place(("here",))
BEGINS: Final = re.compile(r"[(\[,{]|\b(?:and|or|not|if|else|elif|in)\b|[<>=~+*/]")
"""After what a value may begin, if it is not all that was written."""

LONGEST: Final = 500
MOST_ENDINGS: Final = 20
"""So many code points of an expression, and so many places where the value may begin, are looked at."""

MISFITS: Final = frozenset({"wrong-filter", "cannot-order", "no-fields"})
"""The findings that say that a filter is not for a value."""

WHOLE: Final = frozenset({"llm", "agent", "http", "tool", "command"})
"""The kinds of steps whose result is what `output` says."""

ANY: Final = "json"
"""A filter for any value."""

FOR_ALL: Final = "any value"
NULL: Final = "default"
"""The filter for what may be null."""

TESTS_IN_WORDS: Final[Mapping[str, str]] = {
    "none": "Whether it is null.",
    EMPTY: "Whether it is a text, a list or a map with nothing in it, or null.",
    **{
        name: f"Whether it is {'an' if name[0] in 'aeiou' else 'a'} {name}, where it may be of several types."
        for name in KINDS
    },
}
"""What may stand after `is`, besides the names of events and types."""

LINK: Final = re.compile(r"\[([^\]]+)\]\(#[^)]*\)")


@dataclass(frozen=True, slots=True)
class Fitting:
    """The filters that fit a value, the most telling first, and whether no others do."""

    filters: tuple[Filter, ...]
    is_sure: bool


class NamedTypes(Mapping[str, Type]):
    """The types and events of a spec as they are written, each read when it is asked for."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.written = {**table(data, "types"), **table(data, "events")}
        self.events = table(data, "events")
        self.known: dict[str, Type] = {}
        self.unread: list[Record] = []

    def __getitem__(self, name: str) -> Type:
        self.resolve(name)
        while self.unread:  # a chain of records may be as long as the spec
            record = self.unread.pop()
            self.resolve_all(self.written[record.name])
            parse_fields(self.written[record.name], HERE, self.known, ignore, record)
        return self.known[name]

    def resolve(self, name: str) -> None:
        """Get to know a type; of a record its name alone, for its fields may mention any other and are read later."""
        if name in self.known:
            return
        said = self.written[name]
        if is_record(said):
            record = Record(name, role="event" if name in self.events else "type")
            self.known[name] = record
            self.unread.append(record)
        else:
            self.known[name] = UNKNOWN  # while it is read: it must not be of itself
            self.resolve_all(said)
            self.known[name] = parse_type(said, HERE, self.known, ignore, name)

    def resolve_all(self, said: Any) -> None:
        """Get to know all types that one mentions."""
        for each in words_of_type(said):
            if each in self.written:
                self.resolve(each)

    def __iter__(self) -> Iterator[str]:
        return iter(self.written)

    def __len__(self) -> int:
        return len(self.written)


def ignore(_finding: Finding) -> None:
    """Take no note: the check tells what is wrong."""


def filters_for(before: str, data: Mapping[str, Any], path: tuple[str, ...], loops: Loops) -> Fitting:
    """Return the filters that may follow a value.

    Args:
        before: The expression up to the ``|``.
        data: What the document says, with all that it imports.
        path: Of the text that it stands in.
        loops: See ``loops_before``.
    """
    try:
        return fitting_of(before, data, path, loops) or Fitting(tuple(FILTERS.values()), False)
    except RecursionError:  # a type of types of types, which the check refuses
        return Fitting(tuple(FILTERS.values()), False)


def fitting_of(before: str, data: Mapping[str, Any], path: tuple[str, ...], loops: Loops) -> Fitting | None:
    """Return the filters that fit the type of a value; ``None`` if that is not known."""
    types = NamedTypes(data)
    for value in endings(before.rstrip("| ")):
        try:
            tree, _ = read_expression(f"{value} | {ANY}", HERE)
        except UnreadableError:
            continue
        scope = Scope(names_in(tree, types, data, path, loops))
        TypeChecker(f"{value} | {ANY}", HERE, ignore, FILTERS).type_of(tree, scope)
        kind = subject_of(tree, len(value))
        if kind is UNKNOWN:
            return None
        fits = [each for each in FILTERS.values() if takes(each, kind)]
        fits.sort(key=lambda each: (each.name != NULL, each.takes == FOR_ALL))
        several = len(accepted(step_at(data, path).get("accepts"))) > 1
        return Fitting(tuple(fits), not several and len(before) <= LONGEST)
    return None


def subject_of(tree: Node, end: int) -> Type:
    """Return the type of what the filter at an end of a text is used on."""
    used = [each for each in walk(tree) if isinstance(each, FilterCall) and each.name_start > end]
    return used[0].of.type if used else UNKNOWN


def endings(said: str) -> Iterator[str]:
    """Yield what may be the value at the end of an expression: all of it, or what stands in brackets at its end.

    Of a long one only what begins near its end, for each of them is read at each key.
    """
    if len(said) <= LONGEST:
        yield said
    near = said[-LONGEST:]
    for found in [*BEGINS.finditer(near)][-MOST_ENDINGS:]:
        yield near[found.end() :]


def names_in(
    tree: Node, types: NamedTypes, data: Mapping[str, Any], path: tuple[str, ...], loops: Loops
) -> dict[str, Type]:
    """Return the types of the names that an expression begins with."""
    found: dict[str, Type] = {}
    for name in {each[0] for each in paths_in([tree])}:
        if name == "events":
            continue  # how they exclude each other is for the check
        record = Record(name, role="namespace")
        written = fields_behind(data, path, name, loops)
        kind = whole_type(name, data, path, loops)
        if kind is not None:
            found[name] = parse_type(kind, HERE, types, ignore, name)
        elif written:
            parse_fields(written, HERE, types, ignore, record)
            found[name] = record
    return found


def whole_type(name: str, data: Mapping[str, Any], path: tuple[str, ...], loops: Loops) -> Any:
    """Return the type that a name stands for as a whole, as it is written; ``None`` if it is a record of fields."""
    step = step_at(data, path)
    kind = str(step.get("kind"))
    if name != "result" or kind not in WHOLE:
        return None
    return step.get("output", "string" if kind == "llm" else None)


def takes(each: Filter, kind: Type) -> bool:
    """Return whether a filter is of use for a type, null aside, as it is used in its own example."""
    if each.name == NULL:
        return may_be_null(kind)
    may_stand_alone = not any(one.required for one in each.parameters)
    calls = [call_of(each), *([each.name] if may_stand_alone else [])]
    return any(MISFITS.isdisjoint(codes_of(f"value | {call}", kind)) for call in calls)


def codes_of(text: str, kind: Type) -> set[str]:
    """Return what is found in an expression in which ``value`` is of a type."""
    codes: set[str] = set()
    tree, _ = read_expression(text, HERE)
    checker = TypeChecker(text, HERE, lambda finding: codes.add(finding.code), FILTERS)
    checker.type_of(tree, Scope({"value": without_null(kind)}))
    return codes


@cache
def call_of(each: Filter) -> str:
    """Return the use of a filter as it stands in its example: ``truncate(7)``."""
    used = re.search(rf"\b{each.name}(\([^)]*\))?", each.example[0].partition("|")[2])
    return each.name if used is None or not (each.parameters or each.takes_fields) else used[0]


def about_filter(each: Filter) -> str:
    """Return what a filter does, with an example, in Markdown."""
    said = LINK.sub(r"\1", each.doc)  # links of the reference lead nowhere in an editor
    text, gives = each.example
    return f"{said}\n\nExample: `{text}` gives `{gives}`"


def signature_of(each: Filter) -> str:
    """Return a filter with what it takes in parentheses, and from what it makes what."""
    named = (
        "field=value, …"
        if each.takes_fields
        else ", ".join(one.name if one.required else f"{one.name}?" for one in each.parameters)
    )
    return f"{each.name}({named})" if named else each.name
