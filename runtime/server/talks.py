"""Endpoints of talks with workflows that the operator has opened: a talk is a run that one talks with.

Somebody without a token has a link to the one talk, or begins one that is open to anybody, and gets a link to that.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import secrets
import time
from collections.abc import AsyncGenerator
from typing import Any, Final

from wfc.runtime.driver.messages import EventData
from wfc.runtime.events import event_name
from wfc.runtime.server.access import Principal
from wfc.runtime.server.batches import StreamBatch, StreamMessage
from wfc.runtime.server.calls import Call, Problem, Reply, StreamReply
from wfc.runtime.server.data import json_bytes
from wfc.runtime.server.endpoint import LINK, OPENED, TEXT, Endpoint, object_of, whole
from wfc.runtime.server.forms import FOR, INPUTS, link_to, linked, shown, start, token_of
from wfc.runtime.server.installation import Installation
from wfc.runtime.server.links import run_of_link
from wfc.runtime.server.openings import Opening, talk_of
from wfc.runtime.server.shown import START, Position, read_position, told_since
from wfc.runtime.store.sql.reading import RunRow

__all__ = ["TALKS"]

TALK_LASTS: Final = 30 * 24 * 3600
LONGEST: Final = 20_000
"""The characters of a message."""


# --- talks of principals


async def begin_chat(server: Installation, call: Call) -> Reply:
    """Begin a talk with a workflow that the operator has opened: a run, whose id is the `chat` of the reply."""
    opening = server.openings.chat(call.path["chat"], "principals")
    server.workflow_for(call.principal, opening.workflow)
    run_id = own_chat(server.key, call.principal, opening)
    await start(server, opening, call.data.get("inputs", {}), run_id)
    return Reply({"chat": run_id, "run": run_id}, 201, {"Location": f"{call.server}/v1/chats/{run_id}"})


def own_chat(key: bytes, principal: Principal, opening: Opening, nonce: str = "") -> str:
    """Return an id of a talk that says to us, and to nobody else, whose it is."""
    nonce = nonce or secrets.token_hex(12)
    told = json.dumps(["chat", principal.name, opening.workflow, nonce]).encode()
    return f"c-{nonce}-{hmac.new(key or b'none', told, hashlib.sha256).hexdigest()[:24]}"


async def _own(server: Installation, call: Call) -> tuple[RunRow, Opening]:
    """Return a talk that somebody may follow: one's own, or as one who sees runs.

    Raises:
        Problem: There is none.
    """
    run_id = call.path["run"]
    unknown = Problem(404, "chat.unknown", f"there is no chat `{run_id[:100]}`")
    try:
        row = await server.run_for(call.principal, run_id)
    except Problem:
        raise unknown from None
    for opening in server.openings.chats.values():
        if opening.workflow != row.workflow:
            continue
        nonce = run_id.split("-")[1] if run_id.count("-") == 2 else ""
        is_own = bool(nonce) and hmac.compare_digest(
            own_chat(server.key, call.principal, opening, nonce), run_id
        )
        if is_own or call.principal.may("see"):
            return row, opening
    raise unknown


async def show_chat(server: Installation, call: Call) -> Reply:
    """Show what was said in a talk after `after`; with `?wait=20`, once there is more, or after so many seconds."""
    row, opening = await _own(server, call)
    return await _said(server, call, row.run_id, opening)


async def say(server: Installation, call: Call) -> Reply:
    """Say something in a talk. With a `message_id` it is said once, however often it is sent."""
    row, opening = await _own(server, call)
    await _say(server, opening, row, call)
    return Reply({"chat": row.run_id}, 202)


async def stream_chat(server: Installation, call: Call) -> StreamReply:
    """Stream what is said in a talk, from its beginning, or on from `Last-Event-ID`, until it is over."""
    row, opening = await _own(server, call)
    return _stream(server, call, row, opening)


async def link_chat(server: Installation, call: Call) -> Reply:
    """Make a link by which somebody has one talk: `for` says who that is."""
    return link_to(server, call, server.openings.chat(call.path["chat"], "principals"))


# --- talks by links


async def show_open_chat(server: Installation, call: Call) -> Reply:
    """Show a talk that is open to anybody: the JSON Schema of what it begins with."""
    return shown(server, server.openings.chat(call.path["chat"], "anybody"))


async def open_chat(server: Installation, call: Call) -> Reply:
    """Begin a talk that is open to anybody: the reply has the `token` of a link, by which it goes on."""
    opening = server.openings.chat(call.path["chat"], "anybody")
    token, until = token_of(server, opening, "anybody", TALK_LASTS, "anybody")
    await start(server, opening, call.data.get("inputs", {}), run_of_link(token), is_stranger=True)
    return Reply({"token": token, "until": until}, 201)


async def show_linked_chat(server: Installation, call: Call) -> Reply:
    """Show what was said in the talk of a link after `after`; before it has begun, what it begins with."""
    _, opening = linked(server, call, "chat")
    rows = await asyncio.to_thread(server.engine.store.runs, run_id=run_of_link(call.link))
    if not rows:
        form = shown(server, opening)
        return Reply({**form.data, "begun": False, "over": False, "messages": []})
    return await _said(server, call, run_of_link(call.link), opening)


async def say_by_link(server: Installation, call: Call) -> Reply:
    """Begin the talk of a link, by `inputs`, or say something in it, by `text`.

    Raises:
        Problem: It has begun, or has not.
    """
    _, opening = linked(server, call, "chat")
    run_id = run_of_link(call.link)
    if ("inputs" in call.data) == ("text" in call.data):
        raise Problem(422, "body.members", "a talk begins with `inputs`, and goes on with `text`")
    if "inputs" in call.data:
        if not await start(server, opening, call.data["inputs"], run_id):
            raise Problem(409, "chat.begun", "this talk has begun")
        return Reply({"begun": True}, 201)
    rows = await asyncio.to_thread(server.engine.store.runs, run_id=run_id)
    if not rows:
        raise Problem(409, "chat.not_begun", "this talk has not begun: it begins with `inputs`")
    opening.hear(run_id)
    await _say(server, opening, rows[0], call)
    return Reply({"begun": True}, 202)


async def stream_linked_chat(server: Installation, call: Call) -> StreamReply:
    """Stream what is said in the talk of a link, until it is over.

    Raises:
        Problem: It has not begun.
    """
    _, opening = linked(server, call, "chat")
    rows = await asyncio.to_thread(server.engine.store.runs, run_id=run_of_link(call.link))
    if not rows:
        raise Problem(409, "chat.not_begun", "this talk has not begun: it begins with `inputs`")
    return _stream(server, call, rows[0], opening)


# --- what is said


async def _say(server: Installation, opening: Opening, row: RunRow, call: Call) -> None:
    """Bring what somebody says to a run.

    Raises:
        Problem: It is empty, or too long.
        WorkflowError: The run takes nothing any more.
    """
    text = call.data["text"]
    if not text.strip() or len(text) > LONGEST:
        raise Problem(422, "chat.text", f"a message has 1 to {LONGEST} characters")
    name, attribute, key = talk_of(server.offered[opening.workflow])
    fields = {attribute: text} | ({key: row.key} if key is not None else {})
    server.load_code(row)
    await server.engine.post(row.run_id, EventData(name, fields), message_id=call.data.get("message_id"))
    server.look_now()


async def _said(server: Installation, call: Call, run_id: str, opening: Opening) -> Reply:
    after = call.query.get("after")
    since = START if after is None else read_position(after)
    until = time.monotonic() + call.number("wait", 0)
    seen = await server.watch.progress(run_id)  # before the messages: what comes after it is waited for
    found = await _messages(server, run_id, opening, since)
    while not found and (left := until - time.monotonic()) > 0:
        if seen is None or seen.is_over or server.is_draining:
            break
        latest = await server.watch.changed(run_id, seen, min(left, 1.0))
        if latest != seen:
            seen = latest
            found = await _messages(server, run_id, opening, since)
    row = await asyncio.to_thread(server.engine.show, run_id)
    told = {"chat": run_id, "begun": True, "over": row.ended is not None, "messages": found}
    return Reply({**told, "title": opening.title, "next": found[-1]["id"] if found else after})


async def _messages(
    server: Installation, run_id: str, opening: Opening, since: Position
) -> list[dict[str, Any]]:
    row = await asyncio.to_thread(server.engine.show, run_id)
    server.load_code(row)
    placed = await asyncio.to_thread(told_since, server.engine, run_id, since)
    return [told for _, message in placed if (told := _shown_message(server, opening, message))]


def _shown_message(server: Installation, opening: Opening, message: StreamMessage) -> dict[str, Any] | None:
    """Return what people see of something that has happened in a talk; ``None``: nothing."""
    if message.kind != "event":
        return None
    data = json.loads(message.data)
    event, fields = data.get("event"), data.get("with") or {}
    said, attribute, _ = talk_of(server.offered[opening.workflow])
    begins = server.offered[opening.workflow]._wfc.plan.start_class
    if (
        data.get("step") is None
        and event in {said, event_name(begins)}
        and isinstance(fields.get(attribute), str)
    ):
        return {"id": message.id, "by": "person", "text": fields[attribute], "at": data["at"]}
    wanted = opening.replies.get(str(event))
    if data.get("step") is None or wanted is None or wanted not in fields:
        return None
    text = fields[wanted]
    said_text = text if isinstance(text, str) else json_bytes(text).decode()
    return {"id": message.id, "by": "workflow", "text": said_text, "at": data["at"]}


def _stream(server: Installation, call: Call, row: RunRow, opening: Opening) -> StreamReply:
    server.load_code(row)
    text = call.headers.get("last-event-id")
    since = START if not text else read_position(text)

    async def messages() -> AsyncGenerator[StreamBatch, None]:
        told = server.feeds.messages(row.run_id, since, lambda: server.is_draining)
        try:
            async for batch in told:
                if seen := [one for each in batch.messages if (one := _seen(server, opening, each))]:
                    yield StreamBatch(seen)
        finally:
            await told.aclose()

    return StreamReply(messages(), as_lines="application/x-ndjson" in call.headers.get("accept", ""))


def _seen(server: Installation, opening: Opening, message: StreamMessage) -> StreamMessage | None:
    """Return a message as whoever talks sees it; ``None``: not at all."""
    if message.kind == "end":
        return StreamMessage(message.id, "end", b"{}")
    if message.kind in {"", "hello", "bye"}:  # of the stream itself, without what they tell of the run
        return message._replace(data=b"{}" if message.kind else b"")
    if message.kind == "text":
        return message if json.loads(message.data)["step"] in opening.text_of else None
    line = _shown_message(server, opening, message)
    return None if line is None else StreamMessage(message.id, "said", json_bytes(line))


_SAID: Final = {"after": TEXT, "wait": whole(0, 60)}
_STREAM: Final[dict[str, Any]] = {"headers": ("Last-Event-ID", "Accept"), "content": "text/event-stream"}
_SAY: Final = object_of(("text",), text=TEXT, message_id=TEXT)
_TALKERS: Final = ("start", "see")

TALKS: Final[tuple[Endpoint, ...]] = (
    Endpoint("GET", "/v1/open/chats/{chat}", "show_open_chat", show_open_chat, (OPENED,)),
    Endpoint(
        "POST",
        "/v1/open/chats/{chat}",
        "open_chat",
        open_chat,
        (OPENED,),
        body=object_of(**INPUTS),
        good=(201,),
    ),
    Endpoint(
        "POST",
        "/v1/chats/{chat}",
        "begin_chat",
        begin_chat,
        ("start",),
        body=object_of(**INPUTS),
        good=(201,),
    ),
    Endpoint("POST", "/v1/chats/{chat}/link", "link_chat", link_chat, ("operate",), body=FOR, good=(201,)),
    Endpoint("GET", "/v1/chats/{run}/stream", "stream_chat", stream_chat, _TALKERS, **_STREAM),
    Endpoint("GET", "/v1/chats/{run}", "show_chat", show_chat, _TALKERS, query=_SAID),
    Endpoint("POST", "/v1/chats/{run}/messages", "say", say, ("start", "operate"), body=_SAY, good=(202,)),
    Endpoint(
        "GET",
        "/v1/links/chat/stream",
        "stream_linked_chat",
        stream_linked_chat,
        (LINK,),
        link="chat",
        **_STREAM,
    ),
    Endpoint(
        "GET", "/v1/links/chat", "show_linked_chat", show_linked_chat, (LINK,), query=_SAID, link="chat"
    ),
    Endpoint(
        "POST",
        "/v1/links/chat",
        "say_by_link",
        say_by_link,
        (LINK,),
        body=object_of(**INPUTS, text=TEXT, message_id=TEXT),
        good=(201, 202),
        link="chat",
    ),
)
