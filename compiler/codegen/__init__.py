"""Workflow → Python: a module that a good engineer would have written."""

from __future__ import annotations

from collections.abc import Callable

from wfc.compiler.codegen.output_format import OUTPUT_FORMAT
from wfc.compiler.diagnostics import Address
from wfc.compiler.model import Event, Import, Workflow
from wfc.compiler.types import Record, Type

__all__ = ["OUTPUT_FORMAT", "generate", "generate_shared"]


def generate(
    workflow: Workflow,
    *,
    source: str,
    sha256: str,
    lines: Callable[[Address], int],
    folder_of: Callable[[str], str],
    in_package: bool = False,
) -> str:
    """The text of a Python module that runs a workflow.

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
    from wfc.compiler.codegen.module import print_module

    return print_module(
        workflow,
        source=source,
        sha256=sha256,
        lines=lines,
        folder_of=folder_of,
        in_package=in_package,
    )


def generate_shared(
    own: Import,
    imports: tuple[Import, ...],
    *,
    source: str,
    sha256: str,
    description: str = "",
    in_package: bool = False,
) -> str:
    """The text of a Python module with the types and events of a file of declarations.

    Args:
        own: What the file declares itself.
        imports: What comes from the files that it imports.
        source: See ``generate``; so are the others.
    """
    from wfc.compiler.codegen.module import print_shared

    shared = declarations_alone(own, imports, description)
    return print_shared(shared, source=source, sha256=sha256, in_package=in_package)


def declarations_alone(own: Import, imports: tuple[Import, ...], description: str) -> Workflow:
    """A workflow without a step, whose classes are those that some declarations need."""
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
