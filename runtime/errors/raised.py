"""Exceptions as errors of a step: by which names retry policies and ``on_error`` know them."""

from __future__ import annotations

import re

from wfc.runtime.errors import (
    ExpressionError,
    LimitError,
    MissingPackageError,
    SettingsError,
    StepError,
    WorkflowError,
    WorkflowValidationError,
)

__all__ = ["is_final", "step_error"]


def step_error(error: BaseException) -> StepError:
    """Return an action's exception as the ``StepError`` that retry policies and `on_error` match.

    A ``StepError`` is returned unchanged. Others become ``timeout``, ``connection`` or ``python.<Class>``,
    which also matches the names of its base classes; the exception is the cause of the returned error.
    """
    if isinstance(error, StepError):
        return error
    kinds = [kind.__name__ for kind in type(error).__mro__ if issubclass(kind, Exception)]
    names = [f"python.{kind}" for kind in kinds or [type(error).__name__]]
    if isinstance(error, ExpressionError):
        names = ["expression"]
    elif isinstance(error, WorkflowError):
        names.insert(0, _own_name(error))
    elif isinstance(error, TimeoutError):
        names.insert(0, "timeout")
    elif isinstance(error, ConnectionError):
        names.insert(0, "connection")
    found = StepError(names[0], _plain_words(error), also=tuple(names[1:]))
    found.__cause__ = error
    return found


def is_final(error: BaseException) -> bool:
    """Return whether an error is neither retried nor handled by a step's `on_error`."""
    return isinstance(
        error, ExpressionError | SettingsError | MissingPackageError | WorkflowValidationError | LimitError
    )


def _own_name(error: WorkflowError) -> str:
    """Return the error's name, else one made of its class: ``missing_package`` of ``MissingPackageError``."""
    spelt = re.sub(r"(?<!^)(?=[A-Z])", "_", type(error).__name__.removesuffix("Error")).lower()
    return str(getattr(error, "name", None) or spelt)


def _plain_words(error: BaseException) -> str:
    text = str(error).strip()
    if text and isinstance(error, WorkflowError):
        return text
    kind = type(error).__name__
    return f"{kind}: {text}" if text else kind
