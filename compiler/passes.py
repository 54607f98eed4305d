"""The passes in order: text → document → spec → workflow → Python, and all findings on the way."""

from __future__ import annotations

import gc
import os
import posixpath
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager

from wfc.compiler.diagnostics import Address, Diagnostic, Finding, Place, Severity
from wfc.compiler.limits import MAX_FINDINGS, EnoughError, at_most
from wfc.compiler.model import Workflow
from wfc.compiler.proof import check
from wfc.compiler.recovery import Understood, suspect
from wfc.compiler.resolve import resolve, shared_modules
from wfc.compiler.rules import spelling
from wfc.compiler.rules.reading import too_many_findings
from wfc.compiler.schema import Spec, validate
from wfc.compiler.slotted import dataclass, field
from wfc.compiler.workspace.project import NoFiles, Project, Unit
from wfc.compiler.workspace.suppressing import suppress
from wfc.compiler.yaml import Document

__all__ = ["Compiled", "check_text", "compile_shared", "compile_text", "with_findings"]


@dataclass(frozen=True, slots=True)
class Compiled:
    """What the passes made of one spec, or of a file that specs share.

    Args:
        path: As the user gave it.
        text: The spec's text, which positions refer to.
        sha256: Of the spec's bytes, in hexadecimal.
        workflow: The resolved workflow, or ``None``; not to be run if there are errors.
        python: The generated module; empty if there are errors, or if only a check was asked for.
        diagnostics: Sorted by place, each once; those in the spec before those in files that it uses.
        texts: The texts of those files, by path.
        suppressed: Warnings that a comment in the text asks not to mind, with its reason.
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
        """Whether an error was found; warnings do not count."""
        return any(diagnostic.severity is Severity.ERROR for diagnostic in self.diagnostics)


def check_text(raw: bytes, path: str, project: Project | None = None) -> Compiled:
    """Find everything that is wrong with a spec, and generate nothing.

    Args:
        project: The files that it may mention; by itself none.
    """
    with no_garbage_collection():
        return passes(raw, path, project or Project())


def compile_text(
    raw: bytes,
    path: str,
    *,
    source: str | None = None,
    folder_of: Callable[[str], str] | None = None,
    project: Project | None = None,
    in_package: bool = False,
) -> Compiled:
    """Compile a spec to the text of a Python module.

    Args:
        raw: The spec's bytes.
        path: The spec's path, as findings show it.
        source: The spec's path as the module shows it: relative to the module, with ``/``. Default: ``path``.
        folder_of: The folder of a file, given by its path as findings show it, relative to the module's, with ``/``:
            Python tools lie beside the file that declares them. Default: as it is for a module beside the spec.
        project: The files that it may mention. Without them there are none, so a call of another workflow is an error:
            nothing can be generated for it.
        in_package: Whether the folder of the module is a package.
    """
    project = project or Project(NoFiles())
    with no_garbage_collection():
        checked = passes(raw, path, project)
        if checked.failed or checked.workflow is None:
            return checked
        if checked.workflow.broken_calls:
            return with_findings_of_called(checked, project)
        return generated(checked, project, source or path, folder_of or from_folder_of(path), in_package)


def compile_shared(path: str, project: Project, *, source: str, in_package: bool = False) -> str:
    """Compile the types and events of a file of declarations, which has no errors, to the text of a module.

    Args:
        path: Of the file, which a spec of the project imports.
        source: The file's path as the module shows it.
    """
    from wfc.compiler.codegen.shared import generate_shared

    unit = project.units[path]
    declared = project.declared(path, unit)
    assert declared is not None and isinstance(unit.document.data, dict)
    own, imports = shared_modules(path, declared)
    return generate_shared(
        own,
        imports,
        source=source,
        sha256=unit.sha256,
        description=str(unit.document.data.get("description", "")),
        in_package=in_package,
    )


def passes(raw: bytes, path: str, project: Project) -> Compiled:
    with spelling.bounded():
        unit = project.unit(path, raw)
        assert isinstance(unit, Unit)  # its bytes are here
        if unit.kind == "declarations":
            project.declared(path, unit)
        found = Understood(unit.document, None, unit.findings)
        if unit.kind == "workflow":
            found = understood(unit.document, unit.spec, unit.findings, path, project)
    if unit.kind == "workflow" and any(each.severity is Severity.ERROR for each in found.findings):
        found = without_consequences(found, unit, project)
    document, others = found.document, project.involved(path)
    listed = diagnostics(document, found.findings, project)
    for other in others:
        listed += diagnostics(other.document, other.findings, project)
    left, suppressed = suppress(document, listed)
    for other in others:
        left, more = suppress(other.document, left, complain=False)
        suppressed += more
    texts = {other.document.path: other.document.text for other in others}
    return Compiled(
        path,
        document.text,
        unit.sha256,
        found.workflow,
        "",
        in_order(left, path),
        texts,
        in_order(suppressed, path),
    )


def understood(
    document: Document, spec: Spec | None, known: Iterable[Finding], path: str, project: Project
) -> Understood:
    """A spec resolved and checked.

    Args:
        spec: What is well-shaped of the document.
        known: What is found already.
    """
    findings = [*known]
    workflow = None
    if spec is not None:
        report = at_most(findings.append)
        try:
            workflow = resolve(spec, report, project.around(path))
            if workflow is not None:
                check(workflow, report)
        except EnoughError:
            workflow = None
            findings.append(too_many_findings(Place((), "text", 0, 0), MAX_FINDINGS))
    return Understood(document, workflow, findings)


def without_consequences(found: Understood, unit: Unit, project: Project) -> Understood:
    """The same with one finding for each mistake, where it can be told which one has led to the others."""

    def again(document: Document) -> Understood:
        with spelling.bounded():
            findings = [*unit.findings[: unit.of_reading]]
            spec = validate(document, findings.append)
            return understood(document, spec, findings, document.path, project)

    return suspect(found, again)


def with_findings_of_called(checked: Compiled, project: Project) -> Compiled:
    """A spec that is right itself and calls others that are not: what is wrong with them."""
    assert checked.workflow is not None
    found, texts = [*checked.diagnostics], dict(checked.texts)
    for name in checked.workflow.broken_calls:
        path = project.path_of(name, checked.path)
        assert path is not None  # otherwise the call itself has a finding
        called = passes(b"", path, project)  # it is read already
        found += called.diagnostics
        texts |= {called.path: called.text, **called.texts}
    from wfc.compiler.slotted import replace

    return replace(checked, diagnostics=in_order(found, checked.path), texts=texts)


def generated(
    checked: Compiled, project: Project, source: str, folder_of: Callable[[str], str], in_package: bool
) -> Compiled:
    from wfc.compiler.codegen.module import generate
    from wfc.compiler.slotted import replace

    def line(address: Address) -> int:
        place = Place(address, "key" if address else "value")
        return project.units[place.origin or checked.path].document.span(place.here)[0].line

    assert checked.workflow is not None
    python = generate(
        checked.workflow,
        source=source,
        sha256=checked.sha256,
        lines=line,
        folder_of=folder_of,
        in_package=in_package,
    )
    return replace(checked, python=python)


def from_folder_of(path: str) -> Callable[[str], str]:
    """The folder of a file, as seen from the folder of another one."""
    own = posixpath.dirname(path) or "."
    return lambda file: posixpath.relpath(posixpath.dirname(file) or ".", own)


def with_findings(checked: Compiled, findings: Iterable[Finding], project: Project) -> Compiled:
    """What was checked, with more findings, which may be in other files of the project."""
    from wfc.compiler.slotted import replace

    wanted = list(findings)
    if not wanted:
        return checked
    document = project.units[checked.path.replace(os.sep, "/")].document
    origins = {each.place.origin for each in wanted} - {None}
    texts = {path: unit.document.text for path, unit in project.units.items() if path in origins}
    found = (*checked.diagnostics, *diagnostics(document, wanted, project))
    return replace(checked, diagnostics=in_order(found, checked.path), texts={**checked.texts, **texts})


def diagnostics(document: Document, findings: list[Finding], project: Project) -> list[Diagnostic]:
    others = {path: unit.document for path, unit in project.units.items()}
    return [document.diagnostic(finding, others) for finding in findings]


def in_order(found: Iterable[Diagnostic], path: str) -> tuple[Diagnostic, ...]:
    """Each once, by place; those in the file itself before those in others."""
    return tuple(
        sorted(
            once(found),
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


def once(found: Iterable[Diagnostic]) -> Iterable[Diagnostic]:
    """Each finding once, also where an alias repeats what it is about; of two the one that can be fixed."""
    kept: dict[tuple[object, ...], Diagnostic] = {}
    for each in found:
        same = (each.path, each.start, each.end, each.code, each.message)
        if same not in kept or kept[same].fix is None:
            kept[same] = each
    return kept.values()


@contextmanager
def no_garbage_collection() -> Iterator[None]:
    # a compile makes many small objects and frees next to none: searching them for cycles is lost time
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
