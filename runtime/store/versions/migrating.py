"""A run as it is kept, put into the names and fields of a later version of its workflow."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from wfc.runtime.store.judgement.conversions import Conversion
from wfc.runtime.store.judgement.moves import Moves
from wfc.runtime.store.judgement.value_rules import may_drop
from wfc.runtime.store.versions.walking import Walk

__all__ = ["migrated_checkpoint", "migrated_start"]


Convert = Callable[[Conversion, Mapping[str, Any], Collection[str]], dict[str, Any]]
"""Makes new fields of old ones: see ``Converter.convert``."""


def migrated_checkpoint(data: dict[str, Any], moves: Moves, run_id: str, convert: Convert) -> dict[str, Any]:
    """Return a run in terms of the later version, if it is judged to go on; defaults are filled in when it is read.

    Raises:
        SnapshotError: A value cannot be converted.
    """
    execution = dict(data["execution"])
    for name, at in (("inbox", 1), ("unclaimed", 0)):
        if name in execution:
            kept = [one for one in execution[name] if not may_drop(moves, one[at][0] if at else one[at])]
            execution[name] = kept
    return {
        **_Migration(moves, run_id, convert).checkpoint({**data, "execution": execution}),
        "version": data["version"],
    }


def migrated_start(start: dict[str, Any], moves: Moves, convert: Convert) -> dict[str, Any]:
    """Return what a run begins with in terms of the later version.

    Raises:
        SnapshotError: A value cannot be converted.
    """
    migration = _Migration(moves, "", convert)
    return {**start, "event": migration.model(start["event"]), "state": migration.model(start["state"])}


class _Migration(Walk):
    """The way on which names and fields of an earlier version give way to those of a later one."""

    def __init__(self, moves: Moves, run_id: str, convert: Convert) -> None:
        super().__init__(moves.old["order"])
        self._convert = convert
        self._moves = moves
        self._run_id = run_id

    def step(self, name: Any) -> Any:
        """Return the present name of a step."""
        return self._moves.step(super().step(name))

    def kind(self, name: str) -> str:
        """Return the present name of a class."""
        return self._moves.name(name) or name

    def model(self, data: list[Any]) -> list[Any]:
        """Return a model with the present names of its class and its fields, without fields that are gone."""
        kind, fields, *rest = data
        about = self._moves.old["classes"].get(kind)
        if about is None or "" in fields:
            return [self.kind(kind), self.value(fields), *map(self.value, rest)]
        made = self._made(kind, fields, rest)
        if len(rest) > 2:  # the names of fields that are written by what they hold
            rest[2] = [now for name in rest[2] if (now := self._moves.field(kind, name)) is not None]
        found = [self.kind(kind), self._fields(kind, fields), *(self.value(one) for one in rest)]
        if made:
            found += [{}, {}, []][len(rest) :]  # what is undeclared, private, and written by what it holds
            found[1] = {**found[1], **made}
            found[4] = [*(name for name in found[4] if name not in made), *made]
        return found

    def _made(self, kind: str, fields: dict[str, Any], rest: list[Any]) -> dict[str, Any]:
        """Return the present fields that are made of a model's old ones, written by what they hold."""
        conversion = self._moves.conversion(kind)
        if conversion is None:
            return {}
        called = {name: about["called"] for name, about in self._moves.old["classes"][kind]["fields"].items()}
        old = {called[name]: one for name, one in fields.items() if name in called}
        held = [called[name] for name in rest[2] if name in called] if len(rest) > 2 else []
        made = self._convert(conversion, old, held)
        now = self._moves.new["classes"][self.kind(kind)]["fields"]
        return {name: made[field["called"]] for name, field in now.items() if field["called"] in made}

    def _fields(self, kind: str, fields: dict[str, Any]) -> dict[str, Any]:
        about = self._moves.old["classes"][kind]["fields"]
        found = {}
        for name, one in fields.items():
            now = self._moves.field(kind, name) if name in about else name
            if now is not None:
                found[now] = self._typed(one, about[name]["type"]) if name in about else self.value(one)
        return found

    def _typed(self, data: Any, type_: Any) -> Any:
        """Return a value of a field, whose type says which classes are in it."""
        if (isinstance(data, dict) and "$" in data) or not isinstance(type_, list):
            return self.value(data)
        word, inner = type_[0], type_[1]
        if word == "with":
            return self._typed(data, inner)
        if word == "any of":
            fitting = [one for one in inner if self._may_be(data, one)]
            return self._typed(data, fitting[0]) if fitting else data
        if word == "class":
            fields = self._moves.old["classes"].get(inner, {}).get("fields")
            return data if fields is None or not isinstance(data, dict) else self._fields(inner, data)
        if isinstance(data, list):
            return [self._typed(one, inner) for one in data]
        if isinstance(data, dict) and word == "dict":
            return {name: self._typed(one, type_[2]) for name, one in data.items()}
        return data

    def _may_be(self, data: Any, type_: Any) -> bool:
        """Return whether a value in a union may be of one of its types, as far as its form says."""
        if isinstance(type_, list) and type_[0] == "with":
            return self._may_be(data, type_[1])
        if isinstance(type_, list) and type_[0] == "class":
            fields = self._moves.old["classes"].get(type_[1], {}).get("fields", {})
            return isinstance(data, dict) and set(data) == set(fields)
        return isinstance(data, list | dict) and isinstance(type_, list) and type_[0] != "one of"

    def joined(self, step: Any, arrived: list[Any]) -> list[Any]:
        """Return events with the present places of the parameters that take them."""
        slots = self._moves.new["steps"][self.step(step)]["slots"]
        found = []
        for at, event in arrived:
            now = self.model(event)
            found.append([next((one for one, slot in enumerate(slots) if now[0] in slot), at), now])
        return found

    def question(self, step: Any, data: dict[str, Any]) -> dict[str, Any]:
        """Return a question with the present form."""
        forms, form = self._moves.new["steps"][self.step(step)]["forms"], data["form"]
        known = None if not forms else 0 if form is None or form >= len(forms) else form
        return {**super().question(step, data), "form": known}

    def awaited(self, step: Any, events: list[str]) -> list[str]:
        """Return the classes of awaited events, with those that the step has come to wait for."""
        found = super().awaited(step, events)
        old = self._moves.old["steps"][Walk.step(self, step)]["awaits"]
        if set(events) == set(old):
            found += [one for one in self._moves.new["steps"][self.step(step)]["awaits"] if one not in found]
        return found

    def run(self, data: dict[str, Any]) -> dict[str, Any]:
        """Return a step run, which a service knows by the key that it has had."""
        found = super().run(data)
        name, about = Walk.step(self, data["step"]), found.get("about", {})
        has_key = "key" in about or name.endswith("[]") or self._moves.new["steps"][found["step"]]["own_key"]
        if found["step"] != name and not has_key:
            found["about"] = {**about, "key": f"{self._run_id}/{name}/{data['n']}"}
        return found
