"""What is said of fields: people read it in forms, models beside the types of their answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from wfc.compiler.model import AskPerson, MapItems, Workflow
from wfc.compiler.review.facts.places import Fact, Places
from wfc.compiler.types import Field, ListOf, MapOf, OneOf, Optional, Record, Type

__all__ = ["field_descriptions"]


def field_descriptions(places: Places, workflow: Workflow) -> Fact:
    """Return the descriptions of fields and of records, by where they are declared; empty ones too."""
    found: Fact = {}
    seen: set[int] = set()
    waiting = [*_types(workflow)]
    while waiting:
        given = waiting.pop()
        if not isinstance(given, Record):
            waiting += _inside(given)
        elif id(given) not in seen:
            seen.add(id(given))
            waiting += [each.type for each in given.fields.values()]
            declared: list[Record | Field] = [given, *given.fields.values()]
            for each in declared:
                if each.address:
                    key = ".".join(map(str, each.address))
                    found[key] = {"at": places.at(each.address), "text": each.description}
    return dict(sorted(found.items()))


def _types(workflow: Workflow) -> Iterator[Type]:
    yield from (event.record for event in workflow.events)
    yield from (workflow.state, workflow.config)
    yield from workflow.types
    yield from workflow.outputs
    yield from (tool.args for tool in workflow.tools if tool.args is not None)
    for step in workflow.steps:
        action = step.action.do if isinstance(step.action, MapItems) else step.action
        if isinstance(action, AskPerson) and action.form is not None:
            yield action.form


def _inside(given: Type) -> Iterable[Type]:
    match given:
        case ListOf():
            return (given.item,)
        case MapOf():
            return (given.value,)
        case Optional():
            return (given.of,)
        case OneOf():
            return given.types
    return ()
