"""The passes in order, from text through document, spec and workflow to Python, with all findings."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable

from wfc.compiler.diagnostics import Address, Finding, Place, Report, Severity
from wfc.compiler.limits import MAX_FINDINGS, EnoughError, at_most
from wfc.compiler.proof import check
from wfc.compiler.recovery import Analysis, recover
from wfc.compiler.resolve import resolve, shared_modules
from wfc.compiler.rules import reading as reading_problems
from wfc.compiler.rules import spelling
from wfc.compiler.schema import Spec, validate
from wfc.compiler.slotted import replace
from wfc.compiler.workspace.compiled import Compiled, compiled_of, with_findings_of
from wfc.compiler.workspace.project import NoFiles, Project, Unit
from wfc.compiler.yaml import Document

__all__ = ["check_text", "compile_checked", "compile_shared", "compile_text"]


def check_text(
    raw: bytes, path: str, project: Project | None = None, *, consequences: bool = False
) -> Compiled:
    """Return all findings of a spec, without generating code.

    Args:
        project: The files that it may mention; by default none.
        consequences: Whether one mistake may lead to several findings, which takes less time.
    """
    project = project or Project()
    with spelling.bounded():
        unit = project.unit(path, raw)  # yaml, schema
        assert isinstance(unit, Unit)  # its bytes are here
        found = analyse(unit, project)  # resolve, proof
        if not consequences:
            found = without_consequences(found, unit, project)  # recovery
    return compiled_of(unit, found.document, found.workflow, found.findings, project)


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
    return compile_checked(check_text(raw, path, project), project, source, folder_of, in_package=in_package)


def compile_checked(
    checked: Compiled,
    project: Project,
    source: str | None = None,
    folder_of: Callable[[str], str] | None = None,
    *,
    in_package: bool = False,
) -> Compiled:
    """Compile a spec that has been checked in a project; the arguments are those of ``compile_text``."""
    path = checked.path
    if checked.failed or checked.workflow is None:
        return checked
    if checked.workflow.broken_calls:
        called = [project.path_of(name, path) for name in checked.workflow.broken_calls]
        return with_findings_of(checked, [check_text(b"", each, project) for each in called if each])
    return generate_python(checked, project, source or path, folder_of or folders_seen_from(path), in_package)


def compile_shared(path: str, project: Project, *, source: str, in_package: bool = False) -> str:
    """Compile the types and events of a file of declarations, which has no errors, to the text of a module.

    Args:
        path: Of the file, which a spec of the project imports.
        source: The file's path as the module shows it.
    """
    from wfc.compiler.codegen.shared import generate_shared  # loads jinja2

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


def analyse(unit: Unit, project: Project) -> Analysis:
    """Resolve and check a file that has been read."""
    if unit.kind == "workflow":
        findings = [*unit.findings]
        return analyse_spec(unit.document, unit.spec, findings, findings.append, project)
    if unit.kind == "declarations":
        project.declared(unit.document.path, unit)
    return Analysis(unit.document, None, unit.findings)


def analyse_spec(
    document: Document, spec: Spec | None, findings: list[Finding], report: Report, project: Project
) -> Analysis:
    """Resolve and check a spec.

    Args:
        spec: The well-formed part of the document.
        findings: Those so far.
        report: Adds to them.
    """
    workflow = None
    if spec is not None:
        report = at_most(report)
        try:
            workflow = resolve(spec, report, project.around(document.path), project.memory)
            if workflow is not None:
                check(workflow, report)
        except EnoughError:
            workflow = None
            findings.append(reading_problems.too_many_findings(Place((), "text", 0, 0), MAX_FINDINGS))
    return Analysis(document, workflow, findings)


def without_consequences(found: Analysis, unit: Unit, project: Project) -> Analysis:
    """Keep one finding for each mistake, if the one that caused the others can be determined."""
    if unit.kind != "workflow" or not any(each.severity is Severity.ERROR for each in found.findings):
        return found
    from wfc.compiler.recovery.explaining import UnexplainedError, until_new_error  # a good spec needs none

    def analyse_changed(
        before: Analysis, data: object, moves: Iterable[tuple[Address, Address]] = ()
    ) -> Analysis:
        document = before.document.changed(data, moves)
        findings: list[Finding] = []
        report = until_new_error(findings.append, before)
        try:
            for each in unit.findings[: unit.of_reading]:
                report(each)
            spec = validate(document, report)
            return analyse_spec(document, spec, findings, report, project)
        except UnexplainedError:
            return Analysis(document, None, findings)

    with spelling.bounded():
        return recover(found, analyse_changed)


def generate_python(
    checked: Compiled, project: Project, source: str, folder_of: Callable[[str], str], in_package: bool
) -> Compiled:
    from wfc.compiler.codegen.module import generate  # loads jinja2

    def line(address: Address) -> int:
        place = Place(address)
        return project.units[place.origin or checked.path].document.line(place.here.address)

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


def folders_seen_from(path: str) -> Callable[[str], str]:
    """Return a function that returns a file's folder relative to the folder of this file."""
    own = posixpath.dirname(path) or "."
    return lambda file: posixpath.relpath(posixpath.dirname(file) or ".", own)
