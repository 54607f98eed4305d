"""The action that a `map` performs for each item of a list."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

from wfc.compiler.diagnostics import Place
from wfc.compiler.expressions import Expression, Scope
from wfc.compiler.expressions.typing.loops import LOOP
from wfc.compiler.model import Call, MapItems, Value
from wfc.compiler.python.literals import normal_form, pascal_case
from wfc.compiler.resolve.steps.actions import HIDING_USES, ActionResolver, ResolvedAction, shown_of_answer
from wfc.compiler.resolve.symbols.declarations import Declarations
from wfc.compiler.resolve.symbols.names import check_style
from wfc.compiler.resolve.symbols.tables import Data
from wfc.compiler.resolve.values import bounds
from wfc.compiler.resolve.values.inferred_types import inferred_type, with_inferred_type
from wfc.compiler.resolve.values.reader import ValueReader, hint_for_list
from wfc.compiler.resolve.values.scopes import ERROR, RESERVED, RESPONSE
from wfc.compiler.rules import agents as agent_problems
from wfc.compiler.rules import comprehensions as comprehension_problems
from wfc.compiler.rules import names as name_problems
from wfc.compiler.rules import results as result_problems
from wfc.compiler.rules import shape as shape_problems
from wfc.compiler.rules import steps as problems
from wfc.compiler.slotted import dataclass, replace
from wfc.compiler.types import ANY, UNKNOWN, ListOf, Optional, Type, may_be_null, show

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
        # without a name, which is reported, nobody knows what is said of the item
        at_item = self if name else replace(self, reader=ValueReader(lambda _: None, self.reader.uses))
        inside = scope.with_name("loop", LOOP)
        inside = inside.with_name(name, item) if name else inside
        kept = at_item.kept(inside)
        before = inside if kept is None or kept.type == UNKNOWN else inside.assuming(kept, True)
        do, result, replied = at_item.do(before)
        after = before.with_name("result", result)
        after = after.with_name("response", RESPONSE) if replied else after
        uses_loop = "loop" in self.reader.uses
        self.reader.uses.clear()  # now: who uses the result of an item
        if kept is None and "keep" in self.data:
            self.reader.uses.add("result")  # as the finding says, it is to be used elsewhere
        value: Value | None = None
        given = result
        if "give" in self.data:
            made = at_item.reader.value(self.data["give"], self.place / "give", UNKNOWN, after)
            value = with_inferred_type(made, f"{pascal_case(self.name)}Item", self.declared)
            given = inferred_type(value)
        if self.declared.any_broken(self.place, ["give"]):
            given = UNKNOWN  # whatever it makes, it is not what the action gives
        on_error, instead = at_item.on_item_error(given, before)
        wanted = self.wanted_output(value is not None)
        if "in" not in self.data or name is None or do is None:
            return ResolvedAction(None, ListOf(given), None, before, after)
        each = given if instead is None or not may_be_null(instead.type) else optional(given)
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
            instead=instead,
            uses_loop=uses_loop or "loop" in self.reader.uses,
        )
        return ResolvedAction(action, ListOf(each), wanted, before, after)

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

    def do(self, scope: Scope) -> tuple[Call | None, Type, bool]:
        """Return the action for each item, the type of its result, and whether it is the reply to a request."""
        data = self.action_data()
        acting = ActionResolver(
            self.name, data, self.place / "do", self.declared, self.reader, shown_of_answer(self.data)
        )
        for key in ("within", "on_timeout"):
            if key in data:
                hint = "say under `on_item_error` what follows when an item fails"
                self.declared.report(
                    shape_problems.unknown_key(
                        (self.place / "do" / key).key, key, "the `do` of a `map`", hint
                    )
                )
        for at in asking_step_in(data, self.place / "do"):
            self.declared.report(agent_problems.asks_in_map(at.key, str(at.address[-1])))
        tool = acting.tool()
        result = acting.result(tool) or UNKNOWN
        return acting.action(tool, result, scope), result, acting.sends_request(tool)

    def wanted_output(self, gives: bool) -> Place | None:
        """Return where the `do` asks for a structured result that only the step's tail can use."""
        if "output" not in self.action_data():
            return None
        place = self.place / "do" / "output"
        if not gives:
            return place
        if "result" not in self.reader.uses and not HIDING_USES.intersection(self.declared.codes):
            self.declared.report(result_problems.unused_result(place.key, self.name))
        return None

    def on_item_error(
        self, given: Type, scope: Scope
    ) -> tuple[Literal["fail", "skip", "give"], Value | None]:
        """Return what follows when the action for an item fails, and what is given then.

        Args:
            given: The type of what is given for an item that does not fail.
            scope: What the action may rely on.
        """
        said = self.data.get("on_item_error")
        if not isinstance(said, Mapping):
            return "skip" if said == "skip" else "fail", None
        place, data = self.place / "on_item_error" / "give", said.get("give")
        failed = scope.with_name("error", ERROR)
        quiet = ValueReader(lambda _: None).value(data, place, UNKNOWN, failed)
        found = inferred_type(with_inferred_type(quiet, "", self.declared))
        wanted = optional(given) if may_be_null(found) else given
        return "give", self.reader.value(data, place, wanted, failed)


def optional(type: Type) -> Type:
    """Return the type of a value that may be null as well."""
    return type if type in (ANY, UNKNOWN) or isinstance(type, Optional) else Optional(type)


def asking_step_in(data: Data, place: Place) -> Iterator[Place]:
    """Yield where tools of an agent say what the step works out while the agent works."""
    listed = data.get("tools")
    for index, each in enumerate(listed if isinstance(listed, list) else ()):
        for key in ("approve", "when", "save"):
            if isinstance(each, Mapping) and key in each:
                yield place / "tools" / index / key
