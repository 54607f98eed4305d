"""What `require` has made sure of, told to type checkers of Python where a step's tail relies on it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from wfc.compiler.codegen.layout.statements import fit
from wfc.compiler.codegen.methods.writer import BODY
from wfc.compiler.codegen.names import ModuleNames
from wfc.compiler.expressions.conditions.narrowing import facts_of
from wfc.compiler.expressions.syntax.tree import Path, path_of, walk
from wfc.compiler.model import AskPerson, MapItems, Requirement, Step
from wfc.compiler.python.literals import Code, field_name, literal
from wfc.compiler.types import NULL, Enumeration, Record, Type, may_be_null, members

__all__ = ["assertions", "said_at_its_field"]


def assertions(
    step: Step, lines: Sequence[str], known: Mapping[Path, Code], names: ModuleNames
) -> Iterator[str]:
    """Yield assertions about what the lines of a step's tail mention.

    Args:
        known: How paths are spelled there, where that is not the path itself.
    """
    of_one_answer = isinstance(step.action, AskPerson) and step.action.quorum is not None
    if isinstance(step.action, MapItems) or of_one_answer or not step.require:
        return  # what each item or answer must be says nothing of the list
    body = "\n".join(lines)
    for path, type_ in narrowed(step.require).items():
        spelled = spelling(path, known)
        if re.search(rf"(?<![\w.]){re.escape(spelled)}(?!\w)", body):
            for line in assertion(spelled, type_, names):
                yield from fit(line, BODY)


def said_at_its_field(step: Step, requirement: Requirement, say: Code) -> Code:
    """Return the sentence of a requirement; with the fields of a person's answer of which it speaks."""
    if not isinstance(step.action, AskPerson):
        return say
    paths = [path_of(node) or () for node in walk(requirement.that.tree)]
    fields = {path[1] for path in paths if len(path) > 1 and path[0] == "result"}
    form = step.action.form
    named = [name for name in form.fields if name in fields] if isinstance(form, Record) else []
    return Code(f"Unmet({', '.join([say, *map(literal, named)])})") if named else say


def narrowed(requirements: Sequence[Requirement]) -> dict[Path, Type]:
    """Return the types that paths have where all requirements are met, each of a record before its fields."""
    found: dict[Path, Type] = {}
    declared: dict[Path | None, Type] = {}
    for requirement in requirements:
        found.update(facts_of(requirement.that.tree, True) or {})
        declared.update({path_of(node): node.declared for node in walk(requirement.that.tree)})
    return {
        path: found[path]
        for path in sorted(found)
        if path[0] != "state" and found[path] != declared.get(path) and not path[-1].startswith("[")
    }


def spelling(path: Path, known: Mapping[Path, Code]) -> str:
    for length in range(len(path), 0, -1):
        if path[:length] in known:
            return ".".join([known[path[:length]], *map(field_name, path[length:])])
    return ".".join([path[0], *map(field_name, path[1:])])


def assertion(spelled: str, type_: Type, names: ModuleNames) -> Iterator[str]:
    """Yield what is to be asserted of a value that has a narrower type than it was declared with."""
    if type_ is NULL or may_be_null(type_):
        return
    of = members(type_)
    if isinstance(type_, Enumeration):
        yield f"assert {' or '.join(f'{spelled} == {literal(value)}' for value in type_.values)}"
    elif all(isinstance(each, Record) for each in of):
        classes = [names.of(each) for each in of if isinstance(each, Record)]
        listed = ", ".join(classes)
        yield f"assert isinstance({spelled}, {listed if len(classes) == 1 else f'({listed})'})"
    else:
        yield f"assert {spelled} is not None"
