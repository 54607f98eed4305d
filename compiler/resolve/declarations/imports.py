"""Imports: the declarations of other files, entered before the spec's own."""

from __future__ import annotations

from collections.abc import Iterator

from wfc.compiler.diagnostics import Origin, Place, Report
from wfc.compiler.model import Event, NamedText
from wfc.compiler.resolve.declarations.events import roles_of
from wfc.compiler.resolve.symbols.declarations import Declarations, OtherFile, Refused
from wfc.compiler.resolve.symbols.tables import Data, UnreadTypes
from wfc.compiler.rules import files as problems
from wfc.compiler.rules import names as name_problems
from wfc.compiler.slotted import replace
from wfc.compiler.types import Record

__all__ = ["declare_imports", "report_refused", "report_unused_imports"]


def declare_imports(data: Data, declared: Declarations) -> None:
    """Declare the contents of the files under `imports`, and of the files that these import."""
    for path, place in import_paths(data):
        found = declared.project.shared(path)
        if isinstance(found, Refused):
            report_refused(found, path, place, "a file of declarations", declared.report)
            mark_all_unread(declared)
            continue
        for other in (*found.declared.imports.values(), found):
            if other.path not in declared.imports:
                declared.imports[other.path] = other
                take_over(other, place, data, declared)


def import_paths(data: Data) -> Iterator[tuple[str, Place]]:
    listed = data.get("imports")
    for index, path in enumerate(listed if isinstance(listed, list) else ()):
        if isinstance(path, str):
            yield path, Place(("imports", index))


def report_refused(refused: Refused, path: str, place: Place, wanted: str, report: Report) -> None:
    """Report why a file that a spec mentions cannot be used; a broken file has findings of its own."""
    if refused.why == "missing":
        report(problems.no_such_file(place, path, refused.reason))
    elif refused.why == "outside":
        report(problems.file_outside_project(place, path))
    elif refused.why == "other":
        report(problems.wrong_kind_of_file(place, path, wanted, refused.reason))
    elif refused.why == "cycle":
        *way, back = refused.reason.split("\n")
        report(problems.import_cycle(place, (*way, way[0]), Place((Origin(back), "imports")).key))


def mark_all_unread(declared: Declarations) -> None:
    """Mark all tables as unread, because a file could not be read: any name may be one of its names."""
    declared.types = UnreadTypes(declared.types)
    for table in declared.tables.values():
        table.unread = True


def take_over(other: OtherFile, place: Place, data: Data, declared: Declarations) -> None:
    """Add a file's own declarations to the spec's."""
    theirs = other.declared
    if isinstance(theirs.types, UnreadTypes) and not isinstance(declared.types, UnreadTypes):
        declared.types = UnreadTypes(declared.types)
    for name, node in theirs.types.items():
        if is_new(other, "types", name, place, declared):
            declared.types[name] = node
            if isinstance(node, Record):
                declared.classes[name] = node
    roles = roles_of(data)
    mine = declared.tables
    for section, table in theirs.tables.items():
        for name, node in table.nodes.items():
            if section != "events":
                if is_new(other, section, name, place, declared):
                    mine[section].nodes[name] = with_origin(node, other.path)
            elif ("events", name) not in theirs.imported and theirs.types.get(name) is declared.types.get(
                name
            ):
                address = (Origin(other.path), *node.address)
                declared.events.nodes[name] = Event(name, node.record, roles.get(name, "message"), address)
        mine[section].broken |= table.broken
        mine[section].unread |= table.unread
    declared.secrets.nodes |= theirs.secrets.nodes
    declared.secrets.used |= theirs.secrets.nodes.keys()


def with_origin(node: object, path: str) -> object:
    """Return a file's declarations with their places as other files refer to them."""
    if isinstance(node, NamedText) and node.place.origin is None:
        return replace(node, place=replace(node.place, address=(Origin(path), *node.place.address)))
    return node


def is_new(other: OtherFile, section: str, name: str, place: Place, declared: Declarations) -> bool:
    """Return whether a name is the file's own, and no other file has declared it before."""
    theirs = other.declared
    if (section, name) in theirs.imported:
        return False
    node = theirs.types[name] if section == "types" else theirs.tables[section].nodes[name]
    address = getattr(node, "address", ()) or (section, name)
    kind = address[0] if address[0] in declared.tables else section
    word = "a type" if kind == "types" else declared.tables[kind].what
    sections = ("types", "events") if section == "types" else (section,)
    first = next(
        (declared.imported[each, name] for each in sections if (each, name) in declared.imported), None
    )
    if first is not None:
        declared.report(name_problems.name_declared_twice(place, name, *first))
        return False
    for each in sections:
        declared.imported[each, name] = (Place((Origin(other.path), *address)).key, word)
    return True


def report_unused_imports(data: Data, declared: Declarations, used: set[str]) -> None:
    """Warn about imported files of which nothing is used.

    Args:
        used: Names of types that are used.
    """
    for path, place in import_paths(data):
        found = declared.project.shared(path)
        if isinstance(found, Refused) or found.declared.models.unread:
            continue  # not all of what it declares is known
        names = {
            (section, name)
            for other in (found, *found.declared.imports.values())
            for section, name in declared.imported
            if declared.imported[section, name][0].origin == other.path
        }
        mine = declared.tables
        if not any(
            name in used if section == "types" else name in mine[section].used for section, name in names
        ) and not any(found.declared.config.fields):
            declared.report(problems.unused_import(place, path))
