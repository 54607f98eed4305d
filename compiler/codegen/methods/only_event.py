"""Joins of whose events some exclude each other, which type checkers of Python cannot infer."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from wfc.compiler.codegen.literals.functions import FunctionBuilder
from wfc.compiler.expressions import Expression
from wfc.compiler.expressions.conditions.narrowing import facts_of, of_choices
from wfc.compiler.expressions.syntax.tree import Path
from wfc.compiler.model import Entry
from wfc.compiler.slotted import dataclass, field
from wfc.compiler.types import Record, Type, may_be_null

__all__ = ["OnlyEvent"]


@dataclass(slots=True)
class OnlyEvent:
    """Knowledge about the events of such a join where an entry is taken, beyond what conditions state in
    Python.

    Args:
        function: Which knows how the events are spelled.
        events: As expressions know them; ``None``: none of them exclude each other.
        facts: What has been said by the conditions of the entries before, which do not hold.
        asserted: The names of which type checkers have been told.
    """

    function: FunctionBuilder
    events: Record | None
    facts: dict[Path, Type] = field(default_factory=dict)
    asserted: set[str] = field(default_factory=set)

    def assertions(self, code: str, condition: Expression | None = None) -> Iterator[str]:
        """Yield assertions, for type checkers, that names which some code mentions are not ``None``.

        Args:
            condition: Holds where the code stands.
        """
        if self.events is None:
            return
        mentioned = {node.id for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Name)}
        own = {} if condition is None else facts_of(condition.tree, True) or {}
        for path, type_ in of_choices("events", self.events, {**self.facts, **own}).items():
            name = self.function.known.get(path, "")
            if may_be_null(type_) or not name.isidentifier() or name in self.asserted:
                continue
            if name in mentioned:
                if condition is None:
                    self.asserted.add(name)
                yield f"assert {name} is not None"

    def pass_over(self, entry: Entry) -> None:
        """Note that an entry was not taken."""
        if self.events is not None and entry.when is not None and not entry.errors:
            self.facts.update(facts_of(entry.when.tree, False) or {})
