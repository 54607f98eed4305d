"""The module of a file of declarations: its types and events, and nothing else."""

from __future__ import annotations

from pathlib import PurePosixPath

from wfc.compiler.codegen import OUTPUT_FORMAT
from wfc.compiler.codegen.classes import classes
from wfc.compiler.codegen.layout.docstrings import comment, docstring
from wfc.compiler.codegen.module import print_module
from wfc.compiler.codegen.names import ModuleNames
from wfc.compiler.codegen.shapes import Module
from wfc.compiler.model import Event, Import, Workflow
from wfc.compiler.types import Record, Type

__all__ = ["generate_shared"]


def generate_shared(
    own: Import,
    imports: tuple[Import, ...],
    *,
    source: str,
    sha256: str,
    description: str = "",
    in_package: bool = False,
) -> str:
    """Generate the text of a Python module with the types and events of a file of declarations.

    Args:
        own: What the file declares itself.
        imports: What comes from the files that it imports.
        source: See ``generate``; so are the others.
    """
    shared = declarations_alone(own, imports, description)
    names = ModuleNames(shared)
    file = PurePosixPath(source).name
    module = Module(
        docstring=docstring(description or f"What {file} declares.", 0),
        source=comment(source),
        sha256=comment(sha256),
        output_format=OUTPUT_FORMAT,
        file=file,
        classes=classes(shared, names),
    )
    return print_module(module, names, in_package=in_package)


def declarations_alone(own: Import, imports: tuple[Import, ...], description: str) -> Workflow:
    """Return a workflow without a step, whose classes are those that some declarations need."""
    records = [each for each in own.types if isinstance(each, Record)]
    events = tuple(
        Event(each.name, each, "message", each.address) for each in records if each.role == "event"
    )
    inside = {event.record for event in events}
    nothing = Record("Nothing", role="namespace")
    return Workflow(
        name="",
        class_name="Nothing",
        version="",
        description=description,
        labels={},
        start=Event("Nothing", nothing, "start", ()),
        end=(),
        config=nothing,
        secrets=(),
        deadline=None,
        types=tuple(each for each in own.types if each not in inside and not is_output(each)),
        outputs=tuple(each for each in records if is_output(each)),
        events=events,
        state=nothing,
        models=(),
        tools=(),
        retries=(),
        steps=(),
        tests=(),
        imports=imports,
    )


def is_output(type: Type) -> bool:
    return isinstance(type, Record) and type.role == "output"
