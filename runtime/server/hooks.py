"""The endpoint of webhooks: what others send starts runs, each delivery one."""

from __future__ import annotations

import contextlib
import hashlib
import time
import uuid
from typing import Any, Final

from wfc.runtime.authoring.triggers import Hook, TriggerRule, start_by
from wfc.runtime.calls.secrets import Secret
from wfc.runtime.errors import ExpressionError, SettingsError, StepError
from wfc.runtime.plan.triggers import WebhookTrigger
from wfc.runtime.server.auditing import entry_of
from wfc.runtime.server.calls import Call, Problem, Reply
from wfc.runtime.server.hooked import Hooked
from wfc.runtime.server.installation import Installation
from wfc.runtime.server.signatures import is_bearer, signed_content
from wfc.runtime.server.starts import begin_run
from wfc.runtime.store.journal import Lost
from wfc.runtime.values.outputs import InvalidOutput, from_json
from wfc.runtime.values.strict_json import parsed

__all__ = ["receive_hook"]

NOT_OURS: Final = frozenset({"authorization", "cookie", "proxy-authorization"})
"""Headers that no run gets to see."""

FORMER: Final = "_FORMER"
"""What the name of a secret ends with, while the former one counts, too: `SHOP_SECRET_FORMER`."""

_IDS: Final = ("webhook-id", "idempotency-key")
"""Headers by which those who prove themselves by a token say that a delivery is the same."""


async def receive_hook(server: Installation, call: Call) -> Reply:
    """Start a run by what somebody sends who proves who that is, as the workflow's trigger says; each delivery once.

    Raises:
        Problem: There is no such webhook, the proof does not hold or is too old, which all look the same; or what is
            sent does not fit.
    """
    found = server.hooks.get(call.path["hook"])
    if found is None:
        raise refused()
    delivery = delivery_of(server, found, call)
    if server.is_draining:
        raise Problem(503, "server.draining", "the server is about to end", headers={"Retry-After": "5"})
    name = found.workflow._wfc.name
    run_id = f"{name}-{found.rule.name}-{delivery}"
    trigger = WebhookTrigger(found.rule.name, body_of(found.rule, call.raw), headers_of(call))
    try:
        start = start_by(found.rule, found.workflow, trigger, found.workflow._wfc.read_config)
        begun = await begin_run(server, found.workflow, start, run_id, entry_of(call, "202", run_id))
    except (ExpressionError, StepError) as error:
        server.note(f"{run_id} cannot be started: {error}")
        raise Problem(422, "hook.values", "the trigger cannot make a start event of it") from None
    except Lost:
        return Reply({"run": run_id}, 202, {"Idempotent-Replay": "true"})
    return Reply({"run": begun.run_id}, 202, is_noted=begun.run is not None)


def refused() -> Problem:
    return Problem(401, "hook.refused", "there is no such webhook, or the proof of who sends does not hold")


def delivery_of(server: Installation, found: Hooked, call: Call) -> str:
    """Return the id of a delivery: that of the same one that is sent again is the same.

    It is made of what is signed, so that nobody can send it again under another id; where nothing is signed, of the id
    that the sender gives it.

    Raises:
        Problem: The proof does not hold, or cannot be judged now.
    """
    hook = found.hook
    secrets = secrets_of(server, hook)
    if hook.header is not None:
        now = time.time()
        shown = [signed_content(hook, one, call.headers, call.raw, now) for one in secrets]
        content = next((one for one in shown if one is not None), None)
        if content is None:
            raise refused()
        return hashlib.sha256(content).hexdigest()[:32]
    if not any(is_bearer(one, call.headers) for one in secrets):
        raise refused()
    given = [f"{name} {call.headers[name]}" for name in _IDS if call.headers.get(name)]
    return hashlib.sha256(given[0].encode()).hexdigest()[:32] if given else uuid.uuid4().hex


def secrets_of(server: Installation, hook: Hook) -> list[str]:
    """Return the secret of a webhook, and the former one while its sender changes it.

    Raises:
        Problem: It is not set.
    """
    try:
        found = [Secret(hook.secret).reveal()]
    except SettingsError as error:
        server.note(f"the webhook `{hook.path}` takes nothing: {error}")
        raise Problem(503, "server.settings", "the server is not ready for this webhook") from None
    with contextlib.suppress(SettingsError):
        found.append(Secret(hook.secret + FORMER).reveal())
    return found


def body_of(rule: TriggerRule, raw: bytes) -> Any:
    """Return what was sent, as the type that the trigger has for it; further fields are left out.

    Raises:
        Problem: It is not JSON, or does not fit.
    """
    try:
        parsed(raw)
        return from_json(rule.body, raw, extra_fields=True, outside=True)
    except InvalidOutput as error:
        raise Problem(422, "hook.body", f"the body does not fit: {error}") from None
    except ValueError as error:
        raise Problem(400, "body.json", f"the body is not JSON that can be taken: {error}") from None


def headers_of(call: Call) -> dict[str, str]:
    """Return the headers that a run may see."""
    return {name: value for name, value in call.headers.items() if name not in NOT_OURS}
