"""What a spec declares, by name: the tables in which every later pass looks names up."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Generic, TypeVar

from wfc.compiler.diagnostics import Address, Finding, Place, Report
from wfc.compiler.python.literals import normal_form
from wfc.compiler.slotted import dataclass, field, replace
from wfc.compiler.types import UNKNOWN, Type

__all__ = ["Data", "Node", "Table", "UnreadTypes", "entries", "never_named", "one_or_many"]

Data = Mapping[str, object]
"""A mapping of the spec, as it is written."""

Node = TypeVar("Node")


UnknownName = Callable[[Place, str, Iterable[str]], Finding]


def entries(section: object, address: Address) -> Iterator[tuple[str, object, Address]]:
    """Yield the entries of a mapping in the spec: name in normal form, what is written there, its address."""
    if isinstance(section, dict):
        for key, content in section.items():
            yield normal_form(key), content, (*address, key)


def one_or_many(content: object, place: Place) -> list[tuple[object, Place]]:
    """Return the items of a list, each with its place; a value that is not a list counts as its only item."""
    if isinstance(content, list):
        return [(each, place / index) for index, each in enumerate(content)]
    return [(content, place)]


def never_named(place: Place, name: str, known: Iterable[str]) -> Finding:
    """For a table in which no name of a spec is looked up: only Python functions ask for resources."""
    raise AssertionError(f"{place}: nothing names the resource {name}")


@dataclass(slots=True)
class Table(Generic[Node]):
    """Things of one kind by their names.

    Args:
        what: What one of them is called, with its article.
        unknown: Returns the problem of a name that is not declared.
        nodes: By name in normal form, in the order written.
        broken: Names of those that are declared but of no use; another finding says why.
        unread: Whether the whole section was ill-shaped, so that nothing is known of its names.
        used: Names that something has asked for.
        elsewhere: What to say of a name that means something else; an empty text of all others.
    """

    what: str
    unknown: Callable[[], UnknownName]
    nodes: dict[str, Node] = field(default_factory=dict)
    broken: set[str] = field(default_factory=set)
    unread: bool = False
    used: set[str] = field(default_factory=set)
    elsewhere: Callable[[str], str] | None = None

    def find(self, name: str, place: Place, report: Report) -> Node | None:
        """Return what is declared under a name; ``None`` if it is broken or, with a finding, if it is not
        declared.
        """
        name = normal_form(name)
        self.used.add(name)
        node = self.nodes.get(name)
        if node is None and name not in self.broken and not self.unread:
            finding = self.unknown()(place, name, (*self.nodes, *self.broken))
            hint = self.elsewhere(name) if self.elsewhere is not None else ""
            report(replace(finding, hint=hint, fix=None) if hint else finding)
        return node


class UnreadTypes(dict[str, Type]):
    """Types of a section that could not be read: every name is assumed to be a type."""

    def __missing__(self, name: str) -> Type:
        return UNKNOWN

    def __contains__(self, name: object) -> bool:
        return True

    def get(self, name: str, default: object = None) -> Type:
        return self[name]
