"""Loading of a spec or a generated module as a workflow class that can run."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.machinery import ModuleSpec, SourceFileLoader
from types import ModuleType
from typing import TYPE_CHECKING, NamedTuple

import click

from wfc.compiler.cli.building.manifest import source_changed
from wfc.compiler.cli.findings import note, show
from wfc.compiler.diagnostics.escaping import printable
from wfc.compiler.model import Workflow as Resolved
from wfc.compiler.passes import compile_shared, compile_text
from wfc.compiler.slotted import dataclass
from wfc.compiler.workspace.compiled import Compiled
from wfc.compiler.workspace.paths import folders_seen_from
from wfc.compiler.workspace.project import Project, project_of
from wfc.compiler.workspace.severity import with_severities
from wfc.compiler.workspace.sources import load, load_other

if TYPE_CHECKING:
    from wfc.runtime import Workflow

__all__ = [
    "KeptModules",
    "Program",
    "compiled_here",
    "load_compiled",
    "load_modules",
    "load_program",
    "workflow_of",
]


@dataclass(frozen=True, slots=True)
class Program:
    """A workflow that can be run.

    Args:
        workflow: The generated, or hand-written, class.
        resolved: The resolved workflow; ``None`` for a module given as such.
        others: The workflows that it mentions by name, and those that these mention.
        modules: The Python of all of these, in their order; none of a module given as such.
    """

    workflow: type[Workflow]
    resolved: Resolved | None
    others: tuple[type[Workflow], ...] = ()
    modules: tuple[KeptModules, ...] = ()

    @property
    def texts(self) -> list[str]:
        """The texts of all modules, with those that they import."""
        return [text for each in self.modules for text in (each.text, *(one[2] for one in each.imports))]


class KeptModules(NamedTuple):
    """The Python of a workflow: its module, and those of the files that it imports, as names, paths and texts."""

    name: str
    path: str
    text: str
    imports: tuple[tuple[str, str, str], ...]


class Loader(SourceFileLoader):
    """Loads a module from a text in memory, as if it were in a file."""

    def __init__(self, name: str, path: str, text: str) -> None:
        super().__init__(name, path)
        self.text = text

    def get_data(self, path: str) -> bytes:
        """Return the module's text; there is no file at any other path, such as that of the bytecode."""
        if path != self.path:
            raise FileNotFoundError(path)
        return self.text.encode()

    def path_stats(self, path: str) -> dict[str, float]:
        """Raise an error, since there is no file, so that bytecode is neither looked for nor kept."""
        raise OSError(path)


def load_program(path: str) -> Program | None:
    """Load a spec (compiled in memory) or a module; ``None`` if the spec has errors, which are shown.

    Raises:
        PathError: The path cannot be read.
        click.UsageError: It is a module without a workflow.
        click.ClickException: The module cannot be imported.
    """
    if path.endswith(".py"):
        name = os.path.basename(path).removesuffix(".py")
        text = load_other(path).decode(errors="replace")
        if spec := source_changed(path):
            note(
                printable(
                    f"{path} was made from an earlier text of {spec}, and runs as it is; see `wfc verify`"
                )
            )
        module = import_beside(path, name) if name.isidentifier() else execute(name, path, text)
        return Program(workflow_in(module, path), None)
    source = load(path)
    project = project_of([source])
    compiled = with_severities(compiled_here(source.raw, source.path, project))
    show([compiled], on_error_stream=True)
    return None if compiled.failed else load_compiled(compiled, project)


def compiled_here(raw: bytes, path: str, project: Project) -> Compiled:
    """Compile a spec to a module that is loaded in memory as if it were beside the spec."""
    return compile_text(
        raw,
        path,
        source=os.path.basename(path),
        folder_of=folders_seen_from(os.path.dirname(path) or "."),
        project=project,
        in_package=True,
    )


def load_compiled(compiled: Compiled, project: Project) -> Program | None:
    """Load a compiled spec's Python as a module beside the spec, and the workflows that it mentions.

    Returns:
        ``None`` if one of these has errors, which are shown.
    """
    assert compiled.workflow is not None
    others = mentioned(compiled.path, project)
    show([each for each in others if each.failed], on_error_stream=True)
    if any(each.failed for each in others):
        return None
    modules = tuple(modules_of(each, project) for each in (compiled, *others))
    workflow, *classes = map(load_modules, modules)
    return Program(workflow, compiled.workflow, tuple(classes), modules)


def mentioned(path: str, project: Project) -> list[Compiled]:
    """Return the workflows that a spec mentions by name, compiled, and those that these mention."""
    own = path.replace(os.sep, "/")
    found: dict[str, Compiled] = {}
    waiting = [own]
    while waiting:
        current = waiting.pop()
        for name in project.units[current].calls:
            other = project.path_of(name, current)
            if other is None or other == own or other in found:
                continue
            raw = project.files.read(other)
            if isinstance(raw, bytes):
                found[other] = compiled_here(raw, other, project)
                waiting.append(other)
    return list(found.values())


def workflow_of(compiled: Compiled, project: Project | None = None) -> type[Workflow]:
    """Return the class of a compiled spec, from its Python loaded as a module beside the spec.

    Args:
        project: The project with the files that it imports, if any.
    """
    return load_modules(modules_of(compiled, project))


def modules_of(compiled: Compiled, project: Project | None) -> KeptModules:
    """Return the Python of a compiled spec, and of the files that it imports."""
    assert compiled.workflow is not None
    folder, found = os.path.abspath(os.path.dirname(compiled.path)), []
    for each in compiled.workflow.imports:
        assert project is not None
        text = compile_shared(each.path, project, source=os.path.basename(each.path), in_package=True)
        found.append((each.module, os.path.join(folder, f"{each.module}.py"), text))
    name = f"{compiled.workflow.name}_workflow"
    return KeptModules(name, os.path.join(folder, f"{name}.py"), compiled.python, tuple(found))


def load_modules(modules: KeptModules) -> type[Workflow]:
    """Return the workflow class of a module in memory, with those that it imports in a package of its own."""
    name = modules.name
    if modules.imports:
        package = unused(f"{name}_and_imports")
        sys.modules[package] = made = ModuleType(package)
        made.__path__ = []
        for imported, path, text in modules.imports:
            execute(f"{package}.{imported}", path, text)
        name = f"{package}.{name}"
    return workflow_in(execute(name, modules.path, modules.text), modules.path)


def import_beside(path: str, name: str) -> ModuleType:
    """Import a file as a module that may import what lies beside it."""
    from pathlib import Path

    from wfc.runtime.calls.sibling_modules import sibling_module

    with importing(path):
        module = sibling_module(Path(path).resolve().parent, name)
        if module is not None:
            return module
    raise click.UsageError(printable(f"`{path}` cannot be imported"))


def execute(name: str, path: str, text: str) -> ModuleType:
    path = os.path.abspath(path)
    name = unused(name)
    spec = ModuleSpec(name, Loader(name, path, text), origin=path)
    spec.has_location = True
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    keep_lines(path, text)
    with importing(path):
        Loader(name, path, text).exec_module(module)
    return module


@contextmanager
def importing(path: str) -> Iterator[None]:
    """Convert exceptions that a module raises during its import to errors of the command line."""
    from wfc.runtime.errors import WorkflowError

    try:
        yield
    except WorkflowError as error:
        raise click.ClickException(printable(str(error))) from None
    except (Exception, SystemExit) as error:
        told = f"`{path}` cannot be imported: {type(error).__name__}: {error}"
        raise click.ClickException(printable(told)) from error


def unused(name: str) -> str:
    """Return the name, or a variant that no loaded module has: two specs may have the same name."""
    number, candidate = 1, name
    while candidate in sys.modules:
        number += 1
        candidate = f"{name}_{number}"
    return candidate


def keep_lines(path: str, text: str) -> None:
    """Register the lines of an in-memory module for tracebacks and `inspect`."""
    import linecache

    linecache.cache[path] = (len(text), None, text.splitlines(keepends=True), path)


def workflow_in(module: ModuleType, path: str) -> type[Workflow]:
    """Return the only workflow class that a module defines.

    Raises:
        click.UsageError: There is none, or more than one.
    """
    from wfc.runtime import Workflow
    from wfc.runtime.authoring.definition import definition_of

    found = [
        value
        for value in vars(module).values()
        if isinstance(value, type)
        and issubclass(value, Workflow)
        and value.__module__ == module.__name__
        and not definition_of(value).is_part
    ]
    if len(found) == 1:
        return found[0]
    if not found:
        raise click.UsageError(printable(f"`{path}` defines no workflow"))
    names = ", ".join(f"`{each.__name__}`" for each in found)
    told = f"`{path}` defines several workflows ({names}); a module that is run defines one"
    raise click.UsageError(printable(told))
