"""Conditions to retry and to give up: parts of ``retry_policy``, joined with ``|`` and ``&``."""

# ruff: noqa: N801 - the names are tenacity's and llama-index-workflows'

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from wfc.runtime.authoring.retry import seconds_of
from wfc.runtime.llama_index.retry_policy.waits import WaitStrategy, time_unit_type

__all__ = [
    "RetryCondition",
    "StopCondition",
    "WaitStrategy",
    "retry_all",
    "retry_always",
    "retry_any",
    "retry_if_exception",
    "retry_if_exception_cause_type",
    "retry_if_exception_message",
    "retry_if_exception_type",
    "retry_if_not_exception_message",
    "retry_if_not_exception_type",
    "retry_never",
    "retry_unless_exception_type",
    "stop_after_attempt",
    "stop_after_delay",
    "stop_all",
    "stop_any",
    "stop_before_delay",
    "stop_never",
]

ExceptionTypes = type[BaseException] | tuple[type[BaseException], ...]


class RetryCondition(Protocol):
    """A condition on whether an error is retried. Any function of an error will do."""

    def __call__(self, error: BaseException, /) -> bool: ...


class StopCondition(Protocol):
    """A condition on when to give up, given the failures and the seconds since the first attempt began."""

    def __call__(self, attempts: int, elapsed_time: float, *, upcoming_sleep: float = 0.0) -> bool: ...


class _Condition:
    """Base class of conditions on errors, which can be joined with ``|`` and ``&``."""

    def __call__(self, error: BaseException, /) -> bool:
        raise NotImplementedError

    def __and__(self, other: RetryCondition) -> retry_all:
        return retry_all(self, other)

    def __rand__(self, other: RetryCondition) -> retry_all:
        return retry_all(other, self)

    def __or__(self, other: RetryCondition) -> retry_any:
        return retry_any(self, other)

    def __ror__(self, other: RetryCondition) -> retry_any:
        return retry_any(other, self)


@dataclass(frozen=True)
class retry_if_exception(_Condition):
    """Errors for which a function returns true."""

    predicate: Callable[[BaseException], bool]

    def __call__(self, error: BaseException, /) -> bool:
        return self.predicate(error)


@dataclass(frozen=True)
class retry_if_exception_type(_Condition):
    """Errors of these classes."""

    exception_types: ExceptionTypes = Exception

    def __call__(self, error: BaseException, /) -> bool:
        return isinstance(error, self.exception_types)


@dataclass(frozen=True)
class retry_if_not_exception_type(_Condition):
    """Errors of other classes than these."""

    exception_types: ExceptionTypes = Exception

    def __call__(self, error: BaseException, /) -> bool:
        return not isinstance(error, self.exception_types)


class retry_unless_exception_type(retry_if_not_exception_type):
    """Errors of other classes than these; tenacity's name for it."""


@dataclass(frozen=True)
class retry_if_exception_message(_Condition):
    """Errors whose text is ``message``, or in which the pattern ``match`` is found.

    Raises:
        TypeError: Not exactly one of the two is given.
    """

    message: str | None = None
    match: str | re.Pattern[str] | None = None
    _pattern: re.Pattern[str] | None = field(init=False, repr=False, default=None)

    def __post_init__(self) -> None:
        if (self.message is None) is (self.match is None):
            raise TypeError(f"{type(self).__name__} takes either `message` or `match`")
        if self.match is not None:
            object.__setattr__(self, "_pattern", re.compile(self.match))

    def __call__(self, error: BaseException, /) -> bool:
        text = str(error)
        return text == self.message if self._pattern is None else self._pattern.search(text) is not None


class retry_if_not_exception_message(retry_if_exception_message):
    """Errors with another text than this."""

    def __call__(self, error: BaseException, /) -> bool:
        return not super().__call__(error)


@dataclass(frozen=True)
class retry_if_exception_cause_type(_Condition):
    """Errors with one of these classes anywhere in their chain of causes (``raise … from``)."""

    exception_types: ExceptionTypes = Exception

    def __call__(self, error: BaseException, /) -> bool:
        cause, seen = error.__cause__, {id(error)}
        while cause is not None and id(cause) not in seen:
            if isinstance(cause, self.exception_types):
                return True
            seen.add(id(cause))
            cause = cause.__cause__
        return False


class retry_any(_Condition):
    """Errors that meet any of these conditions; the same as ``|``."""

    def __init__(self, *retries: RetryCondition) -> None:
        self.retries = retries

    def __call__(self, error: BaseException, /) -> bool:
        return any(retry(error) for retry in self.retries)


class retry_all(_Condition):
    """Errors that meet all of these conditions; the same as ``&``."""

    def __init__(self, *retries: RetryCondition) -> None:
        self.retries = retries

    def __call__(self, error: BaseException, /) -> bool:
        return all(retry(error) for retry in self.retries)


class retry_always(_Condition):
    """Any error."""

    def __call__(self, error: BaseException, /) -> bool:
        return True


class retry_never(_Condition):
    """No error."""

    def __call__(self, error: BaseException, /) -> bool:
        return False


class _Stop:
    """Base class of conditions to give up, which can be joined with ``|`` and ``&``."""

    def __call__(self, attempts: int, elapsed_time: float, *, upcoming_sleep: float = 0.0) -> bool:
        raise NotImplementedError

    def __and__(self, other: StopCondition) -> stop_all:
        return stop_all(self, other)

    def __rand__(self, other: StopCondition) -> stop_all:
        return stop_all(other, self)

    def __or__(self, other: StopCondition) -> stop_any:
        return stop_any(self, other)

    def __ror__(self, other: StopCondition) -> stop_any:
        return stop_any(other, self)


@dataclass(frozen=True)
class stop_after_attempt(_Stop):
    """Give up after this number of attempts."""

    max_attempt_number: int

    def __call__(self, attempts: int, elapsed_time: float, *, upcoming_sleep: float = 0.0) -> bool:
        return attempts >= self.max_attempt_number


class stop_after_delay(_Stop):
    """Give up once this time, in seconds or a ``timedelta``, has passed since the first attempt began."""

    def __init__(self, max_delay: time_unit_type) -> None:
        self.max_delay = seconds_of(max_delay)

    def __call__(self, attempts: int, elapsed_time: float, *, upcoming_sleep: float = 0.0) -> bool:
        return elapsed_time >= self.max_delay


class stop_before_delay(stop_after_delay):
    """Give up if this time will have passed before the next attempt could begin."""

    def __call__(self, attempts: int, elapsed_time: float, *, upcoming_sleep: float = 0.0) -> bool:
        return elapsed_time + upcoming_sleep >= self.max_delay


class stop_any(_Stop):
    """Give up as soon as any of these conditions is met; the same as ``|``."""

    def __init__(self, *stops: StopCondition) -> None:
        self.stops = stops

    def __call__(self, attempts: int, elapsed_time: float, *, upcoming_sleep: float = 0.0) -> bool:
        return any(stop(attempts, elapsed_time, upcoming_sleep=upcoming_sleep) for stop in self.stops)


class stop_all(_Stop):
    """Give up as soon as all of these conditions are met; the same as ``&``."""

    def __init__(self, *stops: StopCondition) -> None:
        self.stops = stops

    def __call__(self, attempts: int, elapsed_time: float, *, upcoming_sleep: float = 0.0) -> bool:
        return all(stop(attempts, elapsed_time, upcoming_sleep=upcoming_sleep) for stop in self.stops)


class stop_never(_Stop):
    """Never give up: something else has to limit the attempts."""

    def __call__(self, attempts: int, elapsed_time: float, *, upcoming_sleep: float = 0.0) -> bool:
        return False
