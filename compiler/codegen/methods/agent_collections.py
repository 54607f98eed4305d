"""Collections that agents search and write → the functions that their calls make, and the keys that these are given."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from wfc.compiler.codegen.bindings import Bindings, context_type
from wfc.compiler.codegen.layout.expressions import INDENT
from wfc.compiler.codegen.layout.statements import fit
from wfc.compiler.codegen.literals.constants import call
from wfc.compiler.codegen.literals.functions import FunctionBuilder, FunctionParameter
from wfc.compiler.codegen.methods.pauses import key_text
from wfc.compiler.codegen.names import ModuleNames
from wfc.compiler.codegen.shapes import PythonFunction
from wfc.compiler.expressions.python.annotations import annotation
from wfc.compiler.model import Agent, CollectionUse, Tool, Workflow
from wfc.compiler.model.agents import team_of
from wfc.compiler.python.literals import Code, field_name, literal

__all__ = ["collection_function", "keys_of"]

OWN: Final = {"query", "top", "text"}
"""Arguments of searches and of what is remembered that are not said about texts."""


def keys_of(agent: Agent, function: FunctionBuilder) -> dict[str, Code]:
    """Return the argument that says whose entries an agent, and those who work for it, see in collections."""
    uses = (use.collection for one in team_of(agent) for use in one.tools)
    written = {each.knowledge.name: each.knowledge for each in uses if each is not None}
    pairs = []
    for name, knowledge in written.items():
        if knowledge.per is not None:
            function.note(knowledge.per.uses)
            pairs.append(f"{literal(name)}: {key_text(knowledge.per, function)}")
    return {"collection_keys": Code(f"{{{', '.join(pairs)}}}")} if pairs else {}


def collection_function(
    name: Code, tool: Tool, use: CollectionUse, workflow: Workflow, names: ModuleNames, bindings: Bindings
) -> tuple[PythonFunction, bool]:
    """Return the function that searches a collection, or writes it; and whether it takes the config."""
    at_hand = (FunctionParameter("config", Code("config"), names.config),)
    function = FunctionBuilder(names.scope.inner(["ctx", "args", "key", "passage"]), at_hand)
    whose = bindings.collection(use.knowledge, function)
    head = [Code(f"ctx: {context_type(workflow)}"), *function.parameters]
    if use.knowledge.per is not None:
        whose = call(Code(f"{whose}.of"), Code("key"))
        head.append(Code("key: str"))
    head.append(Code(f"args: {names.of(tool.args)}"))
    about = list(zip(use.knowledge.about.fields, told_about(tool.args.fields), strict=True))
    named: dict[str, Code] = {}
    if use.remembers:
        if about:
            pairs = (f"{literal(each)}: args.{field_name(given)}" for each, given in about)
            named["about"] = Code(f"{{{', '.join(pairs)}}}")
        done = call(Code("ctx.remember"), whose, Code("args.text"), **named)
    else:
        named["top"] = Code("args.top")
        if about:
            wanted = conditions(about)
            holds = wanted[0] if len(wanted) == 1 else " and ".join(f"({each})" for each in wanted)
            named["that"] = Code(f"lambda passage: {holds}")
        done = call(Code("ctx.retrieve"), whose, Code("args.query"), **named)
    body = fit(f"return await {done}", INDENT)
    made = PythonFunction(name, head, annotation(tool.output, names), body, is_async=True)
    return made, bool(function.used)


def told_about(fields: Iterable[str]) -> list[str]:
    """Return the arguments that stand for what is said about texts, in the order in which that is declared."""
    return [name for name in fields if name not in OWN]


def conditions(about: list[tuple[str, str]]) -> list[str]:
    """Return what holds of a passage for each argument: it was not given, or just that is said about the passage."""
    found = []
    for name, given in about:
        value = f"args.{field_name(given)}"
        found.append(f"{value} is None or passage.typed.{field_name(name)} == {value}")
    return found
