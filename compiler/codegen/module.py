"""A whole module: its parts put in order, and printed by the templates."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import PurePosixPath

from wfc.compiler.codegen import OUTPUT_FORMAT
from wfc.compiler.codegen.bindings import Bindings
from wfc.compiler.codegen.classes import classes
from wfc.compiler.codegen.imports import mentioned_imports
from wfc.compiler.codegen.layout.docstrings import comment, docstring
from wfc.compiler.codegen.layout.expressions import INDENT
from wfc.compiler.codegen.layout.imports import import_statements
from wfc.compiler.codegen.literals.constants import call, tuple_of
from wfc.compiler.codegen.methods import migrations, triggers
from wfc.compiler.codegen.methods.messages import receives_keyword, run_key_method
from wfc.compiler.codegen.methods.runs import run_keywords, run_methods
from wfc.compiler.codegen.methods.starting import start_methods
from wfc.compiler.codegen.methods.steps import StepMethods
from wfc.compiler.codegen.names import ModuleNames
from wfc.compiler.codegen.rendering import render
from wfc.compiler.codegen.shapes import ClassDefinition, Module
from wfc.compiler.diagnostics import Address, Place
from wfc.compiler.model import Step, Workflow
from wfc.compiler.python.literals import Code, literal

__all__ = ["generate", "print_module"]


def generate(
    workflow: Workflow,
    *,
    source: str,
    sha256: str,
    lines: Callable[[Address], int],
    folder_of: Callable[[str], str],
    in_package: bool = False,
) -> str:
    """Generate the text of a Python module that runs a workflow.

    The same workflow gives the same bytes, whatever the machine, the Python and the hash seed.

    Args:
        workflow: Resolved, and without errors.
        source: The spec's path as the module shows it, relative to the module, with ``/``.
        sha256: Of the spec's bytes, in hexadecimal.
        lines: The line, from 1, at which an address begins.
        folder_of: The folder of a file that is given by its path as findings show it, relative to the module's own,
            with ``/``.
        in_package: Whether the folder of the module is a package, so that its neighbours are named with a dot.
    """
    names = ModuleNames(workflow)
    module = assemble(workflow, names, source, sha256, lines, folder_of)
    return print_module(module, names, in_package=in_package)


def print_module(module: Module, names: ModuleNames, *, in_package: bool) -> str:
    """Fill the templates, and put the imports that they mention between them."""
    head, body = (render(template, module).rstrip("\n") for template in ("head.py.j2", "body.py.j2"))
    sibling = "." if in_package else ""
    # whatever a spec says, what comes out is Python: here all of it is parsed, but for the imports, which are ours
    mentioned = mentioned_imports(f"{head}\n{body}", _quoted(module), names.imported, sibling)
    return "\n".join((head, "", *import_statements(mentioned), "", body, ""))


def _quoted(module: Module) -> Iterator[Code]:
    """Yield the annotations that may have a part in quotes, as fields have whose classes come later."""
    for each in module.classes:
        if isinstance(each, ClassDefinition):
            for field in each.fields:
                if '"' in field.annotation or "'" in field.annotation:
                    yield field.annotation


def assemble(
    workflow: Workflow,
    names: ModuleNames,
    source: str,
    sha256: str,
    lines: Callable[[Address], int],
    folder_of: Callable[[str], str],
) -> Module:
    """Put the parts of a module in order."""
    bindings = Bindings(workflow, names, folder_of)
    methods = StepMethods(workflow, names, bindings)
    file = PurePosixPath(source).name
    printed = [  # `run` first: a step may have the name of something that its annotations mention
        *start_methods(workflow, names),
        *(
            method
            for step in workflow.steps
            for method in methods.of(step, comment(f"{file_of(step, file)}:{lines(step.address)}"))
        ),
    ]
    if workflow.key is not None:
        printed.append(run_key_method(workflow, workflow.key, names))
    printed += run_methods(workflow, names, bindings)
    if workflow.run.migrations:
        printed += migrations.migration_methods(workflow, names)
    if workflow.triggers:
        printed += triggers.trigger_methods(workflow, names)
    summary = workflow.description.strip().split("\n\n")[0] or f"The workflow {workflow.name}."
    return Module(
        docstring=docstring(summary, 0),
        source=comment(source),
        sha256=comment(sha256),
        output_format=OUTPUT_FORMAT,
        file=file,
        classes=classes(workflow, names),
        constants=bindings.constants,
        functions=bindings.functions,
        parts=bindings.parts,
        name=names.workflow,
        bases=class_arguments(workflow, names, file, bindings),
        description=docstring(workflow.description, INDENT),
        methods=printed,
    )


def class_arguments(workflow: Workflow, names: ModuleNames, file: str, bindings: Bindings) -> Code:
    named = {"name": literal(workflow.name)}
    if workflow.config.fields:
        named["config"] = Code("Config")
    if isinstance(workflow.deadline, float):
        named["deadline"] = literal(workflow.deadline)
    if workflow.receives:
        named["receives"] = receives_keyword(workflow, names)
    if workflow.key is not None and workflow.key.when_running is not None:
        named["when_running"] = literal(workflow.key.when_running)
    named |= run_keywords(workflow)
    if bindings.parts:
        named["parts"] = tuple_of([part.name for part in bindings.parts])
    spelled = call(Code("Workflow"), Code("Workflow"), **named, source=literal(file))
    return Code(spelled.removeprefix("Workflow(").removesuffix(")"))


def file_of(step: Step, file: str) -> str:
    """Return the name of the file that a step is written in: the spec's, or that of a part."""
    origin = Place(step.address).origin
    return file if origin is None else PurePosixPath(origin).name
