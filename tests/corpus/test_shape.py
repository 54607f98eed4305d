"""The compiler's validator against jsonschema, on specs with one mistake: each is valid to both or to neither."""

from __future__ import annotations

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


def judge(mutants: list[Any]) -> None:
    told = []
    for mutant in mutants:
        findings: list[Any] = []
        document = read(mutant.text.encode(), "spec.yaml", findings.append)
        if findings or not isinstance(document.data, dict):
            continue
        told.append(validator().fits(document.data))
        if told[-1] != INDEPENDENT.is_valid(document.data):
            validate(document, findings.append)
            assert "not-supported-yet" in {finding.code for finding in findings}, mutant.name
    print(f"\n{told.count(True)} valid, {told.count(False)} not")
    assert told.count(True) > len(mutants) / 10
    assert told.count(False) > len(mutants) / 10


@pytest.mark.parametrize("part", [slice(2), pytest.param(slice(2, 6), marks=pytest.mark.full)])
def test_mutants_are_valid_to_both_or_to_neither(mutants: dict[str, list[Any]], part: slice) -> None:
    judge([mutant for each in mutants.values() for mutant in each[part]])


@pytest.mark.slow
def test_all_mutants_are_valid_to_both_or_to_neither(mutants: dict[str, list[Any]]) -> None:
    judge([mutant for each in mutants.values() for mutant in each])
