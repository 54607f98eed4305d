"""The compiler's validator against jsonschema, on spoilt specs: each is valid to both or to neither."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest
from jsonschema import Draft202012Validator, validators

from wfc.compiler.schema import validate
from wfc.compiler.schema.expansion import validator
from wfc.compiler.yaml import read
from wfc.schemas import load

# The one difference: a whole number written as `3.0` is no integer for us.
TYPES = Draft202012Validator.TYPE_CHECKER.redefine("integer", lambda _, value: type(value) is int)
INDEPENDENT = validators.extend(Draft202012Validator, type_checker=TYPES)(load())


def judged(text: bytes) -> bool | None:
    """Whether a spec has the right shape, as both say; ``None`` where it cannot be read as data."""
    findings: list[Any] = []
    document = read(text, "spec.yaml", findings.append)
    if findings or not isinstance(document.data, dict):
        return None
    fine = validator().fits(document.data)
    if fine != INDEPENDENT.is_valid(document.data):
        # what the schema describes and nothing supports yet is valid to one of the two
        validate(document, findings.append)
        assert "not-supported-yet" in {finding.code for finding in findings}, text.decode()
    return fine


def judge(fuzzing: ModuleType, numbers: range) -> None:
    larder = fuzzing.Larder()
    told = [judged(each) for number in numbers for each in larder.spoilt(3, number).files.values()]
    print(f"\n{told.count(True)} valid, {told.count(False)} not")
    assert told.count(False) > len(numbers) / 10
    assert told.count(True) > len(numbers) / 20


def test_spoilt_specs_are_valid_to_both_or_to_neither(fuzzing: ModuleType) -> None:
    judge(fuzzing, range(150))


@pytest.mark.slow
def test_thousands_of_spoilt_specs_are_valid_to_both_or_to_neither(fuzzing: ModuleType) -> None:
    judge(fuzzing, range(1000, 9000))
