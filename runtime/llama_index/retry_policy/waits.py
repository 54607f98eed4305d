"""How long to wait before the next attempt: parts of ``retry_policy``, added with ``+``.

The random ones draw from the seed that the run gives them, which is made from run, step and attempt: a replay waits
the same.
"""

# ruff: noqa: N801 - the names are tenacity's and llama-index-workflows'

from __future__ import annotations

import random
from datetime import timedelta
from typing import Protocol

from wfc.runtime.authoring.retry import seconds_of

__all__ = [
    "WaitStrategy",
    "time_unit_type",
    "wait_chain",
    "wait_combine",
    "wait_exponential",
    "wait_exponential_jitter",
    "wait_fixed",
    "wait_full_jitter",
    "wait_incrementing",
    "wait_none",
    "wait_random",
    "wait_random_exponential",
]

time_unit_type = int | float | timedelta
"""Seconds, or a ``timedelta``."""


class WaitStrategy(Protocol):
    """A function returning the seconds to wait. ``attempts`` is 0 before the second attempt, then 1 …"""

    def __call__(self, attempts: int, *, seed: int | None = None) -> float: ...


def _uniform(low: float, high: float, seed: int | None) -> float:
    return random.Random(seed).uniform(low, high)  # noqa: S311 - no secret


def _grown(first: float, base: float, attempts: int, most: float) -> float:
    try:
        return min(first * base**attempts, most)
    except OverflowError:
        return most


class _Wait:
    """Base class of waits, which can be added with ``+`` and ``sum``."""

    def __call__(self, attempts: int, *, seed: int | None = None) -> float:
        raise NotImplementedError

    def __add__(self, other: WaitStrategy) -> wait_combine:
        return wait_combine(self, other)

    def __radd__(self, other: WaitStrategy | int) -> WaitStrategy:
        if callable(other):
            return wait_combine(other, self)
        return self if other == 0 else NotImplemented  # `sum` begins with 0


class wait_fixed(_Wait):
    """A constant wait."""

    def __init__(self, wait: time_unit_type) -> None:
        self.wait = seconds_of(wait)

    def __call__(self, attempts: int, *, seed: int | None = None) -> float:
        return self.wait


class wait_none(wait_fixed):
    """No wait."""

    def __init__(self) -> None:
        super().__init__(0)


class wait_exponential(_Wait):
    """A wait of ``multiplier * exp_base**attempts``, between ``min`` and ``max``."""

    def __init__(
        self,
        multiplier: float = 1.0,
        exp_base: float = 2.0,
        max: time_unit_type = 60.0,
        min: time_unit_type = 0.0,
    ) -> None:
        self.multiplier = float(multiplier)
        self.exp_base = float(exp_base)
        self.max = seconds_of(max)
        self.min = seconds_of(min)

    def __call__(self, attempts: int, *, seed: int | None = None) -> float:
        return max(0.0, self.min, _grown(self.multiplier, self.exp_base, attempts, self.max))


class wait_random_exponential(wait_exponential):
    """A random wait between ``min`` and what ``wait_exponential`` would wait."""

    def __call__(self, attempts: int, *, seed: int | None = None) -> float:
        return _uniform(self.min, super().__call__(attempts), seed)


def wait_full_jitter(
    multiplier: float = 1.0,
    exp_base: float = 2.0,
    max: time_unit_type = 60.0,
    min: time_unit_type = 0.0,
) -> wait_random_exponential:
    """Return a ``wait_random_exponential``, of which this is another name."""
    return wait_random_exponential(multiplier, exp_base, max, min)


class wait_exponential_jitter(_Wait):
    """A wait of ``initial * exp_base**attempts`` plus up to ``jitter`` at random, at most ``max``."""

    def __init__(
        self, initial: float = 1.0, exp_base: float = 2.0, max: float = 60.0, jitter: float = 1.0
    ) -> None:
        self.initial = initial
        self.exp_base = exp_base
        self.max = max
        self.jitter = jitter

    def __call__(self, attempts: int, *, seed: int | None = None) -> float:
        grown = _grown(self.initial, self.exp_base, attempts, self.max)
        return min(grown + _uniform(0, self.jitter, seed), self.max)


class wait_incrementing(_Wait):
    """A wait of ``start``, increased by ``increment`` each time, between 0 and ``max``."""

    def __init__(
        self,
        start: time_unit_type = 0.0,
        increment: time_unit_type = 100.0,
        max: time_unit_type = float("inf"),
    ) -> None:
        self.start = seconds_of(start)
        self.increment = seconds_of(increment)
        self.max = seconds_of(max)

    def __call__(self, attempts: int, *, seed: int | None = None) -> float:
        return max(0.0, min(self.start + self.increment * attempts, self.max))


class wait_random(_Wait):
    """A random wait between ``min`` and ``max``."""

    def __init__(self, min: time_unit_type = 0.0, max: time_unit_type = 1.0) -> None:
        self.min = seconds_of(min)
        self.max = seconds_of(max)

    def __call__(self, attempts: int, *, seed: int | None = None) -> float:
        return _uniform(self.min, self.max, seed)


class wait_chain(_Wait):
    """Waits in turn: the first before the second attempt, the next before the third …; the last repeats.

    Raises:
        ValueError: No waits are given.
    """

    def __init__(self, *strategies: WaitStrategy) -> None:
        if not strategies:
            raise ValueError("wait_chain needs at least one wait")
        self.strategies = strategies

    def __call__(self, attempts: int, *, seed: int | None = None) -> float:
        return self.strategies[min(attempts, len(self.strategies) - 1)](attempts, seed=seed)


class wait_combine(_Wait):
    """The sum of several waits; the same as ``+``."""

    def __init__(self, *strategies: WaitStrategy) -> None:
        self.strategies = strategies

    def __call__(self, attempts: int, *, seed: int | None = None) -> float:
        return sum(strategy(attempts, seed=seed) for strategy in self.strategies)
