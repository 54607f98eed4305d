"""Expressions, texts, values and bounds as facts."""

from __future__ import annotations

from wfc.compiler.diagnostics import Address
from wfc.compiler.expressions import Expression, Template
from wfc.compiler.model import Secret, Value
from wfc.compiler.model.bounds import length, number
from wfc.compiler.review.facts.meaning import meaning
from wfc.compiler.review.facts.places import Fact, Places

__all__ = ["bound", "duration", "expression", "secret", "text", "value"]


def expression(places: Places, given: Expression) -> Fact:
    """Return an expression: as written, what it means, and what it reads."""
    return {
        "at": places.at(given.place.address),
        "text": given.text.strip(),
        "means": meaning(given.tree),
        "reads": _paths(given.uses),
    }


def text(places: Places, given: Template) -> Fact:
    """Return a text with expressions in it; one that is a single expression, as that."""
    if given.whole is not None:
        return expression(places, given.whole)
    found: Fact = {"at": places.at(given.place.address), "text": given.text}
    if given.uses:
        found["reads"] = _paths(given.uses)
    return found


def secret(given: Secret) -> Fact:
    """Return the name of a secret."""
    return {"secret": given.name}


def value(places: Places, given: Value) -> Fact:
    """Return a structured value with expressions in it."""
    found: Fact = {"at": places.at(given.address)}
    if given.expression is not None:
        found |= expression(places, given.expression)
    elif given.template is not None:
        found |= text(places, given.template)
    elif given.secret is not None:
        found |= secret(given.secret)
    elif given.items is not None:
        found["items"] = [value(places, each) for each in given.items]
    elif given.entries is not None:
        found["entries"] = {name: value(places, each) for name, each in given.entries}
    else:
        found["value"] = given.constant
    return found


def bound(places: Places, given: float | Expression | None, address: Address) -> Fact | None:
    """Return a number, or the expression that gives it; ``None`` where there is no bound."""
    return _bound(places, given, address, number)


def duration(places: Places, given: float | Expression | None, address: Address) -> Fact | None:
    """Return a length of time in seconds, or the expression that gives it; ``None`` where there is none."""
    return _bound(places, given, address, length)


def _bound(places: Places, given: float | Expression | None, address: Address, show: object) -> Fact | None:
    if given is None:
        return None
    if isinstance(given, Expression):
        return {**expression(places, given), "at": places.at(address)}
    assert callable(show)
    return {"at": places.at(address), "text": show(given), "value": given}


def _paths(uses: frozenset[tuple[str, ...]]) -> list[str]:
    return sorted(".".join(path) for path in uses)
