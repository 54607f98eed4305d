"""Mocks of steps in the tests of a spec: replacement answers, and the steps that really run."""

from __future__ import annotations

from collections.abc import Mapping

from wfc.compiler.diagnostics import Place
from wfc.compiler.model import MockAnswer, Step
from wfc.compiler.resolve.symbols.declarations import Declarations
from wfc.compiler.resolve.whole.answers import AnswerReader, is_one_quorum
from wfc.compiler.resolve.whole.step_lookup import StepLookup
from wfc.compiler.rules import cases as problems
from wfc.compiler.slotted import dataclass

__all__ = ["MockReader"]


@dataclass(frozen=True, slots=True)
class MockReader:
    """Reads `mock` and `real`."""

    declared: Declarations
    steps: StepLookup

    def real(self, data: object, place: Place) -> list[str]:
        found = []
        data = data if isinstance(data, list) else []
        for index, name in enumerate(data):
            step = self.steps.find(name, place / index, acting=True, beside=data)
            if step is not None and self.has_action(step, place / index, "real"):
                found.append(step.name)
        return found

    def has_action(self, step: Step, place: Place, key: str) -> bool:
        if not step.acts:
            if self.declared.is_broken(step.address):
                return False  # nobody knows what it does
            self.declared.report(problems.step_without_action(place, step.name, key))
            return False
        return True

    def mocks(self, data: object, place: Place) -> dict[str, tuple[MockAnswer, ...]]:
        found: dict[str, tuple[MockAnswer, ...]] = {}
        data = data if isinstance(data, Mapping) else {}
        for name, content in data.items():
            at = place / str(name)
            step = self.steps.find(name, at.key, acting=True, beside=data)
            if step is None or not self.has_action(step, at.key, "mock"):
                continue
            reader = AnswerReader(self.declared, step)
            if isinstance(content, list) and not is_one_quorum(content, step):
                answers = tuple(reader.answer(each, at / index) for index, each in enumerate(content))
            else:
                answers = (reader.answer(content, at),)
            found[step.name] = answers
        return found
