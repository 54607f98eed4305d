"""The passes over an expression in their order: text → tree → types → findings about the whole.

Python is made of the result by :mod:`wfc.compiler.expressions.generation`.
"""

from __future__ import annotations

import re
from typing import Final

from wfc.compiler.diagnostics import Finding, Place, Report
from wfc.compiler.expressions.conditions import truth_table
from wfc.compiler.expressions.expression import Expression, Template
from wfc.compiler.expressions.filters import FILTERS
from wfc.compiler.expressions.syntax import slips
from wfc.compiler.expressions.syntax.lexer import UnreadableError
from wfc.compiler.expressions.syntax.reading import read_expression
from wfc.compiler.expressions.syntax.template_parser import TemplateParser
from wfc.compiler.expressions.syntax.template_tree import Hole, Part, has_statements
from wfc.compiler.expressions.syntax.tree import BrokenExpression, paths_in
from wfc.compiler.expressions.typing.checker import TypeChecker
from wfc.compiler.expressions.typing.scope import Scope
from wfc.compiler.expressions.typing.templates import TemplateChecker
from wfc.compiler.rules import expressions as expression_problems
from wfc.compiler.rules import operands as operand_problems
from wfc.compiler.types import STRING, UNKNOWN

__all__ = ["parse_expression", "parse_template"]

CALLED: Final = r"`(\w+)` cannot be called"


def parse_expression(
    text: str, place: Place, scope: Scope, report: Report, *, condition: bool = False
) -> Expression:
    """Return the expression that a whole text consists of.

    Args:
        condition: Whether it must be true or false, and neither always.
    """
    role = "condition" if condition else "expression"
    known = scope.cache.get(text, role, scope.look_up, Expression) if scope.cache is not None else None
    if known is not None:
        return known.at(place)
    checker = TypeChecker(text, place, report, FILTERS)
    try:
        tree, _ = read_expression(text, place)
    except UnreadableError as mistake:
        report(of_a_value(mistake.finding, text, scope))
        return Expression(text, place, UNKNOWN, BrokenExpression(0, len(text)), frozenset())
    if condition:
        checker.condition(tree, scope)
        if not checker.failed and (truth := truth_table.constant_truth(tree)) is not None:
            why = "it holds in every case" if truth else "it holds in no case"
            checker.wrong(
                (operand_problems.always_true if truth else operand_problems.never_true)(
                    checker.at(tree), why
                )
            )
    else:
        checker.type_of(tree, scope)
    kind = UNKNOWN if checker.failed else tree.type
    found = Expression(text, place, kind, tree, paths_in([tree]), checker.sure)
    if scope.cache is not None and checker.sure:
        scope.cache.put(role, found, scope.look_up)
    return found


def parse_template(
    text: str, place: Place, scope: Scope, report: Report, *, statements: bool = True, whole: bool = True
) -> Template:
    """Return a text with the expressions in it, parsed and typed.

    Args:
        statements: Whether ``{% for %}`` and its like are statements here, as they are in most texts.
        whole: Whether one whole ``${{ }}`` keeps its type; else it is a text like any other.
    """
    role = f"text{' with statements' * statements}{' of one value' * whole}"
    known = scope.cache.get(text, role, scope.look_up, Template) if scope.cache is not None else None
    if known is not None:
        return known.at(place)
    parser = TemplateParser(
        text, place, lambda finding: report(of_a_value(finding, text, scope)), statements=statements
    )
    parts = parser.whole()
    checker = TypeChecker(text, place, report, FILTERS)
    checker.failed = parser.failed
    found = typed(text, place, parts, checker, scope, statements=statements, whole=whole)
    if scope.cache is not None and checker.sure and not parser.complained and not found.statements:
        scope.cache.put(role, found, scope.look_up)
    return found


def of_a_value(finding: Finding, text: str, scope: Scope) -> Finding:
    """Return a finding about an expression; of a call that is none, since a value has that name here, what is missing.

    The names that the language gives are not asked: in other languages `config("name")` is a call.
    """
    called = re.fullmatch(CALLED, finding.message) if finding.code == "method-call" else None
    if called is None or called[1] in slips.ROOTS or called[1] not in scope.names:
        return finding
    alone = re.search(rf"(?<![\w.]){re.escape(called[1])}\s*\(", text)
    return finding if alone is None else expression_problems.value_before_bracket(finding)


def typed(
    text: str,
    place: Place,
    parts: tuple[Part, ...],
    checker: TypeChecker,
    scope: Scope,
    *,
    statements: bool,
    whole: bool,
) -> Template:
    """Return the parts of a text with their types."""
    if len(parts) == 1 and isinstance(parts[0], Hole) and whole:
        tree = parts[0].tree
        kind = checker.type_of(tree, scope)
        kind = UNKNOWN if checker.failed else kind
        uses = paths_in([tree])
        value = Expression(text[tree.start : tree.end], place, kind, tree, uses, checker.sure)
        return Template(text, place, parts, kind, uses, value)
    uses = TemplateChecker(checker).parts(parts, scope)
    return Template(
        text,
        place,
        parts,
        UNKNOWN if checker.failed else STRING,
        uses,
        statements=statements and "{%" in text and has_statements(parts),
    )
