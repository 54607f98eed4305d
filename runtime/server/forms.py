"""Endpoints of forms that the operator has opened, which start runs; and links to what is open, forms and talks."""

from __future__ import annotations

import asyncio
import secrets
import time
from typing import Any, Final

from wfc.runtime.server.calls import Call, Problem, Reply
from wfc.runtime.server.data import moment
from wfc.runtime.server.endpoint import LINK, OPENED, TEXT, Endpoint, object_of, whole
from wfc.runtime.server.installation import Installation
from wfc.runtime.server.links import Purpose, TaskLink, read_link, run_of_link, write_link
from wfc.runtime.server.openings import Opening
from wfc.runtime.server.starts import begin_run, read_inputs
from wfc.runtime.server.workflows import schema_of
from wfc.runtime.store.journal import Lost

__all__ = ["FOR", "FORMS", "INPUTS", "link_to", "linked", "shown", "start", "token_of"]

LINK_LASTS: Final = 7 * 24 * 3600
LINK_AT_MOST: Final = 90 * 24 * 3600


async def list_openings(server: Installation, call: Call) -> Reply:
    """List the forms and talks that are open, and to whom: those of the workflows that one may see."""
    found = {
        kind: [
            {"name": one.name, "workflow": one.workflow, "to": one.to, "title": one.title}
            for one in openings.values()
            if call.principal.knows(one.workflow)
        ]
        for kind, openings in (("forms", server.openings.forms), ("chats", server.openings.chats))
    }
    return Reply({**found, "address": server.address or call.server})


async def show_form(server: Installation, call: Call) -> Reply:
    """Show a form that is open to anybody: the JSON Schema of what it takes."""
    return shown(server, server.openings.form(call.path["form"], "anybody"))


async def fill_form(server: Installation, call: Call) -> Reply:
    """Fill in a form that is open to anybody, which starts a run; nothing of that is shown."""
    opening = server.openings.form(call.path["form"], "anybody")
    await start(server, opening, call.data["inputs"], f"f-{secrets.token_hex(16)}", is_stranger=True)
    return Reply({"taken": True}, 202)


async def link_form(server: Installation, call: Call) -> Reply:
    """Make a link by which somebody fills in this form, once: `for` says who that is."""
    return link_to(server, call, server.openings.form(call.path["form"], "principals"))


async def show_linked_form(server: Installation, call: Call) -> Reply:
    """Show the form of a link; this does not use the link up."""
    link, opening = linked(server, call, "form")
    if await asyncio.to_thread(server.engine.store.runs, run_id=run_of_link(call.link)):
        raise Problem(410, "link.used", "this form was filled in by this link")
    form = shown(server, opening)
    return Reply({**form.data, "for": link.by})


async def fill_linked_form(server: Installation, call: Call) -> Reply:
    """Fill in the form of a link, which uses it up; what does not fit does not.

    Raises:
        Problem: It was used before.
    """
    _, opening = linked(server, call, "form")
    if not await start(server, opening, call.data["inputs"], run_of_link(call.link)):
        raise Problem(410, "link.used", "this form was filled in by this link")
    return Reply({"taken": True}, 202)


def shown(server: Installation, opening: Opening) -> Reply:
    """Show what is open: its title, and the JSON Schema of what it takes."""
    plan = server.offered[opening.workflow]._wfc.plan
    return Reply({opening.kind: opening.name, "title": opening.title, "inputs": schema_of(plan.start_class)})


async def start(
    server: Installation, opening: Opening, inputs: dict[str, Any], run_id: str, *, is_stranger: bool = False
) -> bool:
    """Start a run of what is open; return whether there was none of that id.

    Raises:
        Problem: The inputs do not fit, too many have come, or the server is about to end.
    """
    if server.is_draining:
        raise Problem(503, "server.draining", "the server is about to end", headers={"Retry-After": "5"})
    workflow = server.offered[opening.workflow]
    begins = read_inputs(workflow._wfc.plan.start_class, inputs)
    if is_stranger:
        opening.come_in()
    try:
        await begin_run(server, workflow, begins, run_id)
    except Lost:
        return False
    return True


# --- links


def link_to(server: Installation, call: Call, opening: Opening) -> Reply:
    """Return a link to what is open.

    Raises:
        Problem: It is not open to links, or there is no key.
    """
    if opening.to == "principals":
        raise Problem(409, f"{opening.kind}.no_links", f"`{opening.name}` is not open to links")
    if not call.principal.knows(opening.workflow):
        raise Problem(404, f"{opening.kind}.unknown", f"there is no {opening.kind} `{opening.name}`")
    token, until = token_of(
        server, opening, call.data["for"], call.data.get("seconds", LINK_LASTS), call.principal.name
    )
    address = f"{server.address or call.server}/{opening.kind}#{token}"
    return Reply({"link": address, "token": token, "for": call.data["for"], "until": until}, 201)


def token_of(
    server: Installation, opening: Opening, by: str, seconds: int, made_by: str
) -> tuple[str, str | None]:
    """Return the token of a new link to what is open, and until when it counts.

    Raises:
        Problem: There is no key, or who it is for has no name.
    """
    if not server.key:
        raise Problem(404, "link.none", "this server has no key to sign links with")
    if not by.strip() or not by.isprintable() or len(by) > 100 or "," in by:
        raise Problem(422, "body.members", "`for` is a name such as user:eve")
    until = int(time.time()) + seconds
    link = TaskLink(opening.name, by, until, made_by, secrets.token_hex(16))
    return write_link(link, server.key, opening.kind), moment(until * 1_000_000_000)


def linked(server: Installation, call: Call, purpose: Purpose) -> tuple[TaskLink, Opening]:
    """Return the link of a request, and what it is to.

    Raises:
        Problem: It is not valid, or that is not open any more.
    """
    link = read_link(call.link, server.key, purpose)
    try:
        find = server.openings.form if purpose == "form" else server.openings.chat
        opening = find(link.task, "principals")
    except Problem:
        raise Problem(410, "link.used", "this is not open any more") from None
    if opening.to == "principals":
        raise Problem(410, "link.used", "this is not open any more")
    return link, opening


INPUTS: Final = {"inputs": {"type": "object"}}
FOR: Final = object_of(("for",), **{"for": TEXT, "seconds": whole(1, LINK_AT_MOST)})

FORMS: Final[tuple[Endpoint, ...]] = (
    Endpoint("GET", "/v1/openings", "list_openings", list_openings, ("see", "start", "operate")),
    Endpoint("GET", "/v1/forms/{form}", "show_form", show_form, (OPENED,)),
    Endpoint(
        "POST",
        "/v1/forms/{form}",
        "fill_form",
        fill_form,
        (OPENED,),
        body=object_of(("inputs",), **INPUTS),
        good=(202,),
    ),
    Endpoint("POST", "/v1/forms/{form}/link", "link_form", link_form, ("operate",), body=FOR, good=(201,)),
    Endpoint("GET", "/v1/links/form", "show_linked_form", show_linked_form, (LINK,), link="form"),
    Endpoint(
        "POST",
        "/v1/links/form",
        "fill_linked_form",
        fill_linked_form,
        (LINK,),
        body=object_of(("inputs",), **INPUTS),
        good=(202,),
        link="form",
    ),
)
