"""Types of the parts of a text with expressions in it."""

from __future__ import annotations

from typing import Final

from wfc.compiler.diagnostics import Place
from wfc.compiler.expressions.syntax.template_parser import TemplateParser
from wfc.compiler.expressions.syntax.template_tree import Condition, ForLoop, Hole, Part, Text, UsedText
from wfc.compiler.expressions.syntax.tree import Constant, Node, Path, paths_in
from wfc.compiler.expressions.typing.checker import TypeChecker
from wfc.compiler.expressions.typing.comparisons import adapt
from wfc.compiler.expressions.typing.loops import inside_loop
from wfc.compiler.expressions.typing.scope import Scope, SourceText
from wfc.compiler.rules import operands as operand_problems
from wfc.compiler.rules import templates as template_problems
from wfc.compiler.rules import undeclared as undeclared_problems
from wfc.compiler.slotted import replace
from wfc.compiler.types import NULL, UNKNOWN, Optional, Type, assignable, base, show

__all__ = ["TemplateChecker"]


SIGNS: Final = frozenset("{}[]()\"'`,;")
MAX_USED: Final = 200
"""How many texts a text may use, those that they use included."""


def beside_alone(parts: tuple[Part, ...]) -> str:
    """Return the one sign beside the one expression of a text, which may be there by a slip; empty if more is there."""
    if len(parts) != 2:
        return ""
    texts = [part.text.strip() for part in parts if isinstance(part, Text)]
    return texts[0] if texts and texts[0] in SIGNS else ""


class TemplateChecker:
    """A type checker of the parts of a text, which collects the names that they use.

    Args:
        budget: How many more texts it may use, those that they use included.
    """

    def __init__(self, checker: TypeChecker, budget: list[int] | None = None) -> None:
        self.checker = checker
        self.budget = budget if budget is not None else [MAX_USED]

    def parts(self, parts: tuple[Part, ...], scope: Scope) -> frozenset[Path]:
        uses: frozenset[Path] = frozenset()
        trees: list[Node] = []
        beside = beside_alone(parts)
        for part in parts:
            if isinstance(part, Text):
                continue
            if isinstance(part, Hole):
                self.checker.require_text(part.tree, scope, beside=beside)
                trees.append(part.tree)
            elif isinstance(part, Condition):
                uses |= self.condition(part, scope)
            elif isinstance(part, ForLoop):
                uses |= self.loop(part, scope)
            elif isinstance(part, UsedText):
                uses |= self.used(part, scope)
        return uses | paths_in(trees)

    def condition(self, part: Condition, scope: Scope) -> frozenset[Path]:
        uses: frozenset[Path] = frozenset()
        for test, body in part.branches:
            inside = scope
            if test is not None:
                self.checker.condition(test, scope)
                sure = self.checker.sure
                uses |= paths_in([test])
                inside, scope = scope.given(test, True, sure=sure), scope.given(test, False, sure=sure)
            uses |= self.parts(body, inside)
        return uses

    def loop(self, part: ForLoop, scope: Scope) -> frozenset[Path]:
        items = self.checker.require_present(part.items, scope, use="by `for`")
        inside = self.parts(part.body, inside_loop(self.checker, part.names, part.items, items, scope))
        return paths_in([part.items]) | frozenset(path for path in inside if path[0] not in part.own)

    def used(self, part: UsedText, scope: Scope) -> frozenset[Path]:
        """Check a text that is used in this one, at the place of its use."""
        place = self.checker.place.stretch(part.start, part.end)
        kinds = [self.checker.type_of(each.value, scope) for each in part.arguments]
        uses = paths_in([each.value for each in part.arguments])
        self.budget[0] -= 1
        if self.budget[0] < 0:
            if self.budget[0] == -1:
                self.checker.wrong(template_problems.too_many_texts(place, MAX_USED))
            return uses
        if scope.texts is None:
            self.checker.wrong(undeclared_problems.unknown_text(place, part.name, ()))
            return uses
        found = scope.texts(part.name, place)
        if found is None:
            self.checker.failed = True
            return uses
        self.give(part, found, kinds, place)
        names = {name: kind for name, kind in scope.names.items() if name != "args"}
        inside = replace(scope, names=names)
        if found.args.fields:
            inside = inside.with_name("args", found.args)
        parser = TemplateParser(found.text, found.place, found.report, statements=True)
        part.parts = parser.whole()
        checker = TypeChecker(found.text, found.place, found.report, self.checker.filters)
        inner = TemplateChecker(checker, self.budget).parts(part.parts, inside)
        self.checker.failed |= parser.failed or checker.failed
        self.checker.unknown |= checker.unknown
        return uses | frozenset(path for path in inner if path[0] != "args" or not found.args.fields)

    def give(self, part: UsedText, found: SourceText, kinds: list[Type], place: Place) -> None:
        """Hold what a text is given against what it must be given."""
        fields = found.args.fields
        signature = f"{part.name}({', '.join(f'{name}=…' for name in fields)})"
        given: dict[str, tuple[Node, Type]] = {}
        for each, kind in zip(part.arguments, kinds, strict=True):
            at = self.checker.place.stretch(each.start, each.end)
            if each.name not in fields or each.name in given:
                self.checker.wrong(operand_problems.unexpected_argument(at, part.name, each.name, signature))
                continue
            wanted = fields[each.name].type
            given[each.name] = each.value, wanted
            found_kind = adapt(each.value, kind, wanted)
            if found_kind is not UNKNOWN and not assignable(found_kind, wanted):
                value = self.checker.at(each.value)
                self.checker.wrong(
                    operand_problems.wrong_argument(value, part.name, show(wanted), show(base(found_kind)))
                )
        for name, field in fields.items():
            if name in given:
                continue
            if isinstance(field.type, Optional):
                given[name] = absent(place), field.type
            elif not self.checker.failed:
                self.checker.wrong(operand_problems.missing_argument(place, part.name, name, signature))
        part.given = tuple((name, *given[name]) for name in fields if name in given)


def absent(place: Place) -> Node:
    """Return the node of a value that is not given."""
    node = Constant(place.start or 0, place.end or 0, None)
    node.type = NULL
    return node
