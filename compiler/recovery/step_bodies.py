"""Two steps, each with the body of the other, which shows by the tests that stand in for them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from wfc.compiler.diagnostics import Finding, Place, Severity
from wfc.compiler.recovery.changes import Data, Suspicion, at
from wfc.compiler.recovery.exchanges import exchanged
from wfc.compiler.rules.shape import exchanged_values

__all__ = ["exchanged_bodies"]

MOST_TESTS: Final = 100
MOST_PARTNERS: Final = 4


def exchanged_bodies(data: Data, findings: Sequence[Finding]) -> Iterator[Suspicion]:
    """The steps that the one may have been exchanged with that tests cannot stand in for as it is.

    Either such a test stands in for the other one too, and what it gives fits both; or it leaves out one step alone
    that needs somebody to stand in for it.
    """
    errors = [each for each in findings if each.severity is Severity.ERROR]
    steps, stood = data.get("steps"), {step_of(data, each) for each in errors}
    if len(stood) != 1 or not isinstance(steps, dict):
        return
    (name,) = stood
    if name is None or name not in steps:
        return
    indexes = sorted({int(each.place.address[1]) for each in errors})[:MOST_TESTS]
    named = [names_of(at(data, ("tests", index))) for index in indexes]
    others = [each for each in steps if each != name and steps[each] != steps[name]]
    everywhere = [each for each in others if all(each in names for names in named)]
    nowhere = [
        each for each in others if is_action(steps[each]) and not any(each in names for names in named)
    ]
    sure = len(errors) > 1 or errors[0].code == "step-without-action"
    for other in [*(nowhere if len(nowhere) == 1 and sure else ()), *everywhere[:MOST_PARTNERS]]:
        first, second = sorted((name, other), key=list(steps).index)
        one, two = Place(("steps", first), "key"), Place(("steps", second), "key")
        yield Suspicion(
            exchanged_values(one, first, two, second),
            exchanged(data, ("steps",), name, other),
            swaps=((one.address, two.address),),
            explains=1,
            eager=False,
        )


def step_of(data: Data, error: Finding) -> str | None:
    """The step that a test stands in for at an error's place."""
    address = error.place.address
    if len(address) < 4 or address[0] != "tests" or address[2] not in {"mock", "real"}:
        return None
    name = address[3] if address[2] == "mock" else at(data, address[:4])
    return name if isinstance(name, str) else None


def names_of(test: Any) -> set[str]:
    """The steps that a test names under `mock` and `real`."""
    found: set[str] = set()
    for key in ("mock", "real"):
        named = test.get(key) if isinstance(test, dict) else None
        if isinstance(named, (dict, list)):
            found.update(each for each in named if isinstance(each, str))
    return found


def is_action(step: Any) -> bool:
    """Whether a step does something that tests stand in for."""
    return isinstance(step, dict) and step.get("kind") not in {"transform", "wait", None}
