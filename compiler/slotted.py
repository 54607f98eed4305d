"""The `dataclass` that this package uses: slots always, and nothing compiled before there are a few instances.

The standard one compiles half a dozen methods for each class when its module is imported; for a hundred classes that
is half of the time that a check of a small spec takes. Here a class gets slots, and methods that all share; only
``__init__`` is compiled, once there are a few instances. To a type checker these *are* the standard ones.

``frozen`` gives a hash, and a type checker refuses to change an instance. Nothing refuses it while a program runs: to
pass by the refusal makes an instance twice as dear, and a check of a large spec makes a hundred thousand.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any, TypeVar

__all__ = ["MISSING", "dataclass", "field", "fields", "is_dataclass", "replace"]

Class = TypeVar("Class", bound=type)
MISSING: Any = object()
"""The default of a field that has none."""

PARTS = "__dataclass_parts__"
FEW = 3  # instances for which it does not pay to compile; of every third class a small spec makes no more


class Part:
    """A field of a class, by name; ``default`` or ``factory`` may be missing."""

    __slots__ = ("default", "factory", "hash", "init", "name")

    def __init__(self, *, default: Any, factory: Any, init: bool, hash: bool) -> None:
        self.name = ""
        self.default = default
        self.factory = factory
        self.init = init
        self.hash = hash


def part(
    *, default: Any = MISSING, default_factory: Any = MISSING, init: bool = True, hash: bool = True
) -> Any:
    """What `dataclasses.field` is, as far as it is used here."""
    return Part(default=default, factory=default_factory, init=init, hash=hash)


def slotted(
    *, slots: bool = False, frozen: bool = False, eq: bool = True, order: bool = False
) -> Callable[[Class], Class]:
    """What `dataclasses.dataclass` is, for classes with slots whose annotations are texts.

    Raises:
        TypeError: ``slots`` is not asked for: to a type checker the class would not have them.
    """
    if not slots:
        raise TypeError("a class here has slots, and says so: `@dataclass(slots=True)`")

    def made(cls: Class) -> Class:
        own = own_parts(cls)
        namespace = {name: value for name, value in cls.__dict__.items() if name not in own}
        for each in ("__dict__", "__weakref__"):
            namespace.pop(each, None)
        inherited: dict[str, Part] = getattr(cls, PARTS, {})
        parts = {**inherited, **own}
        namespace["__slots__"] = tuple(name for name in own if name not in inherited)
        namespace["__match_args__"] = tuple(each.name for each in parts.values() if each.init)
        namespace[PARTS] = parts
        namespace["__qualname__"] = cls.__qualname__
        namespace.setdefault("__repr__", shown)
        if eq:
            add_comparison(namespace, parts, frozen=frozen, order=order)
        new: Any = cls.__class__(cls.__name__, cls.__bases__, namespace)
        new.__init__ = compiled_if_frequent(new)
        return new  # type: ignore[no-any-return]

    return made


def own_parts(cls: type) -> dict[str, Part]:
    own: dict[str, Part] = {}
    for name in cls.__dict__.get("__annotations__", ()):  # noqa: RUF063  # `inspect` takes six milliseconds
        given = cls.__dict__.get(name, MISSING)
        one = given if isinstance(given, Part) else part(default=given)
        one.name = name
        own[name] = one
    return own


def add_comparison(namespace: dict[str, Any], parts: dict[str, Part], *, frozen: bool, order: bool) -> None:
    """Methods that compare instances of one class by all their parts, in order."""
    values = values_of(list(parts))

    def equal(self: Any, other: Any) -> bool:
        if self is other:
            return True
        return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

    hashed = values_of([name for name, each in parts.items() if each.hash])
    namespace["__eq__"] = equal
    namespace["__hash__"] = (lambda self: hash(hashed(self))) if frozen else None
    if order:
        namespace["__lt__"] = lambda self, other: values(self) < values(other)
        namespace["__le__"] = lambda self, other: values(self) <= values(other)
        namespace["__gt__"] = lambda self, other: values(self) > values(other)
        namespace["__ge__"] = lambda self, other: values(self) >= values(other)


def values_of(names: list[str]) -> Callable[[Any], Any]:
    return attrgetter(*names) if names else type  # without fields all instances are equal


@recursive_repr()
def shown(self: Any) -> str:
    inside = ", ".join(f"{name}={getattr(self, name)!r}" for name in getattr(self, PARTS))
    return f"{self.__class__.__qualname__}({inside})"


def compiled_if_frequent(cls: Any) -> Callable[..., None]:
    """An ``__init__`` that puts a compiled one in its place when it has been called a few times."""
    parts: dict[str, Part] = getattr(cls, PARTS)
    calls = 0

    def init(self: Any, *args: Any, **kwargs: Any) -> None:
        nonlocal calls
        calls += 1
        if calls > FEW:
            cls.__init__ = constructor(cls)
        elif fill(self, parts, args, kwargs):
            if hasattr(cls, "__post_init__"):
                self.__post_init__()
            return
        constructor(cls)(self, *args, **kwargs)

    return init


def fill(self: Any, parts: dict[str, Part], args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Set all fields of an instance; return whether the arguments are right, else a compiled one says what is wrong."""
    given = dict(zip([name for name, each in parts.items() if each.init], args, strict=False))
    if len(given) < len(args) or not given.keys().isdisjoint(kwargs):
        return False
    given |= kwargs
    for name, each in parts.items():
        value = given.pop(name, MISSING) if each.init else MISSING
        if value is MISSING:
            if each.factory is not MISSING:
                value = each.factory()
            elif each.default is not MISSING:
                value = each.default
            elif each.init:
                return False
            else:
                continue
        setattr(self, name, value)
    return not given


def constructor(cls: Any) -> Any:
    """An ``__init__`` with a parameter for each field. Its text is made of names of fields and nothing else."""
    parameters: list[str] = []
    lines: list[str] = []
    known: dict[str, Any] = {"MISSING": MISSING}
    for name, each in getattr(cls, PARTS).items():
        value = name
        if each.default is not MISSING:
            known[f"default_{name}"] = each.default
            parameters.append(f"{name}=default_{name}")
            value = name if each.init else f"default_{name}"
        elif each.factory is not MISSING:
            known[f"factory_{name}"] = each.factory
            parameters.append(f"{name}=MISSING")
            made = f"factory_{name}()"
            value = f"{made} if {name} is MISSING else {name}" if each.init else made
        else:
            parameters.append(name)
        if not each.init:
            parameters.pop()
            if each.default is MISSING and each.factory is MISSING:
                continue
        lines.append(f"    self.{name} = {value}\n")
    if hasattr(cls, "__post_init__"):
        lines.append("    self.__post_init__()\n")
    exec(f"def __init__({', '.join(['self', *parameters])}):\n{''.join(lines) or '    pass'}", known)  # noqa: S102
    made_init = known["__init__"]
    made_init.__qualname__ = f"{cls.__qualname__}.__init__"
    return made_init


def changed(instance: Any, /, **changes: Any) -> Any:
    """What `dataclasses.replace` is."""
    for name, each in getattr(instance, PARTS).items():
        if each.init and name not in changes:
            changes[name] = getattr(instance, name)
    return instance.__class__(**changes)


def parts_of(of: Any) -> tuple[Part, ...]:
    """What `dataclasses.fields` is: each has a ``name``."""
    return tuple(getattr(of, PARTS).values())


def is_slotted(of: object) -> bool:
    """What `dataclasses.is_dataclass` is."""
    return hasattr(of, PARTS)


if TYPE_CHECKING:
    from dataclasses import dataclass, field, fields, is_dataclass, replace
else:
    dataclass, field, fields, is_dataclass, replace = slotted, part, parts_of, is_slotted, changed
