"""The action that a `map` performs for each item of a list."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from wfc.compiler.diagnostics import Place
from wfc.compiler.expressions import Expression, Scope
from wfc.compiler.expressions.typing.loops import LOOP
from wfc.compiler.model import Call, MapItems, Value
from wfc.compiler.python.literals import normal_form, pascal_case
from wfc.compiler.resolve.steps.actions import ActionResolver, ResolvedAction, wants_tokens
from wfc.compiler.resolve.symbols.declarations import Declarations
from wfc.compiler.resolve.symbols.names import check_style
from wfc.compiler.resolve.symbols.tables import Data
from wfc.compiler.resolve.values import bounds
from wfc.compiler.resolve.values.inferred_types import inferred_type, with_inferred_type
from wfc.compiler.resolve.values.reader import ValueReader, hint_for_list
from wfc.compiler.resolve.values.scopes import ERROR, RESERVED, RESPONSE
from wfc.compiler.rules import names as name_problems
from wfc.compiler.rules import steps as problems
from wfc.compiler.slotted import dataclass
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
        inside = scope.with_name("loop", LOOP) if "do" in self.data else scope
        inside = inside.with_name(name, item) if name else inside
        keep, give = self.data.get("keep"), self.data.get("give")
        do, of_result, call_scope = self.do(inside, keep)
        result = of_result.get("result")
        after = with_names(call_scope, of_result)
        in_do = "loop" in self.reader.uses
        self.reader.uses.clear()  # now: who uses the result of an item
        kept: Expression | None = None
        if "keep" in self.data:
            kept = self.reader.condition(keep, self.place / "keep", with_names(inside, of_result))
            after = after.assuming(kept, True)
        value: Value | None = None
        given = result if result is not None else item
        if "give" in self.data:
            made = self.reader.value(give, self.place / "give", UNKNOWN, after)
            value = with_inferred_type(made, f"{pascal_case(self.name)}Item", self.declared)
            given = inferred_type(value)
        on_error, instead = self.on_item_error(given, call_scope)
        wanted = self.wanted_output(value is not None)
        if "in" not in self.data or name is None or (do is None and "do" in self.data):
            return ResolvedAction(None, ListOf(given), None, call_scope, after)
        late = kept is not None and bool({"result", "response"} & {path[0] for path in kept.uses if path})
        each = given if instead is None or not may_be_null(instead.type) else optional(given)
        most = self.data.get("max")
        action = MapItems(
            items=items,
            name=name,
            item=item,
            max=(bounds.count(most, self.place / "max", self.declared) if most is not None else None) or 0,
            keep=None if late else kept,
            do=do,
            result=result,
            keep_result=kept if late else None,
            give=value,
            given=given,
            on_item_error=on_error,
            instead=instead,
            uses_loop=in_do or "loop" in self.reader.uses,
        )
        return ResolvedAction(action, ListOf(each), wanted, call_scope, after)

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

    def do(self, scope: Scope, keep: object) -> tuple[Call | None, dict[str, Type], Scope]:
        """Return the action for each item, the types of what it gives by name, and the scope that it may rely on."""
        data = self.data.get("do")
        if not isinstance(data, Mapping):
            broken = self.declared.is_broken((*self.place.address, "do"))
            return None, {"result": UNKNOWN} if broken else {}, scope
        acting = ActionResolver(
            self.name, data, self.place / "do", self.declared, self.reader, wants_tokens(self.data)
        )
        tool = acting.tool()
        result = acting.result(tool) or UNKNOWN
        inside = self.where_kept(scope, keep)
        gives: dict[str, Type] = {"result": result}
        if acting.sends_request(tool):
            gives["response"] = RESPONSE
        return acting.action(tool, result, inside), gives, inside

    def where_kept(self, scope: Scope, keep: object) -> Scope:
        """Return the scope of what is done only with items for which `keep` holds, if that is known before."""
        quiet = ValueReader(lambda _: None)  # it is read once more, with what is done, and then reported
        held = quiet.condition(keep, self.place / "keep", scope) if keep is not None else None
        if held is None or held.type == UNKNOWN:
            return scope
        return scope.assuming(held, True)

    def wanted_output(self, gives: bool) -> Place | None:
        """Return where the `do` asks for a structured result that only the step's tail can use."""
        data = self.data.get("do")
        if not isinstance(data, Mapping) or "output" not in data:
            return self.place / "in" if "do" not in self.data else None
        place = self.place / "do" / "output"
        if not gives:
            return place
        if "result" not in self.reader.uses and "unknown-type" not in self.declared.codes:
            self.declared.report(problems.unused_result(place.key, self.name))
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


def with_names(scope: Scope, names: Mapping[str, Type]) -> Scope:
    """Return a scope with more names."""
    for name, type in names.items():
        scope = scope.with_name(name, type)
    return scope


def optional(type: Type) -> Type:
    """Return the type of a value that may be null as well."""
    return type if type in (ANY, UNKNOWN) or isinstance(type, Optional) else Optional(type)
