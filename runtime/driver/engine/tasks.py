"""The part of an engine with a store that knows the questions to people: lists, answers, and passing on."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any, Final, Protocol

from wfc.runtime.driver.engine.by_key import RunsByKey
from wfc.runtime.driver.handler import WorkflowHandler
from wfc.runtime.driver.run import Run
from wfc.runtime.driver.run.questions import read_delegation
from wfc.runtime.errors import (
    AnsweredAlreadyError,
    InvalidAnswerError,
    InvalidDelegationError,
    RunParkedError,
    UnknownQuestionError,
)
from wfc.runtime.store.sql.reading import TaskRow

__all__ = ["StoredTasks", "check_name"]

LONGEST_NAME: Final = 100


class StoredTasks(RunsByKey, Protocol):
    """The part of an engine with a store that knows the questions to people."""

    def tasks(
        self,
        *,
        run_id: str | None = None,
        is_open: bool = True,
        whom: Sequence[str] = (),
        or_anybody: bool = False,
        is_overdue: bool = False,
        most: int = 1000,
    ) -> list[TaskRow]:
        """Return the questions to people, the oldest first, without what they are about: the open ones, or all.

        Args:
            whom: Names of whom one is asked, such as ``user:ann``; nobody: whoever is asked.
            or_anybody: Whether those come too that anybody may answer.
            is_overdue: Whether only those come whose time is over, and nobody has come to close them.
        """
        return self.store.tasks(
            run_id=run_id,
            is_open=is_open or is_overdue,
            whom=whom,
            or_anybody=or_anybody,
            overdue_at=time.time_ns() if is_overdue else None,
            most=most,
        )

    def task(self, task_id: str) -> TaskRow:
        """Return a question to people, open or closed, with what it is about.

        Raises:
            UnknownQuestionError: There is none of that id.
        """
        found = self.store.task(task_id)
        if found is None:
            raise UnknownQuestionError(f"there is no task `{task_id}` in this store")
        return found

    async def answer(
        self,
        task_id: str,
        value: object = None,
        *,
        by: str,
        state: Mapping[str, Any] | None = None,
        leave: bool = False,
    ) -> WorkflowHandler[Any] | None:
        """Answer a task; return when the answer is recorded.

        Args:
            value: The answer, as JSON data.
            by: The person who answers, such as ``user:ann``. The same person's second answer has no effect.
            state: What is changed in the run's state in the same moment: values as JSON data, by path.
            leave: Whether to leave it to others to let the run go on, such as a worker, unless it is a part of another.

        Returns:
            The run, if it goes on in this process; ``None`` if a live process has it, or the answer is not new.

        Raises:
            UnknownQuestionError: There is no such task.
            AnsweredAlreadyError: An answer of this person is recorded, or was taken just now; this one has no effect.
            InvalidAnswerError: The answer does not fit, or the question is closed.
            InvalidValueError: A value does not fit the state, or there is no such place in it.
            StoreError: The run cannot go on.
        """
        task = self.task(task_id)
        if task.closed is not None:
            if by in (task.answered_by or "").split(","):
                return None
            raise InvalidAnswerError(f"the question `{task_id}` is closed: {task.because}")
        root = self.store.root_of(task.run_id) or task.run_id
        if await self.here(root) is None:
            await self.kept.recovering.check_answer(
                task.run_id, task_id, value, by, state
            )  # before anything is written
        if self.run(root) is None and ((leave and root == task.run_id) or self.store.is_worked_on(root)):
            data = {"question": task_id, "value": value, **({"state": dict(state)} if state else {})}
            try:
                is_left = await self.bring_elsewhere(task.run_id, "answer", data, by, leave=leave)
            except InvalidAnswerError:
                if by in (self.task(task_id).answered_by or "").split(","):  # taken since it was looked at
                    raise AnsweredAlreadyError(f"{by} has answered `{task_id}` already") from None
                raise
            if is_left:
                return None
            return await self.answer(task_id, value, by=by, state=state)
        handler = await self.resume_unless_taken(root)
        if handler is None:
            return await self.answer(task_id, value, by=by, state=state, leave=leave)
        await _go_on_as_far_as(task_id, self.run(root))
        try:
            await handler.answer(task_id, value, by=by, state=state)
        except RunParkedError:  # it came to rest meanwhile
            return await self.answer(task_id, value, by=by, state=state, leave=leave)
        return handler

    async def delegate(
        self, task_id: str, to: str, *, by: str, because: str = "", leave: bool = False
    ) -> WorkflowHandler[Any] | None:
        """Pass a task on, so that somebody else is asked; return when that is recorded.

        Whoever passes it on is replaced by the other one; who is not asked himself replaces all who are.

        Args:
            to: Who is asked instead, such as ``user:ann``.
            by: Who passes it on.
            because: Why.
            leave: Whether to leave it to others to take it up, such as a worker, unless it is of a part of a run.

        Returns:
            The run, if it has been taken up in this process; ``None`` if a live process has it.

        Raises:
            UnknownQuestionError: There is no such task.
            InvalidDelegationError: It is closed, or the other one is asked already, or is no name.
            StoreError: The run cannot be taken up.
        """
        check_name(to)
        task = self.task(task_id)
        if task.closed is not None:
            raise InvalidDelegationError(f"the question `{task_id}` is closed: {task.because}")
        if to in task.assign:
            raise InvalidDelegationError(f"{to} is asked already")
        root = self.store.root_of(task.run_id) or task.run_id
        is_here = await self.here(root) is not None
        if not is_here and ((leave and root == task.run_id) or self.store.is_worked_on(root)):
            data = {"question": task_id, "to": to, "because": because}
            if await self.bring_elsewhere(task.run_id, "delegation", data, by, leave=leave):
                return None
            return await self.delegate(task_id, to, by=by, because=because)
        handler = await self.resume_unless_taken(root)
        if handler is None:
            return await self.delegate(task_id, to, by=by, because=because, leave=leave)
        run = self.run(root)
        if run is not None:
            await _go_on_as_far_as(task_id, run)
            try:
                run.check_here()
            except RunParkedError:  # it came to rest meanwhile
                return await self.delegate(task_id, to, by=by, because=because, leave=leave)
            asker = run.asker_of(task_id)
            if asker is not None:
                asker.take(read_delegation(asker.execution, task_id, to, by, because))
                await asker.recorded()
        return handler


async def _go_on_as_far_as(task_id: str, run: Run | None) -> None:
    """Let a run that has just been read go on, and those beneath it, one after the other, down to who has asked."""
    while run is not None:
        await run.recorded()  # by then it has begun its parts
        parts = run.children.parts()
        run = next((part for part in parts if task_id.startswith(f"{part.run_id}/")), None)


def check_name(name: str) -> None:
    """Check whether a text can be the name of a person or a group.

    Raises:
        InvalidDelegationError: It is none.
    """
    if not name.strip() or "," in name or not name.isprintable() or len(name) > LONGEST_NAME:
        raise InvalidDelegationError(f"`{name[:LONGEST_NAME]}` is no name of a person or a group")
