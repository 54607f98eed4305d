"""Answers to the questions of a run that `wfc run` follows: from its options or from the terminal."""

from __future__ import annotations

import asyncio
import json
import sys
import threading
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from wfc.compiler.cli.forms import FormField, fields_of
from wfc.compiler.diagnostics.escaping import printable
from wfc.compiler.rules import closest
from wfc.runtime.authoring.definition import definition_of
from wfc.runtime.values.strict_json import parsed

if TYPE_CHECKING:
    from wfc.runtime import Event, Workflow, WorkflowHandler
    from wfc.runtime.driver.run.questions import OpenQuestion

__all__ = ["NobodyAnswersError", "People", "Terminal", "asking_steps", "read_answers", "terminal_if_any"]


class NobodyAnswersError(Exception):
    """The error for an open question that nobody is there to answer."""

    def __init__(self, question: OpenQuestion) -> None:
        super().__init__(question.step)
        self.question = question


def asking_steps(workflow: type[Workflow]) -> list[str] | None:
    """Return the names of the steps that ask people; ``None`` where an unknown child workflow may ask too."""
    from wfc.runtime.plan.pauses import Child, Question

    steps = definition_of(workflow).plan.steps
    if any(Child in (step.item or step).pauses for step in steps):
        return None
    return [step.name for step in steps if Question in step.pauses]


def terminal_if_any() -> Terminal | None:
    """Return the terminal from which this process was started; ``None`` if there is none."""
    return Terminal() if sys.stdin.isatty() and sys.stderr.isatty() else None


def read_answers(pairs: Sequence[str], steps: Sequence[str] | None) -> dict[str, deque[Any]]:
    """Parse ``--answer STEP=JSON`` into the answers to the questions of each step, in order.

    Args:
        steps: Names of the steps that ask; ``None``: not known.

    Raises:
        click.UsageError: A pair is not of that form, or names no step that asks.
    """
    found: dict[str, deque[Any]] = {}
    for pair in pairs:
        step, equals, text = pair.partition("=")
        if not equals or not step:
            raise click.UsageError(printable(f"`--answer {pair}` is not `STEP=JSON`"))
        if steps is not None and step not in steps:
            hint = closest(step, steps) or (
                f"these do: {', '.join(f'`{each}`' for each in steps)}" if steps else "none does"
            )
            raise click.UsageError(printable(f"no step `{step}` asks anybody; {hint}"))
        try:
            found.setdefault(step, deque()).append(parsed(text))
        except ValueError as error:
            written = f"""--answer {step}='{{"field": "value"}}'"""
            told = f"`--answer {step}=…` is not JSON: {error}; it is written as in `{written}`"
            raise click.UsageError(printable(told)) from None
    return found


class Terminal:
    """Asks questions at the terminal without blocking the run meanwhile.

    Args:
        lines: Returns the next line typed, or an empty text at the end of the input.
        say: Prints a text; the last argument determines whether a line break follows.
    """

    def __init__(
        self,
        lines: Callable[[], str] | None = None,
        say: Callable[[str, bool], None] | None = None,
    ) -> None:
        self.read = lines or sys.stdin.readline
        self.say = say or (lambda text, end: click.echo(text, nl=end, err=True))
        self.waiting: asyncio.Future[str] | None = None

    async def line(self) -> str | None:
        """Return the next line; ``None`` at the end of the input.

        If the caller has been cancelled, its line goes to the next caller.
        """
        if self.waiting is None:
            loop = asyncio.get_running_loop()
            self.waiting = loop.create_future()
            # a thread that nobody waits for: a program ends while somebody thinks
            threading.Thread(target=self._read, args=(loop, self.waiting), daemon=True).start()
        text = await asyncio.shield(self.waiting)
        self.waiting = None
        return text.rstrip("\r\n") if text else None

    def _read(self, loop: asyncio.AbstractEventLoop, waiting: asyncio.Future[str]) -> None:
        text = self.read()

        def given() -> None:
            if not waiting.done():
                waiting.set_result(text)

        try:
            loop.call_soon_threadsafe(given)
        except RuntimeError:
            return  # the run is over, and with it the loop

    async def ask(self, question: OpenQuestion, before: dict[str, Any]) -> dict[str, Any] | None:
        """Return a person's answer; ``None`` at the end of the input. ``before`` holds prefilled values."""
        self.say("", True)
        self.say(printable(f"? {question.title}"), True)
        for line in (question.show or "").splitlines():
            self.say(printable(f"  {line}"), True)
        answer: dict[str, Any] = {}
        for field in fields_of(question.form):
            given = await self.field(field, before)
            if given is None:
                return None
            if given:
                answer[field.name] = given[0]
        if question.form is None:
            self.say("  Enter confirms: ", False)
            if await self.line() is None:
                return None
        return answer

    async def field(self, field: FormField, before: dict[str, Any]) -> list[Any] | None:
        """Return a field's value in a list, an empty list if left out, ``None`` at the end of the input."""
        kept = f" [{shown(before[field.name])}]" if before.get(field.name) is not None else ""
        while True:
            self.say(printable(f"  {field.name} ({field.words}){kept}: "), False)
            text = await self.line()
            if text is None:
                return None
            if not text.strip():
                if kept:
                    return [before[field.name]]
                if not field.required or field.optional:
                    return []
                self.say("    it is needed", True)
                continue
            try:
                return [field.parse(text.strip())]
            except ValueError as error:
                self.say(printable(f"    {error}"), True)


def shown(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


class People:
    """Answers the questions of one run, one after the other, while the run continues.

    Args:
        answers: Step → its answers, used in order.
        terminal: Where other questions are asked; ``None``: nowhere.
        mocked: Steps whose questions a test answers.
        give_up: Called when nobody can answer.

    ``failure`` is why the run was abandoned: nobody could answer, or an answer of the options does not fit.
    """

    def __init__(
        self,
        handler: WorkflowHandler,
        answers: dict[str, deque[Any]],
        terminal: Terminal | None,
        mocked: frozenset[str] = frozenset(),
        give_up: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        self.handler = handler
        self.give_up = give_up or handler.cancel_run
        self.answers = answers
        self.terminal = terminal
        self.mocked = mocked
        self.failure: NobodyAnswersError | click.UsageError | None = None
        self.task: asyncio.Task[None] | None = None
        self.at_terminal: tuple[str, asyncio.Task[dict[str, Any] | None]] | None = None

    def tell(self, event: Event) -> None:
        """Process an event of the run's stream, which may open or close a question."""
        from wfc.runtime import QuestionAsked, QuestionClosed

        if isinstance(event, QuestionAsked) and (self.task is None or self.task.done()):
            self.task = asyncio.create_task(self.answer_all())
        elif isinstance(event, QuestionClosed) and self.at_terminal and self.at_terminal[0] == event.id:
            self.at_terminal[1].cancel()

    async def stop(self) -> None:
        """Stop asking."""
        if self.task is not None:
            self.task.cancel()
            await asyncio.wait([self.task])

    def next_question(self) -> OpenQuestion | None:
        """Return the question that has been open the longest, of those that people answer."""
        return next((each for each in self.handler.questions() if each.step not in self.mocked), None)

    async def answer_all(self) -> None:
        try:
            while (question := self.next_question()) is not None:
                await self.answer(question)
        except NobodyAnswersError as error:
            self.failure = error
            await self.give_up()
        except click.UsageError as error:
            self.failure = error
            await self.handler.cancel_run()

    async def answer(self, question: OpenQuestion) -> None:
        by = "user:terminal" if question.quorum is None else f"user:terminal-{len(question.answered_by) + 1}"
        given = self.answers.get(question.step)
        if given:
            await self.from_option(question, given, by)
        elif self.terminal is None:
            raise NobodyAnswersError(question)
        else:
            await self.from_terminal(question, by, self.terminal)

    async def from_option(self, question: OpenQuestion, left: deque[Any], by: str) -> None:
        """Give the next answer of the options; where it is refused, the one after it counts, if there is one."""
        from wfc.runtime import InvalidAnswerError

        try:
            await self.handler.answer(question.id, left.popleft(), by=by)
        except InvalidAnswerError as error:
            said = f"`--answer {question.step}=…`: {refusal(question, error)}"
            if not left:
                raise click.UsageError(said) from None
            click.echo(said, err=True)

    async def from_terminal(self, question: OpenQuestion, by: str, terminal: Terminal) -> None:
        from wfc.runtime import InvalidAnswerError

        before = dict(question.prefill)
        while True:
            asking = asyncio.create_task(terminal.ask(question, before))
            self.at_terminal = question.id, asking
            await asyncio.wait([asking])
            self.at_terminal = None
            if asking.cancelled():
                terminal.say("", True)
                terminal.say("  too late: the question is closed", True)
                return
            answer = asking.result()
            if answer is None:
                raise NobodyAnswersError(question)
            try:
                await self.handler.answer(question.id, answer, by=by)
            except InvalidAnswerError as error:
                terminal.say(f"    {refusal(question, error)}", True)
                before |= answer
            else:
                return


def refusal(question: OpenQuestion, error: Exception) -> str:
    """Return why an answer is refused, without the question's id, which means nothing to a person."""
    return printable(str(error).replace(f"the answer to `{question.id}` ", "the answer "))
