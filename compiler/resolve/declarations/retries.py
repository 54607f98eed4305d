"""Retry policies, and their values where the author sets none."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from wfc.compiler.diagnostics import Place
from wfc.compiler.expressions import Expression
from wfc.compiler.model import LONGEST_DELAY, Retry
from wfc.compiler.resolve.symbols.declarations import Declarations
from wfc.compiler.resolve.symbols.names import check_style
from wfc.compiler.resolve.symbols.tables import Data
from wfc.compiler.resolve.values import bounds, durations, error_names
from wfc.compiler.resolve.values.scopes import binding_scope
from wfc.compiler.rules import bindings as problems

__all__ = ["DEFAULTS", "declare_retries", "resolve_retry"]

DEFAULTS: Final = Retry(
    name="",
    max_attempts=3,
    delay=1.0,
    backoff=2.0,
    max_delay=LONGEST_DELAY,
    jitter=0.0,
    within=None,
    retry_on=(),
    never_on=(),
    address=(),
)
"""What a policy is where it says nothing: three attempts, after waits of one and two seconds."""


def declare_retries(data: Data, declared: Declarations) -> None:
    """Enter the policies under `retries`."""
    declared.prepare("retries", declared.retries)
    for name, content, address in declared.entries("retries"):
        place = Place(address)
        if not check_style(name, place.key, "retry policy", declared.report) or not isinstance(
            content, Mapping
        ):
            declared.retries.broken.add(name)
        else:
            declared.retries.nodes[name] = policy(name, content, place, declared)


def resolve_retry(data: object, place: Place, step: str, declared: Declarations) -> Retry | None:
    """Return a step's retry policy: a name from `retries`, or one written in place."""
    if isinstance(data, str):
        return declared.retries.find(data, place, declared.report)
    if isinstance(data, dict):
        return policy(f"{step}_retry", data, place, declared)
    return None


def policy(name: str, data: Data, place: Place, declared: Declarations) -> Retry:
    delay = span(data, "delay", place, declared, DEFAULTS.delay)
    given = span(data, "max_delay", place, declared, None)
    if isinstance(given, float) and isinstance(delay, float) and delay > given:
        # a default `delay` gives way to a short `max_delay` without a word; what both say is a contradiction
        if "delay" in data:
            declared.report(problems.delay_over_max_delay(place / "delay"))
        delay = given
    if given is None and not isinstance(delay, Expression):
        given = max(LONGEST_DELAY, delay or 0.0)
    return Retry(
        name=name,
        max_attempts=count(data, "max_attempts", place, declared) or DEFAULTS.max_attempts,
        delay=delay or 0.0,
        backoff=factor(data, "backoff", place, declared) or DEFAULTS.backoff,
        max_delay=given,
        jitter=span(data, "jitter", place, declared, DEFAULTS.jitter) or 0.0,
        within=span(data, "within", place, declared, None),
        retry_on=errors(data, "retry_on", place, declared),
        never_on=errors(data, "never_on", place, declared),
        address=place.address,
    )


def span(
    data: Data, key: str, place: Place, declared: Declarations, default: float | Expression | None
) -> float | Expression | None:
    """Return the seconds of a length of time, or the expression of config that gives one."""
    if key not in data:
        return default
    zero = key in {"delay", "jitter"}
    scope = binding_scope(declared)
    return durations.duration_or_expression(data[key], place / key, scope, declared.report, zero=zero)


def count(data: Data, key: str, place: Place, declared: Declarations) -> int | Expression | None:
    return bounds.count(data[key], place / key, declared, binding_scope(declared)) if key in data else None


def factor(data: Data, key: str, place: Place, declared: Declarations) -> float | Expression | None:
    given = data.get(key)
    if not isinstance(given, str):
        return given if isinstance(given, (int, float)) else None
    return bounds.number(given, place / key, declared, binding_scope(declared))


def errors(data: Data, key: str, place: Place, declared: Declarations) -> tuple[str, ...]:
    return error_names.error_names(data[key], place / key, declared.report) if key in data else ()
