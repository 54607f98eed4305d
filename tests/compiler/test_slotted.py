"""The package's own `dataclass` does what the standard one does, as far as it is used."""

from __future__ import annotations

import dataclasses
from types import ModuleType
from typing import Any

import pytest

from wfc.compiler import slotted


def classes(of: ModuleType) -> dict[str, Any]:
    """The same classes, made by the standard decorator or by ours."""

    @of.dataclass(frozen=True, slots=True)
    class Point:
        x: int
        y: int = 2
        seen: object = of.field(default=None, hash=False)

    @of.dataclass(frozen=True, slots=True, order=True)
    class Version:
        major: int
        minor: int = 0

    @of.dataclass(slots=True)
    class Basket:
        owner: str
        items: list[str] = of.field(default_factory=list)
        total: int = of.field(default=0, init=False)
        label: str = of.field(init=False)

        def __post_init__(self) -> None:
            self.label = f"{self.owner}'s"

    @of.dataclass(slots=True, eq=False)
    class Node:
        start: int
        type: str = of.field(default="unknown", init=False)

    @of.dataclass(slots=True, eq=False)
    class Leaf(Node):
        value: str

    @of.dataclass(frozen=True, slots=True)
    class Empty:
        pass

    return {each.__name__: each for each in (Point, Version, Basket, Node, Leaf, Empty)}


THEIRS, OURS = classes(dataclasses), classes(slotted)

MADE: list[tuple[str, tuple[object, ...], dict[str, object]]] = [
    ("Point", (1,), {}),
    ("Point", (1, 3), {"seen": []}),
    ("Point", (), {"y": 5, "x": 1}),
    ("Version", (1, 2), {}),
    ("Basket", ("Ada",), {}),
    ("Basket", ("Ada", ["pear"]), {}),
    ("Node", (3,), {}),
    ("Leaf", (3, "x"), {}),
    ("Leaf", (), {"value": "x", "start": 4}),
    ("Empty", (), {}),
]
SAID = [f"{name}{args}{named}" for name, args, named in MADE]


@pytest.fixture(params=[0, 100], ids=["compiled", "not compiled yet"])
def fresh(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Our classes, whose constructors are compiled at the first instance or not at all."""
    monkeypatch.setattr(slotted, "FEW", request.param)
    return classes(slotted)


@pytest.mark.parametrize(("name", "args", "named"), MADE, ids=SAID)
def test_instances_have_the_same_fields_and_look_the_same(
    name: str, args: Any, named: Any, fresh: dict[str, Any]
) -> None:
    theirs, ours = THEIRS[name](*args, **named), fresh[name](*args, **named)
    names = [each.name for each in dataclasses.fields(theirs)]
    assert [each.name for each in slotted.fields(ours)] == names
    assert [getattr(ours, each) for each in names] == [getattr(theirs, each) for each in names]
    assert repr(ours) == repr(theirs)
    assert ours.__match_args__ == theirs.__match_args__
    assert slotted.is_dataclass(ours)
    with pytest.raises((AttributeError, TypeError)):
        ours.another = 1


@pytest.mark.parametrize("one", MADE, ids=SAID)
@pytest.mark.parametrize("two", MADE, ids=SAID)
def test_instances_compare_the_same(one: Any, two: Any) -> None:
    theirs, ours = ([of[name](*args, **named) for name, args, named in (one, two)] for of in (THEIRS, OURS))
    assert (ours[0] == ours[1]) == (theirs[0] == theirs[1])
    for each, other in zip(ours, theirs, strict=True):
        if other.__hash__ is None:
            with pytest.raises(TypeError, match="unhashable"):
                hash(each)
        else:
            hash(each)
    if ours[0] == ours[1] and theirs[0].__hash__ is not None:
        assert hash(ours[0]) == hash(ours[1])
    if one[0] == two[0] == "Version":
        for comparison in ("__lt__", "__le__", "__gt__", "__ge__"):
            assert getattr(ours[0], comparison)(ours[1]) == getattr(theirs[0], comparison)(theirs[1])


def test_what_is_kept_out_of_a_hash_is_compared() -> None:
    point = OURS["Point"]
    assert hash(point(1, seen=[1])) == hash(point(1, seen=[2]))
    assert point(1, seen=[1]) != point(1, seen=[2])


@pytest.mark.parametrize(
    ("name", "args", "named"),
    [
        ("Point", (), {}),
        ("Point", (1, 2, 3, 4), {}),
        ("Point", (1,), {"x": 1}),
        ("Point", (1,), {"z": 1}),
        ("Basket", ("Ada",), {"total": 3}),
        ("Leaf", (1,), {}),
        ("Empty", (1,), {}),
    ],
)
def test_wrong_arguments_are_refused(name: str, args: Any, named: Any, fresh: dict[str, Any]) -> None:
    for of in (THEIRS, fresh):
        with pytest.raises(TypeError):
            of[name](*args, **named)


@pytest.mark.parametrize("of", [dataclasses, slotted])
def test_replacing_makes_another(of: Any) -> None:
    kinds = THEIRS if of is dataclasses else OURS
    one = kinds["Point"](1, 3, "seen")
    other = of.replace(one, y=4)
    assert (other.x, other.y, other.seen) == (1, 4, "seen")
    assert one.y == 3
    with pytest.raises(TypeError):
        of.replace(one, z=1)


def test_each_instance_has_its_own_list() -> None:
    basket = OURS["Basket"]
    first, second = basket("Ada"), basket("Ben")
    first.items.append("pear")
    assert second.items == []


def test_an_instance_that_holds_itself_can_be_shown() -> None:
    point = OURS["Point"](1, 2, [])
    point.seen.append(point)
    assert repr(point).endswith("seen=[...])")


def test_a_class_without_slots_is_refused() -> None:
    with pytest.raises(TypeError, match="slots=True"):
        slotted.dataclass(frozen=True)(type("Loose", (), {}))
