"""The action that a `map` performs for each item of a list."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from wfc.compiler.diagnostics import Place
from wfc.compiler.expressions import Expression, Scope
from wfc.compiler.model import Call, MapItems, Value
from wfc.compiler.python.literals import normal_form, pascal_case
from wfc.compiler.resolve.steps.actions import ActionResolver, ResolvedAction, wants_tokens
from wfc.compiler.resolve.symbols.declarations import Declarations
from wfc.compiler.resolve.symbols.names import check_style
from wfc.compiler.resolve.symbols.tables import Data
from wfc.compiler.resolve.values import bounds
from wfc.compiler.resolve.values.inferred_types import inferred_type, with_inferred_type
from wfc.compiler.resolve.values.reader import ValueReader, hint_for_list
from wfc.compiler.resolve.values.scopes import RESERVED
from wfc.compiler.rules import comprehensions as comprehension_problems
from wfc.compiler.rules import names as name_problems
from wfc.compiler.rules import steps as problems
from wfc.compiler.slotted import dataclass
from wfc.compiler.types import ANY, UNKNOWN, ListOf, Optional, Type, show

__all__ = ["MapResolver"]


@dataclass(frozen=True, slots=True)
class MapResolver:
    """Resolves a step of kind `map`."""

    name: str
    data: Data
    place: Place
    declared: Declarations
    reader: ValueReader

    def resolve(self, scope: Scope) -> ResolvedAction:
        """Return the step's action.

        Args:
            scope: What the step's run begins with.
        """
        items = self.reader.expression(self.data.get("in", ""), self.place / "in", scope)
        item = self.item_type(items)
        name = self.item_name()
        inside = scope.with_name(name, item) if name else scope
        kept = self.kept(inside)
        before = inside if kept is None or kept.type == UNKNOWN else inside.assuming(kept, True)
        do, result = self.do(before)
        after = before.with_name("result", result)
        self.reader.uses.clear()  # now: who uses the result of an item
        if kept is None and "keep" in self.data:
            self.reader.uses.add("result")  # as the finding says, it is to be used elsewhere
        value: Value | None = None
        given = result
        if "give" in self.data:
            made = self.reader.value(self.data["give"], self.place / "give", UNKNOWN, after)
            value = with_inferred_type(made, f"{pascal_case(self.name)}Item", self.declared)
            given = inferred_type(value)
        wanted = self.wanted_output(value is not None)
        if "in" not in self.data or name is None or do is None:
            return ResolvedAction(None, ListOf(given), None, before, after)
        on_error = self.on_item_error()
        if on_error == "null" and given not in (ANY, UNKNOWN) and not isinstance(given, Optional):
            given = Optional(given)
        most = self.data.get("max")
        action = MapItems(
            items=items,
            name=name,
            item=item,
            max=(bounds.count(most, self.place / "max", self.declared) if most is not None else None) or 0,
            keep=kept,
            do=do,
            result=result,
            give=value,
            given=given,
            on_item_error=on_error,
        )
        return ResolvedAction(action, ListOf(given), wanted, before, after)

    def item_type(self, items: Expression) -> Type:
        if isinstance(items.type, ListOf):
            return items.type.item
        if items.type != UNKNOWN:
            self.declared.report(
                problems.each_not_a_list(
                    self.place / "in", show(items.type), hint_for_list(items.text, items.type)
                )
            )
        return UNKNOWN

    def item_name(self) -> str | None:
        """Return the name of an item; ``None`` if it is not a valid name."""
        if not isinstance(self.data.get("as"), str):
            return None
        name, place = normal_form(str(self.data["as"])), self.place / "as"
        if name in RESERVED:
            self.declared.report(name_problems.name_in_use(place, name))
            return None
        return name if check_style(name, place, "name of an item", self.declared.report) else None

    def kept(self, scope: Scope) -> Expression | None:
        """Return the condition under which something is done with an item; ``None`` if there is no valid one."""
        if "keep" not in self.data:
            return None
        place = self.place / "keep"
        found = self.reader.condition(self.data["keep"], place, scope.with_name("result", UNKNOWN))
        if any(path[:1] == ("result",) for path in found.uses):
            self.declared.report(comprehension_problems.result_in_keep(place))
            return None
        return found

    def action_data(self) -> Data:
        """Return what the step says of its action, without which the schema lets no `map` pass."""
        do = self.data["do"]
        assert isinstance(do, Mapping), self.name
        return do

    def do(self, scope: Scope) -> tuple[Call | None, Type]:
        """Return the action for each item, and the type of its result."""
        data = self.action_data()
        acting = ActionResolver(
            self.name, data, self.place / "do", self.declared, self.reader, wants_tokens(self.data)
        )
        tool = acting.tool()
        result = acting.result(tool) or UNKNOWN
        return acting.action(tool, result, scope), result

    def wanted_output(self, gives: bool) -> Place | None:
        """Return where the `do` asks for a structured result that only the step's tail can use."""
        if "output" not in self.action_data():
            return None
        place = self.place / "do" / "output"
        if not gives:
            return place
        if "result" not in self.reader.uses and "unknown-type" not in self.declared.codes:
            self.declared.report(problems.unused_result(place.key, self.name))
        return None

    def on_item_error(self) -> Literal["fail", "skip", "null"]:
        # `on_item_error: null` is YAML's null, which is what it means
        if self.data.get("on_item_error", "fail") in ("null", None):
            return "null"
        return "skip" if self.data.get("on_item_error") == "skip" else "fail"
