"""What the engine refuses, as problem details."""

from __future__ import annotations

import re
from typing import Final

from pydantic import ValidationError

from wfc.runtime.errors import (
    InvalidAnswerError,
    InvalidDelegationError,
    InvalidMessageError,
    InvalidValueError,
    RunEndedError,
    RunExistsError,
    RunLostError,
    RunUnknownError,
    SettingsError,
    SnapshotError,
    StoreError,
    UnknownQuestionError,
    WorkflowError,
)
from wfc.runtime.server.calls import FieldProblem, Problem, pointer
from wfc.runtime.values.outputs import said

__all__ = ["misfit", "problem_of"]

_KINDS: Final[tuple[tuple[type[WorkflowError], int, str], ...]] = (
    (RunUnknownError, 404, "run.unknown"),
    (RunEndedError, 409, "run.ended"),
    (RunExistsError, 409, "run.exists"),
    (RunLostError, 409, "run.elsewhere"),
    (UnknownQuestionError, 404, "task.unknown"),
    (InvalidDelegationError, 422, "delegation.invalid"),
    (InvalidMessageError, 422, "message.invalid"),
    (InvalidValueError, 422, "value.invalid"),
    (SettingsError, 503, "server.settings"),
    (SnapshotError, 409, "run.unreadable"),
    (StoreError, 409, "run.not_possible"),
)


def problem_of(error: WorkflowError, store_errors: tuple[type[Exception], ...] = ()) -> Problem:
    """Return the problem that an error of the engine is for whoever has asked.

    Args:
        store_errors: What the database raises: the store itself is not to be had then.
    """
    if isinstance(error, StoreError) and isinstance(error.__cause__, store_errors):
        return Problem(
            503, "store.unavailable", "the store of runs cannot be reached now", headers={"Retry-After": "1"}
        )
    if isinstance(error, InvalidAnswerError):
        others = error.beside or ((),) * len(error.places)
        errors = tuple(
            FieldProblem(pointer("answer", *place), said, tuple(pointer("answer", *one) for one in beside))
            for (place, said), beside in zip(error.places, others, strict=True)
        )
        detail = re.sub(r"\Athe answer to `[^`]*` ", "the answer ", str(error))  # they know which question
        return Problem(422, "answer.invalid", detail, errors=errors)
    more = {"run": error.run_id} if isinstance(error, RunExistsError) else {}
    for kind, status, code in _KINDS:
        if isinstance(error, kind):
            return Problem(status, code, str(error), more=more)
    return Problem(409, "run.not_possible", str(error))


def misfit(error: ValidationError, code: str, what: str, *above: str) -> Problem:
    """Return the problem of data that does not fit a type, with each place and what is wrong there.

    Args:
        above: Where the data is in the body.
    """
    errors = tuple(
        FieldProblem(pointer(*above, *one["loc"]), said(one)) for one in error.errors(include_url=False)[:20]
    )
    return Problem(422, code, what, errors=errors)
