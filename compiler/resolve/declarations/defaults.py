"""Defaults for steps that name nothing else: the model, the retry policy and the time-out under `defaults`."""

from __future__ import annotations

from wfc.compiler.diagnostics import Place
from wfc.compiler.model import Model
from wfc.compiler.resolve.declarations import retries
from wfc.compiler.resolve.symbols.declarations import Declarations, Defaults
from wfc.compiler.resolve.symbols.tables import Data
from wfc.compiler.resolve.values import bounds
from wfc.compiler.rules import shape as shape_problems

__all__ = ["declare_defaults", "step_model"]


def declare_defaults(data: object, declared: Declarations) -> None:
    """Declare the entries of `defaults`; models and retry policies have been declared before."""
    if not isinstance(data, dict):
        declared.defaults = Defaults(
            has_model=declared.is_broken(("defaults",))
        )  # what else it says is not known
        return
    place = Place(("defaults",))
    name = data.get("model")
    declared.defaults = Defaults(
        model=declared.models.find(name, place / "model", declared.report) if isinstance(name, str) else None,
        has_model="model" in data or declared.is_broken(("defaults", "model")),
        retry=retries.resolve_retry(data.get("retry"), place / "retry", "default", declared),
        timeout=bounds.length(data["timeout"], place / "timeout", declared) if "timeout" in data else None,
    )


def step_model(data: Data, place: Place, owner: str, declared: Declarations) -> Model | None:
    """Return the model that a step or an action names, or the default model.

    Args:
        owner: Who needs a model, for the message if there is none.
    """
    name = data.get("model")
    if isinstance(name, str):
        return declared.models.find(name, place / "model", declared.report)
    if not declared.defaults.has_model and not declared.is_broken((*place.address, "model")):
        hint = "write `model: NAME`, a name from `models`, or say it for all steps under `defaults`"
        if data.get("kind") == "agent":
            hint += "; an agent from `agents` is named by `agent: NAME`"
        declared.report(shape_problems.missing_key(place.key, f"`{owner}`", ["model"], hint))
    return declared.defaults.model
