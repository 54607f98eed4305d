"""The values that pauses wait for, as JSON data."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, Any

from wfc.runtime.authoring.definition import WorkflowDefinition, definition_of
from wfc.runtime.authoring.signatures import arguments_of
from wfc.runtime.errors import SnapshotError
from wfc.runtime.events import Event
from wfc.runtime.plan.pauses import Child, Delay, Items, Outside, PauseValue, Question, Until, seconds_of
from wfc.runtime.store.values import Values
from wfc.runtime.values.choices import field_without_choices

if TYPE_CHECKING:
    from wfc.runtime.plan.step import Step

__all__ = ["read_pause_value", "write_pause_value"]


def write_pause_value(value: PauseValue, step: Step, values: Values) -> dict[str, Any]:
    """Return the value that a step waits for as JSON data.

    Raises:
        SnapshotError: It cannot be written.
    """
    kind = type(value)
    return {"kind": kind.__name__, **_WRITERS[kind](value, step, values)}


def read_pause_value(data: dict[str, Any], step: Step, values: Values) -> PauseValue:
    """Return the value that a step waits for from JSON data.

    Raises:
        SnapshotError: The data has another form, or the step does not wait for values of this kind.
    """
    kind = next((one for one in step.pauses if one.__name__ == data["kind"]), None)
    if kind is None:
        raise SnapshotError(f"step `{step.name}` does not wait for what the snapshot says")
    found: PauseValue = _READERS[kind](data, step, values)
    return found


def _write_question(value: Question[Any], step: Step, values: Values) -> dict[str, Any]:
    forms = arguments_of(step.signature.result, Question)
    if value.form is not None and value.form not in forms:
        raise SnapshotError(
            f"step `{step.name}` asks for a form that it does not declare: `-> Question[…]` names it"
        )
    return {
        "form": None if value.form is None else forms.index(value.form),
        "title": value.title,
        "show": value.show,
        "prefill": values.write(dict(value.prefill)),
        "assign": list(value.assign),
        "quorum": value.quorum,
        **({"choices": _write_choices(value, values)} if value.choices else {}),
        **({"shape": values.write(dict(value.shape))} if value.shape is not None else {}),
        **({"remind": seconds_of(value.remind)} if value.remind is not None else {}),
    }


def _read_question(data: dict[str, Any], step: Step, values: Values) -> Question[Any]:
    forms, form = arguments_of(step.signature.result, Question), data["form"]
    if form is not None and not (type(form) is int and 0 <= form < len(forms)):
        raise SnapshotError(f"step `{step.name}` has no such form as the snapshot says")
    asked = None if form is None else forms[form]
    return Question(
        asked,
        title=_text(data["title"]),
        show=None if data["show"] is None else _text(data["show"]),
        prefill=values.read(data["prefill"]),
        assign=[_text(one) for one in data["assign"]],
        quorum=None if data["quorum"] is None else int(data["quorum"]),
        choices=_read_choices(asked, data["choices"], step, values) if "choices" in data else {},
        remind=_interval(data["remind"]) if "remind" in data else None,
        shape=values.read(data["shape"]) if "shape" in data else None,
    )


def _interval(value: object) -> float:
    if not isinstance(value, int | float) or not value >= 1:
        raise SnapshotError("a question in the snapshot reminds without a pause between")
    return float(value)


def _write_choices(value: Question[Any], values: Values) -> Any:
    return values.write({name: list(each) for name, each in value.choices.items()})


def _read_choices(form: Any, data: object, step: Step, values: Values) -> dict[str, list[Any]]:
    choices = values.read(data)
    try:
        if all(isinstance(each, list) for each in choices.values()):
            field_without_choices(form, choices)
            return dict(choices)
    except (AttributeError, KeyError):
        pass
    raise SnapshotError(f"step `{step.name}` has no form with the choices that the snapshot says")


def _write_child(value: Child[Any], _step: Step, values: Values) -> dict[str, Any]:
    inputs = value.inputs
    fields = inputs.model_dump(mode="json", by_alias=True) if isinstance(inputs, Event) else dict(inputs)
    return {
        "workflow": _name_of(value.workflow),
        "inputs": values.write(fields),
        "ends": [values.classes.name(one) for one in value.ends],
        "detach": value.detach,
        **({"only": list(value.only)} if value.only else {}),
    }


def _name_of(workflow: str | type[WorkflowDefinition] | WorkflowDefinition) -> str:
    """Return the name by which the engine knows a workflow."""
    if isinstance(workflow, str):
        return workflow
    if isinstance(workflow, type):
        return definition_of(workflow).name or f"{workflow.__module__}.{workflow.__qualname__}"
    return str(workflow._wfc.name)


def _read_child(data: dict[str, Any], _step: Step, values: Values) -> Child[Any]:
    ends = tuple(values.classes.event(name) for name in data["ends"])
    inputs, only = dict(values.read(data["inputs"])), [_text(name) for name in data.get("only", ())]
    return Child(_text(data["workflow"]), inputs, ends, bool(data["detach"]), only)


def _read_items(data: dict[str, Any], _step: Step, values: Values) -> Items[Any]:
    items = [values.read(one) for one in data["items"]]
    numbers = [int(one) for one in data.get("numbers", ())]
    if numbers and len(numbers) != len(items):
        raise SnapshotError("of some items the snapshot does not say which numbers they have")
    return Items(items, data["most"], numbers, int(data.get("total", 0)))


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise SnapshotError("where a text is to be, the snapshot has something else")
    return value


_WRITERS: dict[type[Any], Callable[[Any, Step, Values], dict[str, Any]]] = {
    Question: _write_question,
    Delay: lambda value, step, values: {"seconds": seconds_of(value.seconds)},
    Until: lambda value, step, values: {"moment": value.moment.isoformat()},
    Outside: lambda value, step, values: {"events": [values.classes.name(one) for one in value.events]},
    Child: _write_child,
    Items: lambda value, step, values: {
        "items": [values.write(one) for one in value.items],
        "most": value.most,
        **({"numbers": list(value.numbers), "total": value.total} if value.numbers else {}),
    },
}

_READERS: dict[type[Any], Callable[[dict[str, Any], Step, Values], Any]] = {
    Question: _read_question,
    Delay: lambda data, step, values: Delay(float(data["seconds"])),
    Until: lambda data, step, values: Until(datetime.fromisoformat(data["moment"])),
    Outside: lambda data, step, values: Outside(
        tuple(values.classes.event(one) for one in data.get("events") or [data["event"]])
    ),
    Child: _read_child,
    Items: _read_items,
}
