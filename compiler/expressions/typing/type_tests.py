"""Types of tests: `is none`, and `is` with the name of an event, a type or a kind of value."""

from __future__ import annotations

from wfc.compiler.diagnostics import Finding
from wfc.compiler.expressions.conditions.narrowing import EMPTY, KINDS, TESTS, passes_test
from wfc.compiler.expressions.syntax.tree import Node, Test
from wfc.compiler.expressions.typing.reporter import TypeReporter
from wfc.compiler.expressions.typing.scope import Scope
from wfc.compiler.rules import expression_names as name_problems
from wfc.compiler.rules import operands as operand_problems
from wfc.compiler.rules.spelling import nearest
from wfc.compiler.types import (
    ANY,
    BUILT_IN,
    NULL,
    NUMBER,
    STRING,
    UNKNOWN,
    Enumeration,
    ListOf,
    MapOf,
    Record,
    Type,
    base,
    may_be_null,
    members,
    show,
    without_null,
)

__all__ = ["null_test", "test"]


def test(reporter: TypeReporter, node: Test, kind: Type, scope: Scope) -> bool:
    """Check a test of a value of some type, and return whether it asks anything; finds what it is named after."""
    if node.name == "none":
        null_test(reporter, node, node.of, kind, null=not node.negated)
        return True
    if node.name == EMPTY and EMPTY not in scope.classes:
        empty_test(reporter, node, kind)
        return True
    records = [each for each in members(kind) if isinstance(each, Record)]
    # what another workflow calls its end counts before an event of this one
    ends = (each for each in records if each.called == node.name)
    node.record = next(ends, None) or scope.classes.get(node.name) or BUILT_IN.get(node.name)
    if kind is UNKNOWN and (
        node.record is not None or node.name in TESTS or not nearest(node.name, scope.classes)
    ):
        return True  # it may be the name of what could not be found
    if node.record is None and node.name not in TESTS:
        if is_left_out(node.name, reporter, scope):
            return True
        place = reporter.place.stretch(node.name_start, node.name_end)
        known = [each.called or each.name for each in records] or [*KINDS, *scope.classes]
        compared = f'{"!=" if node.negated else "=="} "{node.name}"' if base(kind) is STRING else ""
        from wfc.compiler.types.notations import SYNONYMS  # a good spec never needs it

        meant = SYNONYMS.get(node.name.lower(), "")
        kind_of = meant if meant in KINDS else ""
        reporter.wrong(
            name_problems.unknown_test(place, node.name, ["none", EMPTY, *known], compared, kind_of)
        )
        return False
    if without_null(kind) is not ANY or node.record is not None:
        kind_test(reporter, node, kind)
    return True


def is_left_out(name: str, reporter: TypeReporter, scope: Scope) -> bool:
    """Return whether an event or a type is declared and nothing is known of it, since its declaration is wrong."""
    if not name[:1].isupper():
        return False
    unknown: list[Finding] = []
    return scope.types(name, reporter.place, unknown.append) is UNKNOWN and not unknown


def null_test(reporter: TypeReporter, node: Node, asked: Node, kind: Type, *, null: bool) -> None:
    """Check a question whether something is null, or (not ``null``) whether it is not."""
    words = reporter.words(asked)
    declared = asked.declared if asked.declared is not UNKNOWN else kind
    if kind in (ANY, UNKNOWN):
        return
    if kind is NULL:
        if declared is not NULL:
            reporter.decide(node, null, f"`{words}` is null here")
    elif not may_be_null(kind):
        if may_be_null(declared):
            reporter.decide(node, not null, f"`{words}` is not null here")
        else:
            reporter.wrong(operand_problems.never_null(reporter.at(node), words, not null))


def empty_test(reporter: TypeReporter, node: Test, kind: Type) -> None:
    """Check a question whether a text, a list or a map has nothing in it, or is not there at all."""
    if without_null(kind) is ANY or kind is UNKNOWN:
        return
    words = reporter.words(node.of)
    if kind is NULL:
        null_test(reporter, node, node.of, kind, null=not node.negated)
    elif not all(may_be_empty(each) for each in members(kind)):
        finding = operand_problems.never_empty(reporter.at(node), words, show(kind), may_be_null(kind))
        reporter.wrong(finding)
        node.of.type = UNKNOWN  # so that nobody relies on what it would have made known


def may_be_empty(type: Type) -> bool:
    """Return whether a type has a value with nothing in it: a text, a list or a map."""
    if isinstance(type, Enumeration):
        return "" in type.values
    return isinstance(type, (ListOf, MapOf)) or type is STRING


def kind_test(reporter: TypeReporter, node: Test, kind: Type) -> None:
    """Check a question of which type a value is."""
    words = reporter.words(node.of)
    declared = node.of.declared if node.of.declared is not UNKNOWN else kind
    possible = [passes_test(each, node) for each in members(declared)]
    now = [passes_test(each, node) for each in members(kind)] if kind is not NULL else [False]
    always = all(now) and not may_be_null(kind)
    if (any(now) and not always) or (kind is NUMBER and node.name == "integer" and declared is not NUMBER):
        return
    why = f"`{words}` {'is always' if always else 'can never be'} `{node.name}` here"
    outcome = always != node.negated
    if without_null(declared) is ANY or (any(possible) and not (all(possible) and not may_be_null(declared))):
        reporter.decide(node, outcome, why)
    else:
        finding = operand_problems.always_true if outcome else operand_problems.never_true
        reporter.wrong(finding(reporter.at(node), why))
