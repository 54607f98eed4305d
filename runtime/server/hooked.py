"""The webhooks of workflows, by their paths."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from wfc.runtime.authoring.triggers import Hook, TriggerRule, triggers_in
from wfc.runtime.driver.engine.children import StartableWorkflow
from wfc.runtime.errors import SettingsError

__all__ = ["Hooked", "hooks_of"]


class Hooked(NamedTuple):
    """A webhook, and the workflow whose runs it starts."""

    workflow: StartableWorkflow
    rule: TriggerRule
    hook: Hook


def hooks_of(workflows: Iterable[StartableWorkflow]) -> dict[str, Hooked]:
    """Return the webhooks of workflows, by their paths.

    Raises:
        SettingsError: Two have the same path.
    """
    found: dict[str, Hooked] = {}
    for workflow in workflows:
        for rule in triggers_in(workflow._wfc.run_rules.functions):
            if rule.hook is None:
                continue
            first = found.setdefault(rule.hook.path, Hooked(workflow, rule, rule.hook))
            if first.rule is not rule:
                names = f"`{first.workflow._wfc.name}` and `{workflow._wfc.name}`"
                raise SettingsError(f"{names} both have the webhook `{rule.hook.path}`")
    return found
