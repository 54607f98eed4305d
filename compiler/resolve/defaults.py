"""What steps use that name nothing else: the model, the retry policy and the time-out under `defaults`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from wfc.compiler.diagnostics import Place
from wfc.compiler.model import Action, MapItems, Model, Retry, WorkflowCall
from wfc.compiler.resolve.declared import Declared, Defaults
from wfc.compiler.resolve.durations import duration
from wfc.compiler.resolve.retries import resolve_retry
from wfc.compiler.rules.shape import missing_key

__all__ = ["declare_defaults", "step_model", "step_retry", "step_timeout"]

CALLING: Final = frozenset({"llm", "agent", "tool", "http", "map", "retrieve", "send"})
"""The kinds that take `retry` and `timeout` from `defaults`: those that call something, and wait for nobody."""


def declare_defaults(data: object, declared: Declared) -> None:
    """Enter what `defaults` says; models and retry policies are there already."""
    if not isinstance(data, dict):
        return
    place = Place(("defaults",))
    name = data.get("model")
    declared.defaults = Defaults(
        model=declared.models.find(name, place / "model", declared.report) if isinstance(name, str) else None,
        has_model="model" in data or declared.is_broken(("defaults", "model")),
        retry=resolve_retry(data.get("retry"), place / "retry", "default", declared),
        timeout=duration(data["timeout"], place / "timeout", declared.report) if "timeout" in data else None,
    )


def step_model(data: Mapping[str, object], place: Place, owner: str, declared: Declared) -> Model | None:
    """The model that a step or an action names, or the usual one.

    Args:
        owner: Who needs a model, for the message if there is none.
    """
    name = data.get("model")
    if isinstance(name, str):
        return declared.models.find(name, place / "model", declared.report)
    if not declared.defaults.has_model and not declared.is_broken((*place.address, "model")):
        hint = "write `model: NAME`, a name from `models`, or say it for all steps under `defaults`"
        declared.report(missing_key(place.key, f"`{owner}`", ["model"], hint))
    return declared.defaults.model


def step_retry(
    data: Mapping[str, object], action: Action | None, place: Place, name: str, declared: Declared
) -> Retry | None:
    """What follows when an attempt of a step fails."""
    if "retry" in data:
        return resolve_retry(data["retry"], place / "retry", name, declared)
    return declared.defaults.retry if is_calling(data, action) else None


def step_timeout(
    data: Mapping[str, object], action: Action | None, place: Place, declared: Declared
) -> float | None:
    """How long an attempt of a step may take, in seconds."""
    if "timeout" in data:
        return duration(data["timeout"], place / "timeout", declared.report)
    return declared.defaults.timeout if is_calling(data, action) else None


def is_calling(data: Mapping[str, object], action: Action | None) -> bool:
    """Whether a step calls something that waits for nobody; a tool, or what is done with an item, may be a workflow."""
    call = action.do if isinstance(action, MapItems) else action
    return data.get("kind") in CALLING and not isinstance(call, WorkflowCall)
