"""The start of a run → the method ``run`` of the workflow class, which names the inputs and the end events."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from wfc.compiler.codegen.layout.docstrings import docstring
from wfc.compiler.codegen.literals.constants import constant
from wfc.compiler.codegen.methods.writer import BODY
from wfc.compiler.codegen.names import ModuleNames
from wfc.compiler.codegen.shapes import SELF, PythonFunction
from wfc.compiler.expressions.python.annotations import annotation, union
from wfc.compiler.model import Workflow
from wfc.compiler.python.literals import Code, field_name
from wfc.compiler.types import Field, Optional

__all__ = ["start_methods"]

CONTEXT = Code("ctx: Context[Any]")
CONTEXT_OR_NONE = Code("ctx: Context[Any] | None = None")
EVENT_OR_NONE = Code("start_event: StartEvent | None = None")
RUN_ID = Code("run_id: str | None = None")
BY_NAME = Code("*")
OVERLOAD = Code("overload")

TAKEN = frozenset({"self", "ctx", "start_event", "run_id"})
"""Parameters that every ``run`` has, in whose place no input can be given by its name."""

LONGEST_DEFAULT = 20


def start_methods(workflow: Workflow, names: ModuleNames) -> Iterator[PythonFunction]:
    """Yield ``run``, for type checkers, with an overload for each way to call it; at runtime it is the
    base's.

    Type checkers hold it against the base's, so that one of the ways takes all parameters that the base has.
    """
    ends = union(names.of(event.record) for event in workflow.end)
    returns = Code(f"WorkflowHandler[{ends}]")
    fields = workflow.start.record.fields.values()
    inputs = [input_parameter(field, names) for field in fields]

    def way(about: str, *parameters: Code) -> PythonFunction:
        body = (docstring(about, BODY),)
        return PythonFunction(Code("run"), (SELF, *parameters), returns, body, decorator=OVERLOAD)

    if not inputs or any(field_name(field.name) in TAKEN for field in fields):
        more = [Code("*args: Any"), Code("**inputs: Any")] if inputs else []
        given = "".join(f", {name}" for name in ("*args", "**inputs") if inputs)
        body = (f"return super().run(ctx, start_event, run_id{given})",)
        parameters = (SELF, CONTEXT_OR_NONE, EVENT_OR_NONE, RUN_ID, *more)
        yield PythonFunction(Code("run"), parameters, returns, body, docstring("Start a run.", BODY))
        return
    if any(is_required(field) for field in fields):
        yield way("Start a run with these inputs.", CONTEXT_OR_NONE, EVENT_OR_NONE, RUN_ID, BY_NAME, *inputs)
        event = Code("start_event: StartEvent")
        yield way("Start a run with an event.", CONTEXT_OR_NONE, BY_NAME, event, RUN_ID)
        yield way("Go on with a context.", CONTEXT, BY_NAME, RUN_ID)
    else:
        yield way("Start a run with these inputs.", CONTEXT_OR_NONE, BY_NAME, RUN_ID, *inputs)
        yield way(
            "Start a run with an event, or go on with a context.", CONTEXT_OR_NONE, EVENT_OR_NONE, RUN_ID
        )
    named = ", ".join(f"``{field_name(field.name)}``" for field in fields)
    about = f"Start a run.\n\nIts inputs are {named}."
    yield PythonFunction(
        Code("run"),
        (SELF, Code("*args: Any"), Code("**inputs: Any")),
        returns,
        ("return super().run(*args, **inputs)",),
        docstring(about, BODY),
    )


def is_required(field: Field) -> bool:
    return not field.has_default and not isinstance(field.type, Optional)


def input_parameter(field: Field, names: ModuleNames) -> Code:
    """Return the parameter of an input; a default that cannot be read at a glance is left to the event's class."""
    named = f"{field_name(field.name)}: {annotation(field.type, names)}"
    if is_required(field):
        return Code(named)
    spelled = constant(field.default, field.type, names) if field.has_default else Code("None")
    return Code(f"{named} = {spelled if is_short(spelled) else '...'}")


def is_short(spelled: Code) -> bool:
    if len(spelled) > LONGEST_DEFAULT:
        return False
    try:
        return not isinstance(ast.literal_eval(spelled), (list, dict))
    except ValueError:
        return False
