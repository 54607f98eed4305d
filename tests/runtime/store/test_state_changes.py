"""What is told to have changed in a state: made in what was before, it gives what is after, and no more is told."""

from __future__ import annotations

import copy
import json
import random
import re
from decimal import Decimal
from typing import Any

import pytest
from pydantic import BaseModel, Field

from wfc.runtime.store.state_changes import ABSENT, StateChange, changes_between


class Held(BaseModel):
    value: Any = None


def changes(before: Any, after: Any) -> list[StateChange]:
    return changes_between(Held(value=before), Held(value=after))


def made(data: Any, told: list[StateChange]) -> Any:
    """Make changes in data, read from their paths alone."""
    data = copy.deepcopy(data)
    for path, before, after in told:
        parts = re.findall(r"\['(.*?)'\]|\[(\d+):(\d+)\]|\[(\d+)\]|\.?([^.\[\]]+)", path)
        holder: Any = data
        keys: list[Any] = [
            slice(int(start), int(end)) if start else int(index) if index else quoted or name
            for quoted, start, end, index, name in parts
        ]
        if not all(isinstance(key, (str, int, slice)) for key in keys):
            raise AssertionError(path)
        for key in keys[:-1]:
            holder = holder[key]
        last = keys[-1]
        found = holder[last] if is_there(holder, last) else ABSENT
        assert found is before if before is ABSENT else json.dumps(found) == json.dumps(before), (
            path,
            found,
            before,
        )
        if after is ABSENT:
            if isinstance(holder, list):
                holder[last] = ABSENT
            else:
                del holder[last]
        elif isinstance(holder, list) and isinstance(last, int) and last == len(holder):
            holder.append(after)
        else:
            holder[last] = after
    return without_absent(data)


def is_there(holder: Any, key: Any) -> bool:
    if isinstance(holder, dict):
        return key in holder
    return isinstance(key, slice) or key < len(holder)


def without_absent(data: Any) -> Any:
    if isinstance(data, dict):
        return {key: without_absent(value) for key, value in data.items()}
    return [without_absent(item) for item in data if item is not ABSENT] if isinstance(data, list) else data


def any_value(chance: random.Random, depth: int = 3) -> Any:
    kind = chance.randint(0, 7 if depth else 4)
    if kind == 5:
        return {name: any_value(chance, depth - 1) for name in chance.sample("ab c", chance.randint(0, 3))}
    if kind > 5:
        return [any_value(chance, depth - 1) for _ in range(chance.randint(0, 4))]
    return [None, True, 1, 1.0, "x"][kind]


def mutated(chance: random.Random, data: Any) -> Any:
    """Return data in which something is otherwise."""
    if isinstance(data, list) and data and chance.random() < 0.8:
        items = [mutated(chance, item) if chance.random() < 0.3 else item for item in data]
        at = chance.randint(0, len(items))
        if chance.random() < 0.5:
            items[at:at] = [any_value(chance, 1) for _ in range(chance.randint(0, 2))]
        elif chance.random() < 0.5:
            del items[at : at + 2]
        return items
    if isinstance(data, dict) and data and chance.random() < 0.8:
        return {
            key: mutated(chance, value) if chance.random() < 0.4 else value for key, value in data.items()
        }
    return any_value(chance, 2)


@pytest.mark.parametrize("seeds", [range(500), pytest.param(range(500, 20_000), marks=pytest.mark.full)])
def test_changes_made_in_what_was_give_what_is(seeds: range) -> None:
    for seed in seeds:
        chance = random.Random(seed)  # noqa: S311 - a test's
        before = any_value(chance)
        after = mutated(chance, before) if chance.random() < 0.8 else any_value(chance)
        told = changes(before, after)
        assert json.dumps(made({"value": before}, told)["value"], sort_keys=True) == json.dumps(
            after, sort_keys=True
        ), seed
        assert bool(told) == (json.dumps(before, sort_keys=True) != json.dumps(after, sort_keys=True)), seed
        assert len({change.path for change in told}) == len(told), seed


def test_no_more_is_told_than_has_changed() -> None:
    lines = [{"name": "a", "price": 1}, {"name": "b", "price": 2}]
    other = [lines[0], {"name": "b", "price": 3}]
    assert changes(lines, other) == [("value[1].price", 2, 3)]
    assert changes(lines, [*lines, {"name": "c", "price": 4}]) == [
        ("value[2]", ABSENT, {"name": "c", "price": 4})
    ]
    assert changes([1, 2, 3, 4], [1, 4]) == [("value[1:3]", [2, 3], [])]
    assert changes([1, 2], [1]) == [("value[1]", 2, ABSENT)]
    assert changes({"a.b": 1}, {"a.b": 2}) == [("value['a.b']", 1, 2)]
    assert changes(1, True) == [("value", 1, True)]
    assert changes([], []) == []


class Priced(BaseModel):
    total: Decimal = Decimal(0)
    type_: str = Field(default="", alias="type")


def test_fields_have_their_names_outside_and_values_are_json() -> None:
    before = Priced(type="x")
    after = before.model_copy(update={"total": Decimal("1.50"), "type_": "y"})
    assert changes_between(before, after) == [("total", "0", "1.50"), ("type", "x", "y")]
