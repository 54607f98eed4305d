"""Types of the parts of a text with expressions in it."""

from __future__ import annotations

from wfc.compiler.expressions.syntax.template_tree import Condition, ForLoop, Hole, Part
from wfc.compiler.expressions.syntax.tree import Node, Path, paths_in
from wfc.compiler.expressions.typing.checker import TypeChecker
from wfc.compiler.expressions.typing.loops import inside_loop
from wfc.compiler.expressions.typing.scope import Scope

__all__ = ["TemplateChecker"]


class TemplateChecker:
    """A type checker of the parts of a text, which collects the names that they use."""

    def __init__(self, checker: TypeChecker) -> None:
        self.checker = checker

    def parts(self, parts: tuple[Part, ...], scope: Scope) -> frozenset[Path]:
        uses: frozenset[Path] = frozenset()
        trees: list[Node] = []
        for part in parts:
            if isinstance(part, Hole):
                self.checker.require_text(part.tree, scope)
                trees.append(part.tree)
            elif isinstance(part, Condition):
                uses |= self.condition(part, scope)
            elif isinstance(part, ForLoop):
                uses |= self.loop(part, scope)
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
