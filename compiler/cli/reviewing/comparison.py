"""The changes between two sides, with their places in the files of both."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from wfc.compiler.cli.reviewing.pairing import changed_pairs
from wfc.compiler.cli.reviewing.sides import Side
from wfc.compiler.diagnostics import Diagnostic, Position, Severity
from wfc.compiler.model import Workflow
from wfc.compiler.passes import analyse
from wfc.compiler.review.changes import SpecChange, in_order
from wfc.compiler.review.comparing import added_workflow, compare, removed_workflow
from wfc.compiler.review.facts import PlaceList, place_of, workflow_facts
from wfc.compiler.rules import spelling
from wfc.compiler.slotted import dataclass, field
from wfc.compiler.workspace.compiled import compiled_of
from wfc.compiler.workspace.project import Project, Unit
from wfc.compiler.yaml import Document

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
        facts: What it says.
        raw: The spec's bytes.
        diagnostics: Its errors.
    """

    path: str
    workflow: Workflow | None
    facts: Mapping[str, Any] | None
    raw: bytes
    diagnostics: tuple[Diagnostic, ...] = ()


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
    found.changes = in_order([each for pair in found.versions for each in _changes(*pair)])
    return found


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

    return Version(path, found.workflow, workflow_facts(found.workflow, found.document, document), raw)
