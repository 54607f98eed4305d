"""The passes in order: text → document → spec → workflow → Python, and all findings on the way."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256

from wfc.compiler.check import check
from wfc.compiler.diagnostics import Diagnostic, Finding, Severity
from wfc.compiler.nodes import Workflow
from wfc.compiler.problems import spelling
from wfc.compiler.read import Document, read
from wfc.compiler.resolve import resolve
from wfc.compiler.slotted import dataclass
from wfc.compiler.validate import validate

__all__ = ["Compiled", "check_text", "compile_text"]


@dataclass(frozen=True, slots=True)
class Compiled:
    """What the passes made of one spec.

    Args:
        path: As the user gave it.
        text: The spec's text, which positions refer to.
        sha256: Of the spec's bytes, in hexadecimal.
        workflow: The resolved workflow, or ``None``; not to be run if there are errors.
        python: The generated module; empty if there are errors, or if only a check was asked for.
        diagnostics: Sorted by place, each once.
    """

    path: str
    text: str
    sha256: str
    workflow: Workflow | None
    python: str
    diagnostics: tuple[Diagnostic, ...]

    @property
    def failed(self) -> bool:
        """Whether an error was found; warnings do not count."""
        return any(diagnostic.severity is Severity.ERROR for diagnostic in self.diagnostics)


def check_text(raw: bytes, path: str) -> Compiled:
    """Find everything that is wrong with a spec, and generate nothing."""
    with no_garbage_collection():
        return passes(raw, path)[0]


def compile_text(raw: bytes, path: str, *, source: str | None = None, tools_folder: str = ".") -> Compiled:
    """Compile a spec to the text of a Python module.

    Args:
        raw: The spec's bytes.
        path: The spec's path, as findings show it.
        source: The spec's path as the module shows it: relative to the module, with ``/``. Default: ``path``.
        tools_folder: The spec's folder, relative to the module's, with ``/``.
    """
    with no_garbage_collection():
        checked, document = passes(raw, path)
        if checked.failed:
            return checked
        return generated(checked, document, source or path, tools_folder)


def passes(raw: bytes, path: str) -> tuple[Compiled, Document]:
    findings: list[Finding] = []
    with spelling.bounded():
        document = read(raw, path, findings.append)
        spec = validate(document, findings.append)
        workflow = resolve(spec, findings.append) if spec is not None else None
        if workflow is not None:
            check(workflow, findings.append)
    found = diagnostics(document, findings)
    return Compiled(path, document.text, sha256(raw).hexdigest(), workflow, "", found), document


def generated(checked: Compiled, document: Document, source: str, tools_folder: str) -> Compiled:
    from wfc.compiler.diagnostics import Place
    from wfc.compiler.generate import generate
    from wfc.compiler.slotted import replace

    assert checked.workflow is not None
    python = generate(
        checked.workflow,
        source=source,
        sha256=checked.sha256,
        lines=lambda address: document.span(Place(address, "key" if address else "value"))[0].line,
        tools_folder=tools_folder,
    )
    return replace(checked, python=python)


def diagnostics(document: Document, findings: list[Finding]) -> tuple[Diagnostic, ...]:
    found = {document.diagnostic(finding): None for finding in findings}
    return tuple(
        sorted(found, key=lambda each: (each.start, each.end, -each.severity, each.code, each.message))
    )


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
