"""The changes between two sides, with their places in the files of both."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from wfc.compiler.cli.reviewing.pairing import changed_pairs
from wfc.compiler.cli.reviewing.sides import Side
from wfc.compiler.diagnostics import Diagnostic, Position, Severity
from wfc.compiler.model import Workflow
from wfc.compiler.passes import analyse
from wfc.compiler.review.catalogue.workflows import changes_of_what_is_called
from wfc.compiler.review.changes import SpecChange, in_order
from wfc.compiler.review.comparing import added_workflow, compare, removed_workflow
from wfc.compiler.review.facts import PlaceList, place_of, workflow_facts
from wfc.compiler.rules import spelling
from wfc.compiler.slotted import dataclass, field
from wfc.compiler.workspace.compiled import Compiled, compiled_of
from wfc.compiler.workspace.project import Project, Unit
from wfc.compiler.yaml import Document

_CALLS: Final = re.compile(rb"workflow\b.*workflow\b|workflows", re.DOTALL)
"""What stands in every spec that calls another one: a second `workflow`, after its own name."""

__all__ = ["Comparison", "Located", "Version", "compare_sides", "version_of"]


@dataclass(frozen=True, slots=True)
class Located:
    """A place in a file's text."""

    path: str
    start: Position
    end: Position


@dataclass(frozen=True, slots=True)
class Version:
    """A spec as one side has it.

    Args:
        workflow: ``None``: it has errors, and is not compared.
        checked: What was found of it, from which its Python can be made.
        facts: What it says.
        raw: The spec's bytes.
        diagnostics: Its errors.
    """

    path: str
    workflow: Workflow | None
    facts: Mapping[str, Any] | None
    raw: bytes
    diagnostics: tuple[Diagnostic, ...] = ()
    checked: Compiled | None = None


@dataclass(slots=True)
class Comparison:
    """What has changed between two sides.

    Args:
        old: The project of the earlier side.
        new: That of the later one.
        changes: In the order in which they are told.
        versions: Of each pair of specs that differ the two versions; ``None`` for one that is not there.
    """

    old: Project
    new: Project
    changes: list[SpecChange] = field(default_factory=list)
    versions: list[tuple[Version | None, Version | None]] = field(default_factory=list)

    def located(self, at: PlaceList | None, *, is_old: bool) -> Located | None:
        """Return where a place is in the text of its file."""
        if at is None:
            return None
        path, place = place_of(at)
        unit = (self.old if is_old else self.new).units.get(path)
        if unit is None:
            return None
        start, end = unit.document.span(place)
        return Located(path, start, end)

    @property
    def broken(self) -> Iterator[tuple[bool, Version]]:
        """The versions that have errors, each with whether it is the earlier one."""
        for pair in self.versions:
            for is_old, version in zip((True, False), pair, strict=True):
                if version is not None and version.facts is None:
                    yield is_old, version


def compare_sides(old: Side, new: Side) -> Comparison:
    """Return what has changed between two sides; only specs that differ are resolved."""
    found = Comparison(Project(old.files), Project(new.files))
    with spelling.bounded():
        for pair in changed_pairs(old, new):
            found.versions.append(
                (version_of(found.old, old, pair.old), version_of(found.new, new, pair.new))
            )
    found.changes = [each for pair in found.versions for each in _changes(*pair)]
    found.changes = in_order([*found.changes, *_at_callers(found, old, new)])
    return found


def _at_callers(found: Comparison, old: Side, new: Side) -> Iterator[SpecChange]:
    """Yield what a changed workflow means for those that call it; one that does not fit it any more is broken."""
    changes: dict[str, list[SpecChange]] = {}
    for each in found.changes:
        changes.setdefault(each.workflow, []).append(each)
    if not changes:
        return
    known = {after.path: after for _, after in found.versions if after is not None}
    names = re.compile("|".join(re.escape(name) for name in changes).encode())
    for path, raw in new.specs().items():
        if path in known and len(changes) == 1:
            continue  # it is the one that has changed
        if _CALLS.search(raw) is None or names.search(raw) is None:
            continue
        with spelling.bounded():
            caller = known[path] if path in known else version_of(found.new, new, path)
        if caller is not None and caller.facts is not None:
            yield from changes_of_what_is_called(caller.facts, changes)
        elif caller is not None and path not in known:
            before = version_of(found.old, old, path) if path in old.specs() else None
            if before is not None and before.facts is not None:
                found.versions.append((before, caller))


def _changes(old: Version | None, new: Version | None) -> Sequence[SpecChange]:
    if new is None:
        return [] if old is None or old.facts is None else removed_workflow(old.facts)
    if new.facts is None:
        return []
    if old is None:
        return added_workflow(new.facts)
    return [] if old.facts is None else compare(old.facts, new.facts)


def version_of(project: Project, side: Side, path: str | None) -> Version | None:
    """Return a spec as a side has it; ``None`` if it is no workflow there, but declarations or a part."""
    if path is None:
        return None
    raw = side.specs()[path]
    unit = project.unit(path, raw)
    if not isinstance(unit, Unit) or unit.kind not in ("workflow", "nothing"):
        return None
    found = analyse(unit, project)
    checked = compiled_of(unit, found.document, found.workflow, found.findings, project)
    if checked.failed or found.workflow is None:
        errors = tuple(each for each in checked.diagnostics if each.severity is Severity.ERROR)
        return Version(path, None, None, raw, errors)

    def document(path: str) -> Document | None:
        return project.units[path].document if path in project.units else None

    facts = workflow_facts(found.workflow, found.document, document)
    return Version(path, found.workflow, facts, raw, checked=checked)
