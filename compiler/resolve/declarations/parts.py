"""Parts: files that hold steps of one workflow."""

from __future__ import annotations

from wfc.compiler.diagnostics import Origin, Place
from wfc.compiler.resolve.declarations.imports import report_refused
from wfc.compiler.resolve.symbols.contracts import PartFile
from wfc.compiler.resolve.symbols.declarations import Declarations, Refused
from wfc.compiler.resolve.symbols.tables import Data, one_or_many
from wfc.compiler.rules import files as problems
from wfc.compiler.types.long_form import check_plain

__all__ = ["declare_parts"]


def declare_parts(data: Data, declared: Declarations) -> tuple[PartFile, ...]:
    """Declare the files under `parts`; events must have been declared before."""
    found: dict[str, PartFile] = {}
    listed = data.get("parts")
    for index, path in enumerate(listed if isinstance(listed, list) else ()):
        place = Place(("parts", index))
        if not isinstance(path, str):
            continue
        read = declared.project.part(path)
        if isinstance(read, Refused):
            report_refused(read, path, place, "a part of a workflow", declared.report)
            declared.flow_whole = False
            continue
        shown, spec = read
        if shown in found:
            declared.report(problems.part_twice(place, path))
            continue
        origin = Origin(shown)
        if "description" in spec.data:
            check_plain(
                spec.data["description"], Place((origin, "description")), "description", declared.report
            )
        declared.broken |= {(origin, *address) for address in spec.broken}
        events = {
            key: listed_events(spec.data.get(key), Place((origin, key)), declared)
            for key in ("accepts", "emits")
        }
        found[shown] = PartFile(str(spec.data.get("part", "")), shown, spec.data, **events)
    return tuple(found.values())


def listed_events(data: object, place: Place, declared: Declarations) -> dict[str, Place]:
    """Return the events of a list, each with its place."""
    found: dict[str, Place] = {}
    for name, at in one_or_many(data, place):
        if isinstance(name, str):
            declared.events.find(name, at, declared.report)
            if name in declared.events.nodes:
                found[name] = at
    return found
