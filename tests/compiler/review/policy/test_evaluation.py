"""Expressions of policies are worked out as the generated Python would."""

from __future__ import annotations

import json
import random
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from wfc.compiler.diagnostics import Finding, Place
from wfc.compiler.expressions import Scope, generate_expression, parse_expression
from wfc.compiler.expressions.filters import FILTERS
from wfc.compiler.expressions.syntax.tree import FilterCall, walk
from wfc.compiler.passes import check_text
from wfc.compiler.review.facts import workflow_facts
from wfc.compiler.review.policy.describing import described
from wfc.compiler.review.policy.evaluation import Budget, TooMuchError, evaluate
from wfc.compiler.review.policy.filters import FUNCTIONS
from wfc.compiler.review.policy.subjects import STEP, SUBJECTS, WORKFLOW
from wfc.compiler.types import (
    BOOLEAN,
    DURATION,
    INTEGER,
    STRING,
    Enumeration,
    ListOf,
    MapOf,
    Optional,
    Record,
    Scalar,
    Type,
)
from wfc.compiler.workspace.project import NoFiles, Project
from wfc.runtime import filters


def parsed(text: str, names: dict[str, Type]) -> Any:
    found: list[Finding] = []
    expression = parse_expression(text, Place(()), Scope(names), found.append)
    return None if found else expression


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_a_filter_does_what_the_reference_says(name: str) -> None:
    text, wanted = FILTERS[name].example
    expression = parsed(text, {})
    if expression is None or any(
        isinstance(node, FilterCall) and node.name not in FUNCTIONS for node in walk(expression.tree)
    ):
        pytest.skip("the example needs names or other filters")
    assert evaluate(expression.tree, {}, Budget()) == json.loads(wanted)


STEPS = [
    {"name": "look", "kind": "http", "hosts": ["a", "b"], "timeout": 20.0, "attempts": 3, "bounded": True},
    {"name": "", "kind": "tool", "hosts": [], "timeout": None, "attempts": None, "bounded": False},
    {"name": "pay", "kind": "tool", "hosts": ["b"], "timeout": 0.5, "attempts": 1, "bounded": False},
]
ATOMS = {
    "text": ["step.name", "step.kind", '"tool"', '"b"', '""'],
    "texts": ["step.hosts", '["a", "tool"]', "[s.name for s in workflow.steps]"],
    "number": ["(step.hosts | length)", "2", "(step.name | length)", "(step.attempts | default(0))"],
    "truth": ["step.bounded", "step.timeout is none", "step.hosts is empty", "step.name is not empty"],
}


def expression_of(kind: str, dice: random.Random, depth: int) -> str:
    """Return a random expression of a sort."""
    if depth == 0 or dice.random() < 0.2:
        return dice.choice(ATOMS[kind])

    def part(of: str) -> str:
        return expression_of(of, dice, depth - 1)

    forms = {
        "text": [
            lambda: f"({part('text')} | {dice.choice(['upper', 'lower', 'trim'])})",
            lambda: f"({part('text')} ~ {part('number')})",
            lambda: f"({part('text')} if {part('truth')} else {part('text')})",
            lambda: f'({part("texts")} | join("-"))',
        ],
        "texts": [
            lambda: f"({part('texts')} + {part('texts')})",
            lambda: f"({part('texts')} | {dice.choice(['unique', 'reverse'])})",
            lambda: f"[s.name for s in workflow.steps if {part('truth')}]",
        ],
        "number": [
            lambda: f"({part('number')} {dice.choice('+-*')} {part('number')})",
            lambda: f"({part('texts')} | length)",
            lambda: f"({part('number')} if {part('truth')} else {part('number')})",
        ],
        "truth": [
            lambda: f"({part('truth')} {dice.choice(['and', 'or'])} {part('truth')})",
            lambda: f"(not {part('truth')})",
            lambda: f"({part('number')} {dice.choice(['<', '<=', '==', '!='])} {part('number')})",
            lambda: f"({part('text')} {dice.choice(['==', '!=', 'in', 'not in'])} {part('text')})",
            lambda: f"({part('text')} {dice.choice(['in', 'not in'])} {part('texts')})",
            lambda: f"({part('texts')} | contains({part('text')}))",
            lambda: f"({part('text')} | starts_with({part('text')}))",
            lambda: f"([{part('truth')} for s in workflow.steps] | {dice.choice(['any', 'all'])})",
            lambda: '(step.timeout is not none and step.timeout <= "20 s")',
        ],
    }
    return dice.choice(forms[kind])()


def as_objects(value: Any) -> Any:
    if isinstance(value, dict):
        return SimpleNamespace(**{key: as_objects(each) for key, each in value.items()})
    return [as_objects(each) for each in value] if isinstance(value, list) else value


@pytest.mark.parametrize("seed", range(4))
def test_random_expressions_give_what_their_python_gives(seed: int) -> None:
    dice = random.Random(seed)  # noqa: S311  no secret
    compared = 0
    for _ in range(150):
        text = expression_of(dice.choice(list(ATOMS)), dice, 4)
        expression = parsed(text, {"step": STEP, "workflow": WORKFLOW})
        if expression is None:
            continue
        code = compile(generate_expression(expression, {}), "expression", "eval")
        for step in STEPS:
            names = {"step": step, "workflow": {"steps": STEPS}}
            own = as_objects(names)
            for each in (own.step, *own.workflow.steps):
                if each.timeout is not None:
                    each.timeout = filters.duration(f"{each.timeout} s")
            wanted = eval(code, {"filters": filters, **vars(own)})  # noqa: S307  the test's own code
            assert evaluate(expression.tree, names, Budget()) == wanted, text
            compared += 1
    assert compared > 100


def test_the_work_is_counted() -> None:
    text = "[[a.name ~ b.name for b in workflow.steps] for a in workflow.steps] | length"
    expression = parsed(text, {"workflow": WORKFLOW})
    steps = [{"name": "x" * 100} for _ in range(2_000)]
    with pytest.raises(TooMuchError):
        evaluate(expression.tree, {"workflow": {"steps": steps}}, Budget())


def fits(value: Any, type: Type) -> bool:
    """Return whether plain data has a type of the language."""
    match type:
        case Optional():
            return value is None or fits(value, type.of)
        case ListOf():
            return isinstance(value, list) and all(fits(each, type.item) for each in value)
        case MapOf():
            return isinstance(value, dict) and all(fits(each, type.value) for each in value.values())
        case Record():
            return (
                isinstance(value, dict)
                and value.keys() == type.fields.keys()
                and all(fits(value[name], field.type) for name, field in type.fields.items())
            )
        case Enumeration():
            return value in type.values
    assert isinstance(type, Scalar)
    kinds: dict[Scalar, tuple[type[Any], ...]] = {
        STRING: (str,),
        BOOLEAN: (bool,),
        INTEGER: (int,),
        DURATION: (float,),
    }
    return isinstance(value, kinds[type]) and (type is BOOLEAN or not isinstance(value, bool))


def test_what_rules_see_has_the_types_that_they_are_checked_against() -> None:
    here = Path(__file__)
    specs = [
        each.read_bytes()
        for each in [here.parents[2] / "draw/refund.yaml", *sorted(here.parents[4].glob("specs/*.yaml"))]
    ]
    judged = 0
    for raw in specs:
        project = Project(NoFiles())
        checked = check_text(raw, "spec.yaml", project)
        if checked.failed or checked.workflow is None:
            continue
        found = described(workflow_facts(checked.workflow, project.units["spec.yaml"].document))
        for sort, subjects in found.items():
            for each in subjects:
                for name, field in SUBJECTS[sort].fields.items():
                    assert fits(each.values[name], field.type), (sort, each.name, name, each.values[name])
                assert each.values.keys() == SUBJECTS[sort].fields.keys()
                judged += 1
    assert judged > 300
