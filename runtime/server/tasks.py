"""Endpoints of the questions to people: lists, forms, answers, passing on, and links by which others answer."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable
from dataclasses import replace
from functools import partial
from typing import Any, Final, TypeVar

from wfc.runtime.driver.engine.tasks import check_name
from wfc.runtime.errors import (
    AnsweredAlreadyError,
    InvalidAnswerError,
    InvalidDelegationError,
    UnknownQuestionError,
    WorkflowError,
)
from wfc.runtime.server.access import Principal
from wfc.runtime.server.calls import Call, Problem, Reply
from wfc.runtime.server.cursors import read_cursor, write_cursor
from wfc.runtime.server.data import moment, task_data
from wfc.runtime.server.installation import Installation
from wfc.runtime.server.links import TaskLink, read_link, write_link
from wfc.runtime.server.refusals import problem_of
from wfc.runtime.store.sql import inbox, paging
from wfc.runtime.store.sql.reading import TaskRow

__all__ = [
    "answer_by_link",
    "answer_task",
    "answer_tasks",
    "delegate_task",
    "link_task",
    "list_tasks",
    "show_by_link",
    "show_task",
]

T = TypeVar("T")

MOST: Final = 1000
LINK_LASTS: Final = 7 * 24 * 3600
LINK_AT_MOST: Final = 90 * 24 * 3600
MOST_ANSWERS: Final = 100
USED: Final = "this question is answered, or was taken back"
PASSED_ON: Final = "this question was passed on to somebody else: this link to it is not valid any more"


async def list_tasks(server: Installation, call: Call) -> Reply:
    """List open questions, the oldest first, page by page: all that one may see, or with `?mine` may answer."""
    principal = call.principal
    most = call.number("most", 100)
    is_mine = call.flag("mine") or not principal.may("see")
    after = call.query.get("after")
    read = partial(
        paging.page_of_tasks,
        workflows=await server.workflows_for(principal),
        whom=principal.names if is_mine else None,
        run_id=call.query.get("run"),
        is_open=not call.flag("all"),
        after=None if after is None else tuple(read_cursor(after, int, str)),
        most=most,
    )
    found = await asyncio.to_thread(server.engine.store.select, read)
    following = write_cursor(found[-1].opened, found[-1].task_id) if len(found) == most else None
    return Reply({"tasks": [task_data(row) for row in found], "next": following})


async def show_task(server: Installation, call: Call) -> Reply:
    """Show a question: what is to be decided upon, and the JSON Schema of an answer."""
    return Reply(task_data(await task_for(server, call.principal, call.path["task"])))


async def task_for(server: Installation, principal: Principal, task_id: str) -> TaskRow:
    """Return a task that somebody may see: as one who sees its run, or who is asked.

    Raises:
        Problem: There is none, or not for this one, which looks the same from outside.
    """
    try:
        row = await asyncio.to_thread(server.engine.task, task_id)
    except UnknownQuestionError:
        row = None
    if (
        row is None
        or not principal.knows(row.workflow)
        or not (principal.may("see") or is_asked(principal, row))
    ):
        raise Problem(404, "task.unknown", f"there is no task `{task_id}`")
    return row


def is_asked(principal: Principal, row: TaskRow) -> bool:
    """Return whether a question is for somebody: by name, by a group, or for anybody."""
    return not row.assign or not set(row.assign).isdisjoint(principal.names)


async def answer_task(server: Installation, call: Call) -> Reply:
    """Answer a question. What does not fit its form, or what its step requires, is refused, and it stays open.

    The same person's answer counts once, however often it is sent.

    Raises:
        Problem: The question is put to others.
    """
    row = await task_for(server, call.principal, call.path["task"])
    if not is_asked(call.principal, row):
        asked = ", ".join(row.assign)
        raise Problem(
            403, "task.not_yours", f"asked is {asked}: it can be passed on, or a link be made for them"
        )
    return await answer(server, row, call.data.get("answer"), call.principal.name)


async def answer_tasks(server: Installation, call: Call) -> Reply:
    """Answer several questions, each as if it were alone: one that is refused hinders no other."""
    given = call.data["answers"]
    each = [
        replace(call, path={"task": one["task"]}, data={"answer": one["answer"]}, action="answer_task")
        for one in given
    ]
    if len({one["task"] for one in given}) == len(given):
        told = await asyncio.gather(*(_answered(server, one) for one in each))
    else:
        told = [await _answered(server, one) for one in each]  # so that the first answer to a question counts
    return Reply({"answers": told})


async def _answered(server: Installation, call: Call) -> dict[str, Any]:
    """Answer one question of several, note that, and return what has become of it."""
    told: dict[str, Any] = {"task": call.path["task"]}
    try:
        reply = await answer_task(server, call)
    except (Problem, WorkflowError) as error:
        problem = error if isinstance(error, Problem) else problem_of(error, server.engine.store.errors)
        told |= {"done": False, "code": problem.code, "detail": problem.detail}
    else:
        told |= {"done": True, "closed": reply.data["closed"]}
    await server.audit.note(call, told.get("code", "200"))
    return told


async def answer(server: Installation, row: TaskRow, value: object, by: str) -> Reply:
    """Bring an answer to its question, and return how that is now.

    Raises:
        Problem: The question is closed, and the answer of another one.
        WorkflowError: It does not fit.
    """
    answering = row.task_id, by
    if answering in server.answering:
        raise Problem(409, "task.answered", "another answer of the same person is on its way")
    server.answering.add(answering)
    try:
        row, before = await answers_of(server, row)
        if row.closed is not None and by not in before:
            raise Problem(409, "task.closed", f"the question is closed: {row.because}")
        if by not in before:
            server.load_code(await asyncio.to_thread(_root_of, server, row))
            with_answer = server.engine.answer(row.task_id, value, by=by, leave=True)
            server.rest_soon(await unless_closed(server, row, with_answer))
    finally:
        server.answering.discard(answering)
    server.look_now()
    after = await asyncio.to_thread(server.engine.task, row.task_id)
    headers = {"Idempotent-Replay": "true"} if by in before else {}
    return Reply(task_data(after), 200 if after.closed is not None else 202, headers)


async def unless_closed(server: Installation, row: TaskRow, change: Awaitable[T]) -> T:
    """Return what a change of a question gives.

    Raises:
        Problem: The question has been closed since it was looked at.
        WorkflowError: The change does not fit.
    """
    try:
        return await change
    except AnsweredAlreadyError as error:
        raise Problem(409, "task.answered", str(error)) from None
    except (InvalidAnswerError, InvalidDelegationError):
        now = await asyncio.to_thread(server.engine.task, row.task_id)
        if now.closed is None:
            raise
        raise Problem(409, "task.closed", f"the question is closed: {now.because}") from None


async def answers_of(server: Installation, row: TaskRow) -> tuple[TaskRow, list[str]]:
    """Return a task as it is now, and who has answered it; an answer counts from when it is recorded."""
    read = partial(inbox.answering, run_id=row.run_id, task_id=row.task_id)
    waiting = await asyncio.to_thread(server.engine.store.select, read)
    now = await asyncio.to_thread(
        server.engine.task, row.task_id
    )  # after it: what was taken meanwhile is there
    return now, [*filter(None, (now.answered_by or "").split(",")), *waiting]


def _root_of(server: Installation, row: TaskRow) -> Any:
    return server.engine.show(server.engine.store.root_of(row.run_id) or row.run_id)


async def delegate_task(server: Installation, call: Call) -> Reply:
    """Pass a question on, so that somebody else is asked.

    Raises:
        Problem: The question is put to others.
    """
    row = await task_for(server, call.principal, call.path["task"])
    if not (is_asked(call.principal, row) or call.principal.may("operate")):
        raise Problem(403, "task.not_yours", f"asked is {', '.join(row.assign)}")
    server.load_code(await asyncio.to_thread(_root_of, server, row))
    delegated = server.engine.delegate(
        row.task_id,
        call.data["to"],
        by=call.principal.name,
        because=call.data.get("because", "")[:500],
        leave=True,
    )
    server.rest_soon(await unless_closed(server, row, delegated))
    return Reply(task_data(await asyncio.to_thread(server.engine.task, row.task_id)), 202)


# --- links


async def link_task(server: Installation, call: Call) -> Reply:
    """Make a link by which somebody answers this question, once: `for` says who that is.

    Whoever has the link can answer, so send it to nobody else. It stands behind a `#`, which no server gets to see.

    Raises:
        Problem: There is no key, or the question is closed.
    """
    row = await task_for(server, call.principal, call.path["task"])
    whom, seconds = call.data["for"], call.data.get("seconds", LINK_LASTS)
    if not server.key:
        raise Problem(404, "link.none", "this server has no key to sign links with")
    if row.closed is not None:
        raise Problem(409, "task.closed", f"the question is closed: {row.because}")
    check_name(whom)
    until = int(time.time()) + seconds
    link = TaskLink(row.task_id, whom, until, call.principal.name, passed_on=len(row.passed_on))
    token = write_link(link, server.key)
    told = {"link": f"{server.address or call.server}/task#{token}", "token": token, "for": whom}
    return Reply({**told, "until": moment(until * 1_000_000_000)}, 201)


async def linked_task(server: Installation, call: Call) -> tuple[TaskLink, TaskRow]:
    """Return the link of a request, and its question.

    Raises:
        Problem: It is not valid, or was used, or the question was passed on since it was made.
    """
    link = read_link(call.link, server.key)
    try:
        row = await asyncio.to_thread(server.engine.task, link.task)
    except UnknownQuestionError:
        raise Problem(410, "link.used", "the question is not there any more") from None
    row, answered = await answers_of(server, row)
    if row.closed is not None or link.by in answered:
        raise Problem(410, "link.used", USED)
    if len(row.passed_on) > link.passed_on and link.by not in row.assign:
        raise Problem(410, "link.passed_on", PASSED_ON)
    return link, row


async def show_by_link(server: Installation, call: Call) -> Reply:
    """Show the question of a link, and nothing else; this does not use the link up."""
    link, row = await linked_task(server, call)
    told = task_data(row)
    wanted = ("title", "form", "show", "prefill", "opened", "expires")
    return Reply({**{name: told[name] for name in wanted}, "for": link.by})


async def answer_by_link(server: Installation, call: Call) -> Reply:
    """Answer the question of a link, which uses it up; an answer that is refused does not.

    Raises:
        Problem: The link was used meanwhile.
    """
    link, row = await linked_task(server, call)
    reply = await answer(server, row, call.data.get("answer"), link.by)
    if "Idempotent-Replay" in reply.headers:  # another request with this link came before
        raise Problem(410, "link.used", USED)
    return Reply({"for": link.by, "answered": True})
