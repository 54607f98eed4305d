"""The result of the passes for one file, and its findings as diagnostics."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence

from wfc.compiler.diagnostics import Diagnostic, Finding, Severity
from wfc.compiler.model import Workflow
from wfc.compiler.slotted import dataclass, field, replace
from wfc.compiler.workspace.project import Project, Unit
from wfc.compiler.workspace.suppressions import suppress
from wfc.compiler.yaml import Document

__all__ = ["Compiled", "compiled_of", "with_findings", "with_findings_of"]


@dataclass(frozen=True, slots=True)
class Compiled:
    """The result of the passes for one spec, or for a file that specs share.

    Args:
        path: As the user gave it.
        text: The spec's text, which positions refer to.
        sha256: Of the spec's bytes, in hexadecimal.
        workflow: The resolved workflow, or ``None``; not to be run if there are errors.
        python: The generated module; empty if there are errors, or if only a check was asked for.
        diagnostics: Sorted by place, each once; those in the spec before those in files that it uses.
        texts: The texts of those files, by path.
        suppressed: Warnings that a comment in the text suppresses, with its reason.
    """

    path: str
    text: str
    sha256: str
    workflow: Workflow | None
    python: str
    diagnostics: tuple[Diagnostic, ...]
    texts: Mapping[str, str] = field(default_factory=dict)
    suppressed: tuple[Diagnostic, ...] = ()

    @property
    def failed(self) -> bool:
        """Return whether there are errors; warnings do not count."""
        return any(diagnostic.severity is Severity.ERROR for diagnostic in self.diagnostics)


def compiled_of(
    unit: Unit, document: Document, workflow: Workflow | None, findings: Iterable[Finding], project: Project
) -> Compiled:
    """Return a file's result, with its findings and those of the files that it uses.

    Args:
        document: The file's, with what was learnt of it since it was read.
        findings: All that are in it, or about it.
    """
    path, others = document.path, project.involved(document.path)
    listed = diagnostics_of(document, findings, project)
    for other in others:
        listed += diagnostics_of(other.document, other.findings, project)
    left, suppressed = suppress(document, listed)
    for other in others:
        left, more = suppress(other.document, left, complain=False)
        suppressed += more
    texts = {other.document.path: other.document.text for other in others}
    left, suppressed = in_order(left, path), in_order(suppressed, path)
    return Compiled(path, document.text, unit.sha256, workflow, "", left, texts, suppressed)


def with_findings_of(checked: Compiled, others: Iterable[Compiled]) -> Compiled:
    """Return a file's result with the findings in other files added."""
    found, texts = [*checked.diagnostics], dict(checked.texts)
    for other in others:
        found += other.diagnostics
        texts |= {other.path: other.text, **other.texts}
    return replace(checked, diagnostics=in_order(found, checked.path), texts=texts)


def with_findings(checked: Compiled, findings: Sequence[Finding], project: Project) -> Compiled:
    """Return a file's result with more findings, which may be in other files of the project."""
    if not findings:
        return checked
    document = project.units[checked.path.replace(os.sep, "/")].document
    origins = {each.place.origin for each in findings} - {None}
    texts = {path: unit.document.text for path, unit in project.units.items() if path in origins}
    found = (*checked.diagnostics, *diagnostics_of(document, findings, project))
    return replace(checked, diagnostics=in_order(found, checked.path), texts={**checked.texts, **texts})


def diagnostics_of(document: Document, findings: Iterable[Finding], project: Project) -> list[Diagnostic]:
    found = [*findings]
    if not found:
        return []  # as most often, and then nobody asks for the other files
    others = {path: unit.document for path, unit in project.units.items()}
    return [document.diagnostic(finding, others) for finding in found]


def in_order(found: Iterable[Diagnostic], path: str) -> tuple[Diagnostic, ...]:
    """Return each diagnostic once, by place; those in the file itself before those in others."""
    return tuple(
        sorted(
            without_repetitions(found),
            key=lambda each: (
                each.path != path,
                each.path,
                each.start,
                each.end,
                -each.severity,
                each.code,
                each.message,
            ),
        )
    )


def without_repetitions(found: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
    """Return each diagnostic once, also where an alias repeats its place; of two, the one with a fix."""
    kept: dict[tuple[object, ...], Diagnostic] = {}
    for each in found:
        same = (each.path, each.start, each.end, each.code, each.message)
        if same not in kept or kept[same].fix is None:
            kept[same] = each
    return iter(kept.values())
