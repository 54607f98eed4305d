"""The workflow by which a model drafts a spec: it writes, what it wrote is looked at, and it mends that."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from wfc.compiler.cli.drafting.asking import ask
from wfc.compiler.cli.drafting.conversation import (
    AGAIN,
    SYSTEM,
    Looked,
    asked,
    code_in,
    explained,
    spec_in,
    verdict_of,
)
from wfc.compiler.cli.skill import skill_text
from wfc.compiler.cli.usage import Usage
from wfc.runtime import (
    Context,
    Event,
    LimitError,
    Limits,
    Model,
    RetryPolicy,
    StartEvent,
    StopEvent,
    Workflow,
    WorkflowError,
    step,
)
from wfc.runtime.records import Message

__all__ = ["Draft", "Task", "draft"]

PATIENCE = RetryPolicy(
    max_attempts=4, delay=2.0, max_delay=60.0, retry_on=("http", "timeout", "connection", "model")
)
"""How often a model that cannot be reached is asked again."""


@dataclass(frozen=True, slots=True)
class Task:
    """What is to be drafted.

    Args:
        words: What somebody wants, in plain words.
        model: The model that writes.
        folder: Where the spec is to lie.
        tries: How many specs the model may write.
        tokens: How many tokens, in and out, it may use; no call begins beyond that.
        tell: Is told of each try: its number, and in a few words what was found.
        keep: Is given each spec as soon as it is written, before it is looked at.
    """

    words: str
    model: Model
    folder: Path
    tries: int = 8
    tokens: int = 400_000
    tell: Callable[[int, str], None] = lambda number, said: None
    keep: Callable[[str], None] = lambda text: None


@dataclass(slots=True)
class Draft:
    """What a model has come to.

    Args:
        text: Its last spec; empty: it has written none.
        problem: Why it is not good; empty: it is.
        retold: What the spec does, in plain words.
        name: Of its workflow.
        tries: How many specs were written.
    """

    text: str = ""
    problem: str = ""
    retold: str = ""
    name: str = ""
    tries: int = 0
    usage: Usage = field(default_factory=Usage)


class Wanted(Event):
    """The model is to write: what it is told, after what it wrote last."""

    told: str
    written: str = ""


class Written(Event):
    """The model has replied."""

    reply: str


class Drafting(Workflow):
    """One draft; its model, its bounds and what comes of it stand in an object of the process alone."""

    task: Task
    draft: Draft
    known: set[str]

    @step
    async def begin(self, event: StartEvent) -> Wanted:
        """Ask for a spec."""
        return Wanted(told=asked(self.task.words))

    @step(retry_policy=PATIENCE)
    async def write(self, ctx: Context, event: Wanted) -> Written:
        """Let the model write: it is shown the words, its last spec, and what was found in that."""
        history = []
        if event.written:
            history = [
                Message(role="user", content=asked(self.task.words)),
                Message(role="assistant", content=f"```yaml\n{event.written}```"),
            ]
        system = f"{SYSTEM}\n{skill_text()}"
        return Written(reply=await ctx.llm(self.task.model, event.told, system=system, history=history))

    @step
    async def look(self, event: Written) -> Wanted | StopEvent:
        """Look at what was written; the end, if nothing is to be mended or too much has been tried."""
        draft, task = self.draft, self.task
        draft.tries += 1
        text = spec_in(event.reply)
        if text is None:
            verdict = Looked("no spec in the reply", f"There is no spec in your reply. {AGAIN}")
        else:
            draft.text = text if text.endswith("\n") else f"{text}\n"
            task.keep(draft.text)
            verdict = verdict_of(await asyncio.to_thread(ask, task.folder, "test", {"text": text}))
        task.tell(draft.tries, verdict.said)
        draft.problem = "" if verdict.is_good else verdict.said
        if verdict.is_good or draft.tries >= task.tries:
            return StopEvent()
        new = code_in(verdict.told, self.known)
        self.known |= {*new}
        told = verdict.told if not new else f"{verdict.told}\n\n{await asyncio.to_thread(explained, new)}"
        if not draft.text:
            told = f"{asked(task.words)}\n\n{told}"
        return Wanted(told=told, written=draft.text)


async def draft(task: Task) -> Draft:
    """Let a model draft a spec until nothing is wrong with it and its tests pass, or its bounds are reached.

    Raises:
        WorkflowError: The model cannot be asked, and has written nothing yet.
    """

    class Bounded(Drafting, limits=Limits(tokens=task.tokens)):
        project_folder = task.folder.absolute()  # its settings have the prices

    workflow: Any = Bounded()
    made = workflow.draft = Draft()
    workflow.task, workflow.known = task, set()
    handler = workflow.run()
    async for event in handler.stream_events(expose_internal=True):
        made.usage.see(event)
    try:
        await handler
    except WorkflowError as error:
        if not isinstance(error, LimitError) and not made.text:
            raise
        made.problem = "; ".join(filter(None, [made.problem, str(error)]))
    if made.text and not made.problem:
        found = await asyncio.to_thread(ask, task.folder, "retell", {"text": made.text})
        made.retold, made.name = found.get("report", ""), found.get("workflow", "")
    return made
