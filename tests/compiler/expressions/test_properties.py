"""Random expressions: read without exceptions, printed with the right parentheses, mistakes found where they are."""

from __future__ import annotations

import ast
import itertools
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wfc.compiler.diagnostics import Finding, Place
from wfc.compiler.expressions import Scope, generate_expression, parse_expression, parse_template
from wfc.compiler.types import BOOLEAN, INTEGER, NUMBER, STRING, Enumeration, ListOf, Optional

SCOPE = Scope(
    {
        "a": INTEGER,
        "b": INTEGER,
        "x": NUMBER,
        "p": BOOLEAN,
        "q": BOOLEAN,
        "s": STRING,
        "t": STRING,
        "o": Optional(STRING),
        "e": Enumeration(("low", "mid", "high")),
        "names": ListOf(STRING),
        **{f"p{number}": BOOLEAN for number in range(100)},
    }
)
FLAGS = itertools.count()
VALUES = {
    "a": 7,
    "b": -3,
    "x": 0.5,
    "p": True,
    "q": False,
    "s": "ab",
    "t": "b",
    "o": None,
    "e": "mid",
    "names": ["n", "m"],
}
PLACE = Place(("when",))


def read(text: str) -> tuple[Any, list[Finding]]:
    findings: list[Finding] = []
    return parse_expression(text, PLACE, SCOPE, findings.append), findings


# A random expression is a pair: with the parentheses that it needs, and with all that one could set.

Pair = tuple[str, str]
LEAVES = {
    "integer": ["a", "b", "2", "(s | length)"],
    "text": ["s", "t", "'it'", "(o | default('d'))"],
    "condition": ["p", "q", "(o is none)", "(e == 'mid')"],
}
GROWN = {
    "integer": [
        ("{0} + {1}", "integer", "integer"),
        ("{0} - {1}", "integer", "integer"),
        ("{0} * {1}", "integer", "integer"),
        ("-{0}", "integer"),
        ("{0} if {1} else {2}", "integer", "condition", "integer"),
        ("{0} | abs", "integer"),
    ],
    "text": [
        ("{0} + {1}", "text", "text"),
        ("{0} ~ {1}", "text", "integer"),
        ("{0} | upper", "text"),
        ("{0} if {1} else {2}", "text", "condition", "text"),
    ],
    "condition": [
        ("{0} < {1}", "integer", "integer"),
        ("{0} == {1}", "integer", "integer"),
        ("{0} in {1}", "text", "text"),
        ("{0} and {1}", "condition", "condition"),
        ("{0} or {1}", "condition", "condition"),
        ("not {0}", "condition"),
    ],
}


def grown(chance: random.Random, kind: str, depth: int) -> Pair:
    if depth == 0 or chance.random() < 0.15:
        leaf = chance.choice(LEAVES[kind])
        return leaf, leaf
    form, *kinds = chance.choice(GROWN[kind])
    parts = [grown(chance, each, depth - 1) for each in kinds]
    written = form.format(*(f"({part[0]})" for part in parts))
    return written, f"({form.format(*(part[1] for part in parts))})"


@pytest.mark.parametrize("seed", range(4))
def test_parentheses_stand_where_they_must_and_nowhere_else(seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - a reproducible choice
    for _ in range(250):
        parentheses_are_right(grown(chance, chance.choice(list(GROWN)), chance.randint(1, 4)))


def parentheses_are_right(texts: Pair) -> None:
    expression, findings = read(texts[0])
    if findings:  # such as a condition that narrowing has decided
        return
    from wfc.runtime.values import filters

    code = generate_expression(expression, {})
    tree = ast.parse(code, mode="eval")
    # Python's own printer sets as few as it can; what it prints may differ only in quotes and layout
    assert ast.dump(ast.parse(ast.unparse(tree), mode="eval")) == ast.dump(tree)
    if not any(isinstance(node, ast.JoinedStr) for node in ast.walk(tree)):
        assert code.count("(") <= ast.unparse(tree).count("(")
    again, _ = read(texts[1])
    space = {**VALUES, "filters": filters}
    assert eval(code, space) == eval(generate_expression(again, {}), space)  # noqa: S307 - the code under test


@pytest.mark.parametrize("seed", range(4))
def test_operators_bind_as_in_python(seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - a reproducible choice
    for _ in range(250):
        text = bare(chance, chance.choice(["integer", "condition"]), chance.randint(1, 4))
        expression, findings = read(text)
        if not findings and "|" not in text:
            assert ast.dump(ast.parse(generate_expression(expression, {}))) == ast.dump(
                turned(ast.parse(text))
            )


def bare(chance: random.Random, kind: str, depth: int) -> str:
    """A random expression without any parentheses, which means whatever it means."""
    if depth == 0 or chance.random() < 0.15:
        # one that was asked before would be decided already
        flags = [f"p{next(FLAGS) % 100}"]
        return chance.choice({"integer": ["a", "b", "2"], "condition": flags, "text": ["s", "t"]}[kind])
    form, *kinds = chance.choice([each for each in GROWN[kind] if "~" not in each[0] and "|" not in each[0]])
    return form.format(*(bare(chance, each, depth - 1) for each in kinds))


def turned(tree: ast.AST) -> ast.AST:
    """Python's tree as the printer writes it: `a != b` for `not a == b`, `max` for the choice of the greater."""

    class Turning(ast.NodeTransformer):
        def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
            node = self.generic_visit(node)  # type: ignore[assignment]
            inner = node.operand
            if (
                isinstance(node.op, ast.Not)
                and isinstance(inner, ast.UnaryOp)
                and isinstance(inner.op, ast.Not)
            ):
                return inner.operand
            swap = {ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In}
            if isinstance(node.op, ast.Not) and isinstance(inner, ast.Compare) and type(inner.ops[0]) in swap:
                inner.ops = [swap[type(inner.ops[0])]()]
                return inner
            return node

        def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
            node = self.generic_visit(node)  # type: ignore[assignment]
            body, orelse = ast.dump(node.body), ast.dump(node.orelse)
            if body == orelse:
                return node.body
            if isinstance(node.test, ast.Compare) and isinstance(node.test.ops[0], ast.Lt):
                sides = [node.test.left, node.test.comparators[0]]
                if {body, orelse} == {ast.dump(side) for side in sides}:
                    name = "min" if body == ast.dump(sides[0]) else "max"
                    return ast.Call(ast.Name(name, ast.Load()), sides, [])
            return node

    return Turning().visit(tree)


@given(st.text(st.sampled_from("abpqxso ()[]{}|.,:~+-*/%<>=!'\"0123if ndortl\n"), max_size=40))
@settings(max_examples=5 * settings.default.max_examples)
def test_any_text_is_read_or_reported(text: str) -> None:
    expression, findings = read(text)
    assert expression.type.name == "unknown" if any(f.severity.word == "error" for f in findings) else True
    for finding in findings:
        assert finding.place.start is not None
        assert finding.place.end is not None
        assert 0 <= finding.place.start <= finding.place.end <= len(text)


FORMS = [
    "{0} + 1 > 2 and state.count < 3",
    "state.count + {0}",
    "(state.count * ({0} - 1)) | string",
    "[{0}, 1] | sum",
    "'é工\u0301' ~ {0} ~ \"\\u00e9\"",
    "state.count if {0} > 1 else 2",
    "state.title | truncate({0})",
    "{{'a': {0}}} | json",
    "not ({0} == 1)",
]


@pytest.mark.parametrize("seed", range(5))
def test_a_misspelt_name_is_found_where_it_stands(read, seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - a reproducible choice
    for _ in range(300):
        name = "".join(chance.choices("xyzéß工", k=chance.randint(3, 8)))
        path = chance.choice(
            [name, f"state.{name}", f"state.order.customer.{name}", f"state.orders[0].{name}"]
        )
        if path.startswith("state.order.c"):
            text = f"state.order is not none and state.order.customer.{name} == 'x'"
        else:
            text = chance.choice(FORMS).format(path)
        _, findings = read(text)
        assert [finding.code for finding in findings] in (["unknown-name"], ["unknown-field"])
        place = findings[0].place
        assert text[place.start : place.end] == name
        assert place.start == text.rindex(name)


@pytest.mark.parametrize(
    "text",
    ["(" * 1000, "[" * 1000, "1" + " + 1" * 1000, "a" + ".b" * 1000, "not " * 1000 + "p", "-" * 1000 + "1",
     "a" + " | abs" * 1000, "a" + " if p else a" * 1000, "[" + "1, " * 5000 + "]", "a" + "[0]" * 1000, "1" * 5000],
)  # fmt: skip
def test_an_endless_expression_is_refused(text: str) -> None:
    _, findings = read(text)
    assert len(findings) == 1
    assert findings[0].code in {"expression-too-long", "unclosed-bracket", "number-too-large"}


@pytest.mark.parametrize(
    "part", ["{%", "${{", "{{", "{#", "%}", "{% if p %}", "{% if p %}\n{% endif %}\n", " ", '"', "\\"]
)
@pytest.mark.parametrize("statements", [False, True])
def test_a_large_text_is_read_to_its_end(part: str, statements: bool) -> None:
    count = 0

    def report(finding: Finding) -> None:
        nonlocal count
        count += 1

    parse_template(part * (60_000 // len(part)), PLACE, SCOPE, report, statements=statements)
    parse_expression(part * 60_000, PLACE, SCOPE, report)
    assert count <= 60_001
