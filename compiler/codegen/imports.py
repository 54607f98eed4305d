"""The imports available to generated code, and those that a module mentions."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Set
from symtable import SymbolTable, symtable
from typing import Final

from wfc.compiler.python.literals import Code

__all__ = ["IMPORTABLE", "mentioned_imports"]

NAMES_BY_MODULE: Final = {
    "collections.abc": ("Iterator",),
    "datetime": ("UTC", "date", "datetime", "timedelta"),
    "decimal": ("Decimal",),
    "pathlib": ("Path",),
    "pydantic": ("AliasChoices", "Field"),
    "typing": ("Annotated", "Any", "Literal", "overload"),
    "wfc.runtime.records": ("File", "Message", "Passage"),
    "wfc.runtime": tuple(
        """
        Agent AgentLoop AgentTool Approval CodeLoop DoneCall KeptThread ThreadedLoop WorkflowLoop WorkflowStyle
        All AllOf AtLeast Basic Batch Bearer Bounds Cache CallLimit Child ChildEnd ClosedFields Context Delay
        Duration EachOf Event Fail FirstOf ForeignSchema Format HttpResponse Inputs Item Items Keep Knowledge Limits
        AskingTool Loop McpServer Model Moment Number OAuth2 OpenApiOperation Output Outside PythonResource PythonTool
        Question Receives Record Restart RetryBounds RetryPolicy RunConfig RunInfo RunState Secret StartEvent StepError
        StopEvent UNHANDLED Unhandled Unmet Until Worked
        Workflow WorkflowHandler filters pause require_output_format run_bounds run_cancel run_deadline run_error
        run_key run_migration run_trigger runs_per ScheduleTrigger step StepBounds TopicTrigger transform
        WebhookTrigger
        """.split()
    ),
}


IMPORTABLE: Final = {name: module for module, names in NAMES_BY_MODULE.items() for name in names}
"""Everything that generated code may import, and where from."""


NOTHING: Final[Mapping[Code, tuple[str, Code]]] = {}


def mentioned_imports(
    body: str,
    quoted: Iterable[str] = (),
    shared: Mapping[Code, tuple[str, Code]] = NOTHING,
    sibling: str = "",
) -> Iterator[tuple[str, str]]:
    """Yield module and name of everything importable that a module mentions.

    Args:
        body: The module without its imports.
        quoted: The annotations in it of which a part is in quotes.
        shared: What comes from the modules of imported files; see ``ModuleNames``.
        sibling: What comes before the name of such a module.

    Raises:
        SyntaxError: It is no Python.
    """
    top = symtable(body, "<generated>", "exec")
    wanted = IMPORTABLE.keys() | shared.keys()
    mentioned = {"require_output_format", *names_used(top, wanted)}
    for annotation in quoted:
        mentioned.update(quoted_names(ast.parse(annotation, mode="eval").body))
    own = {each.get_name() for each in top.get_children() if each.get_type() == "class"} | shared.keys()
    yield from ((IMPORTABLE[name], name) for name in sorted((mentioned - own) & IMPORTABLE.keys()))
    for name, (module, there) in shared.items():
        if name in mentioned:
            yield sibling + module, name if name == there else f"{there} as {name}"


def names_used(top: SymbolTable, wanted: Set[str]) -> set[str]:
    """Return those of some names that are looked up anywhere in a program; a third of the time that a tree takes."""
    found: set[str] = set()
    waiting = [top]
    while waiting:
        scope = waiting.pop()
        waiting += scope.get_children()
        for name in scope.get_identifiers():
            if name in wanted and name not in found and scope.lookup(name).is_referenced():
                found.add(name)
    return found


def quoted_names(annotation: ast.expr) -> Iterator[str]:
    """Yield the names in the quoted parts of an annotation, whose classes come later."""
    match annotation:
        case ast.Constant(value=str(text)):
            for node in ast.walk(ast.parse(text, mode="eval")):
                if isinstance(node, ast.Name):
                    yield node.id
        case ast.BinOp():
            yield from quoted_names(annotation.left)
        case ast.Subscript(value=ast.Name(id="Annotated"), slice=ast.Tuple(elts=[first, *_])):
            yield from quoted_names(first)
