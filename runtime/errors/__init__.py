"""The errors of this package, a tree of classes with one base class.

::

    WorkflowError
    ├── SettingsError               settings, config or a secret are missing or wrong
    ├── MissingPackageError         an optional package is not installed
    ├── OutputFormatError           generated code and this runtime are of different ages
    ├── StepError                   a step's action failed; has a dotted name such as ``http.503``
    ├── ExpressionError             an expression of a spec has no value: a division by zero, a list too long
    ├── WorkflowValidationError     a workflow class cannot be run as it is written
    │   └── WorkflowConfigurationError  it lacks steps, a start or an end, or was given options that make no sense
    ├── ContextStateError           a context was asked for something at the wrong time
    ├── SnapshotError               a snapshot cannot be written or read; a ValueError too
    ├── StoreError                  a store of runs cannot be opened, read or written
    ├── WorkflowTimeoutError        a run took longer than its deadline
    ├── WorkflowCancelledByUser     a run was cancelled
    └── WorkflowRuntimeError        a run cannot go on
        ├── StepFailedError         a step failed for good; says which, on what, at which attempt, and why
        ├── InvalidValueError       a start event or a state is not of the kind that is needed; a ValueError too
        ├── LimitError              a bound was reached: on a step's runs, on a run's steps, tokens or cost
        ├── RunFailedError          the workflow itself said that the run has failed
        ├── UndeclaredResultError   a step returned or sent something that its signature does not declare
        ├── StuckError              nothing is left that could move the run
        ├── NoEventLoopError        a run was started where no event loop is running
        ├── RunExistsError          a run was started while another one of its key was not over
        ├── RunUnknownError         there is no run, or workflow, of that id, name or key
        ├── RunEndedError           the run that was to get an event is over
        ├── RunLostError            a run goes on elsewhere, or later: its store does not take what happens here
        ├── RunParkedError          a run rests in its store, until somebody answers or its time has come
        ├── StreamGoneError         a stream was to be read from a place that is kept no more
        ├── InvalidMessageError     an event does not fit what the receiving run takes
        ├── WorkflowStepDoesNotExistError  an event was sent to a step that there is not
        ├── UnknownQuestionError    an answer to a question that was never asked
        ├── InvalidAnswerError      an answer that does not fit its question, which stays open
        │   └── AnsweredAlreadyError    one of a person whose answer is on its way already
        └── InvalidDelegationError  a question that cannot be passed on in this way
"""

from __future__ import annotations

import re

__all__ = [
    "AnsweredAlreadyError",
    "ContextStateError",
    "ExpressionError",
    "InvalidAnswerError",
    "InvalidDelegationError",
    "InvalidMessageError",
    "InvalidValueError",
    "LimitError",
    "MissingPackageError",
    "NoEventLoopError",
    "OutputFormatError",
    "RunEndedError",
    "RunExistsError",
    "RunFailedError",
    "RunLostError",
    "RunParkedError",
    "RunUnknownError",
    "SettingsError",
    "SnapshotError",
    "StepError",
    "StepFailedError",
    "StoreError",
    "StreamGoneError",
    "StuckError",
    "UndeclaredResultError",
    "UnknownQuestionError",
    "WorkflowCancelledByUser",
    "WorkflowConfigurationError",
    "WorkflowError",
    "WorkflowRuntimeError",
    "WorkflowStepDoesNotExistError",
    "WorkflowTimeoutError",
    "WorkflowValidationError",
]

_HTTP_STATUS = re.compile(r"http\.([1-5])\d\d")


class WorkflowError(Exception):
    """The base of all errors that this package raises on purpose."""


class SettingsError(WorkflowError):
    """Settings, a config value or a secret is missing or wrong; the message says which and how to mend it."""


class MissingPackageError(WorkflowError, ImportError):
    """An optional package is not installed; the message has the command that installs it."""


class StepError(WorkflowError):
    """A step's action failed.

    Args:
        name: Dotted, broad to narrow: ``http.503``, ``timeout``, ``model.refused``, ``python.ValueError`` …
        message: What happened, in plain words; never holds a secret.
        status: Of an HTTP reply, or ``None``.
        body: Of an HTTP reply, JSON data or text, or ``None``.
        retry_after: Seconds that the service asks to wait before another try, or ``None``.
        also: Further names it answers to, such as ``model`` for an HTTP error of a model's service.
    """

    def __init__(
        self,
        name: str,
        message: str,
        *,
        status: int | None = None,
        body: object = None,
        retry_after: float | None = None,
        also: tuple[str, ...] = (),
    ) -> None:
        super().__init__(message)
        self.name = name
        self.message = message
        self.status = status
        self.body = body
        self.retry_after = retry_after
        self.also = also
        self.step: str | None = None

    def matches(self, *names: str) -> bool:
        """Return whether one of these dotted names is this error's or a broader one; true without names."""
        return not names or not self.broader_names.isdisjoint(names)

    @property
    def broader_names(self) -> frozenset[str]:
        """Return this error's names and all broader ones: ``http.503``, ``http.5xx``, ``http``."""
        found: set[str] = set()
        for name in (self.name, *self.also):
            parts = name.split(".")
            found.update(".".join(parts[:count]) for count in range(1, len(parts) + 1))
            status = _HTTP_STATUS.fullmatch(name)
            if status:
                found.add(f"http.{status[1]}xx")
        return frozenset(found)

    def __reduce__(self) -> tuple[object, ...]:
        state = {"status": self.status, "body": self.body, "retry_after": self.retry_after, "also": self.also}
        return type(self), (self.name, self.message), state


class ExpressionError(WorkflowError):
    """An expression of a spec has no value, such as a division by zero. Never retried, never caught."""

    name = "expression"


class OutputFormatError(WorkflowError, ImportError):
    """Generated code was made for another version of this runtime; the message says what to do."""


class WorkflowValidationError(WorkflowError):
    """A workflow class or a step's signature is wrong; found before anything runs."""


class WorkflowConfigurationError(WorkflowValidationError):
    """A workflow lacks steps, a start or an end, or its object was given options that make no sense."""


class ContextStateError(WorkflowError):
    """A context was asked for something that it can only do at another time, such as before the run started."""


class SnapshotError(WorkflowError, ValueError):
    """A snapshot is damaged, of another workflow or version, or would hold what cannot be written as JSON."""

    name = "snapshot"


class StoreError(WorkflowError):
    """A store of runs cannot be opened, read or written."""

    name = "store"


class WorkflowTimeoutError(WorkflowError):
    """A run took longer than its deadline; the message names the steps that were running."""

    name = "deadline"


class WorkflowCancelledByUser(WorkflowError):  # noqa: N818 - the name is llama-index-workflows'
    """A run was cancelled."""

    name = "cancelled"


class WorkflowRuntimeError(WorkflowError):
    """A run cannot go on. ``name`` is the error's dotted name."""

    name = "runtime"


class StepFailedError(WorkflowRuntimeError):
    """A step failed for good. What a run raises is also of the kind that the step raised, its ``__cause__``.

    Args:
        step: Its name.
        event: The name of the event, or events, that it was working on.
        attempt: Which attempt failed, from 1.
        error: What went wrong in it.
        tail: It was not the action that failed but what the step does with its result; then ``name`` is
            ``expression``.

    ``elapsed_seconds`` counts from the first attempt; ``None``: it is not known, as the step has only one.
    """

    elapsed_seconds: float | None = None

    def __init__(self, step: str, event: str, attempt: int, error: StepError, *, tail: bool = False) -> None:
        self.step = step
        self.event = event
        self.attempt = attempt
        self.error = error
        self.name = "expression" if tail else error.name
        doing = "handling its result" if tail else f"attempt {attempt}"
        # not `super()`: a subclass may also derive from what was raised, which takes other arguments
        Exception.__init__(self, f"step `{step}` failed on {event}, {doing}: {error.message} ({self.name})")

    def __init_subclass__(cls) -> None:
        """Skip the ``__init_subclass__`` of what was raised, from which subclasses may also derive."""

    def __str__(self) -> str:
        return str(self.args[0])

    def __reduce__(self) -> tuple[object, ...]:
        return StepFailedError, (self.step, self.event, self.attempt, self.error), {"name": self.name}


class InvalidValueError(WorkflowRuntimeError, ValueError):
    """A start event or a state is not of the kind that is needed, or cannot be made."""

    name = "value.invalid"


class LimitError(WorkflowRuntimeError):
    """A bound was reached: of a step on its runs, which has no ``on_limit``, or of the run.

    Args:
        name: ``limit``, or ``limit.steps``, ``limit.tokens``, ``limit.cost`` for those of the run.
    """

    def __init__(self, message: str, name: str = "limit") -> None:
        super().__init__(message)
        self.name = name

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (str(self), self.name)


class RunFailedError(WorkflowRuntimeError):
    """The workflow itself said that the run has failed, and why."""

    name = "fail"


class UndeclaredResultError(WorkflowRuntimeError):
    """A step returned or sent something that its signature does not declare, or that no step accepts."""

    name = "undeclared"


class StuckError(WorkflowRuntimeError):
    """Nothing is left that could move the run; the message names the events and steps that still wait."""

    name = "stuck"


class WorkflowStepDoesNotExistError(WorkflowRuntimeError):
    """An event was sent to a step that the workflow does not have."""

    name = "unknown_step"


class NoEventLoopError(WorkflowRuntimeError, RuntimeError):
    """A run was started outside of a coroutine, where no event loop is running."""

    name = "no_event_loop"


class RunExistsError(WorkflowRuntimeError):
    """A run was started while another one with its id, or with its key, was not over.

    Args:
        run_id: Of the run that there is.
    """

    name = "run.exists"

    def __init__(self, message: str, run_id: str) -> None:
        super().__init__(message)
        self.run_id = run_id

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (str(self), self.run_id)


class RunUnknownError(WorkflowRuntimeError):
    """There is no run of that id or key, or no workflow of that name."""

    name = "run.unknown"


class RunEndedError(WorkflowRuntimeError):
    """The run is over, so it takes no events."""

    name = "run.ended"


class RunLostError(WorkflowRuntimeError):
    """Nothing that happens to a run here is recorded any more: another process has claimed it, or its store failed.

    What was recorded stays: whoever has the run goes on from there.
    """

    name = "run.lost"


class RunParkedError(WorkflowRuntimeError):
    """A run rests in its store, and no process has it: it goes on when somebody answers, or when its time has come.

    Args:
        run_id: The run's id.
    """

    name = "run.parked"

    def __init__(self, message: str, run_id: str) -> None:
        super().__init__(message)
        self.run_id = run_id


class StreamGoneError(WorkflowRuntimeError):
    """A run's stream was to be read from a position that is kept no more.

    Args:
        first: The first position that is kept.
    """

    name = "stream.gone"

    def __init__(self, since: int, first: int) -> None:
        super().__init__(
            f"the stream is kept from position {first} on, and not from {since}: read it with `since={first}`, or "
            f"keep more of it with the workflow's `stream_limit`"
        )
        self.since = since
        self.first = first

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.since, self.first)


class InvalidMessageError(WorkflowRuntimeError):
    """An event does not fit what the receiving run takes, or cannot be written as JSON; the message says where."""

    name = "message.invalid"


class UnknownQuestionError(WorkflowRuntimeError):
    """An answer was given to a question that was never asked."""

    name = "question.unknown"


class InvalidAnswerError(WorkflowRuntimeError):
    """An answer does not fit the question's form, or is not as required; the message says which field and why.

    Args:
        places: The same for programs: where in the answer something is wrong, and what.
        beside: For each of these the other places of which that speaks: it is said of the last of several, which a
            person fills in last.
    """

    name = "answer.invalid"

    def __init__(
        self,
        message: str = "",
        places: tuple[tuple[tuple[str | int, ...], str], ...] = (),
        beside: tuple[tuple[tuple[str | int, ...], ...], ...] = (),
    ) -> None:
        super().__init__(message)
        self.places = places
        self.beside = beside


class AnsweredAlreadyError(InvalidAnswerError):
    """The same person has answered the question before, and the run has not taken that answer yet."""

    name = "answer.twice"


class InvalidDelegationError(WorkflowRuntimeError):
    """A question cannot be passed on: it is closed, or whoever is to get it has been asked already, or is no name."""

    name = "delegation.invalid"
