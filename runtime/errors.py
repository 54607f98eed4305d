"""What can go wrong in a run, one tree with one base class.

::

    WorkflowError
    ├── SettingsError          settings, config or a secret are missing or wrong
    ├── MissingPackageError    an optional package is not installed
    └── StepError              a step's action failed; has a dotted name such as ``http.503``
"""

from __future__ import annotations

import re

__all__ = ["MissingPackageError", "SettingsError", "StepError", "WorkflowError"]

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

    def __init__(  # noqa: PLR0913  each is a documented part of an error
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

    def matches(self, *names: str) -> bool:
        """Whether one of these dotted names is this error's or a broader one; true without names."""
        return not names or not self.broader_names.isdisjoint(names)

    @property
    def broader_names(self) -> frozenset[str]:
        """This error's names and all broader ones: ``http.503``, ``http.5xx``, ``http``."""
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
