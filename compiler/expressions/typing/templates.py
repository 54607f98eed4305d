"""Types of the parts of a text with expressions in it."""

from __future__ import annotations

from wfc.compiler.expressions.syntax.template_tree import Condition, ForLoop, Hole, Part
from wfc.compiler.expressions.syntax.tree import Node, Path, paths_in
from wfc.compiler.expressions.typing.checker import TypeChecker
from wfc.compiler.expressions.typing.scope import Scope
from wfc.compiler.rules import names as names_problems
from wfc.compiler.rules import templates as template_problems
from wfc.compiler.types import BOOLEAN, INTEGER, STRING, UNKNOWN, Field, ListOf, MapOf, Record, Type, show

__all__ = ["TemplateChecker"]

LOOP = Record("loop", role="namespace")
LOOP.fields.update(
    index=Field("index", INTEGER, description="The item's number, from 1."),
    first=Field("first", BOOLEAN, description="Whether this is the first item."),
    last=Field("last", BOOLEAN, description="Whether this is the last item."),
)


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
        for name in part.names:
            if name in scope.names and name != "loop":
                self.checker.wrong(names_problems.name_in_use(self.checker.at(part.items), name))
        for name, kind in zip(part.names, self.item_types(part, items), strict=True):
            scope = scope.with_name(name, kind)
        scope = scope.with_name("loop", LOOP)
        inside = self.parts(part.body, scope)
        own = {*part.names, "loop"}
        return paths_in([part.items]) | frozenset(path for path in inside if path[0] not in own)

    def item_types(self, part: ForLoop, items: Type) -> tuple[Type, ...]:
        """The types of a loop's names."""
        if isinstance(items, ListOf) and len(part.names) == 1:
            return (items.item,)
        if isinstance(items, MapOf):
            return (STRING, items.value)[: len(part.names)]
        if items is not UNKNOWN:
            at, words = self.checker.at(part.items), self.checker.words(part.items)
            self.checker.wrong(template_problems.not_a_list(at, words, show(items), len(part.names)))
        return (UNKNOWN,) * len(part.names)
