"""Models that keep undeclared fields, which are read and written like dictionary entries."""

from __future__ import annotations

from collections.abc import ItemsView, Iterator, KeysView, ValuesView
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel, ConfigDict

__all__ = ["DictLike", "build_subclasses_at_once", "init_with_private"]

M = TypeVar("M", bound=type[BaseModel])


def build_subclasses_at_once(kind: M) -> M:
    """Stop subclasses from inheriting ``defer_build``, so that their errors appear where they are defined."""
    kind.model_config.pop("defer_build", None)
    return kind


@build_subclasses_at_once
class DictLike(BaseModel):
    """A model that keeps undeclared fields, which are read and written like dictionary entries."""

    model_config = ConfigDict(
        extra="allow", arbitrary_types_allowed=True, defer_build=True, protected_namespaces=()
    )

    if TYPE_CHECKING:

        def __init__(self, **fields: Any) -> None: ...

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        super().__pydantic_init_subclass__(**kwargs)
        if cls.__private_attributes__ and getattr(cls.__init__, "__pydantic_base_init__", False):
            setattr(cls, "__init__", init_with_private)  # noqa: B010 - an assignment mypy would refuse

    @property
    def _data(self) -> dict[str, Any]:
        extra = self.__pydantic_extra__
        return {} if extra is None else extra

    def __getitem__(self, key: str) -> Any:
        return self._data[key]

    def __setitem__(self, key: str, value: Any) -> None:
        extra = self.__pydantic_extra__
        if extra is not None and hasattr(type(self), key):
            extra[key] = value  # `keys` and the like, which as an attribute is a method
        else:
            setattr(self, key, value)

    def __contains__(self, key: object) -> bool:
        return key in self._data

    def __iter__(self) -> Iterator[str]:  # type: ignore[override]
        return iter(self._data)

    def __len__(self) -> int:
        return len(self._data)

    def __bool__(self) -> bool:
        return True

    def get(self, key: str, default: Any = None) -> Any:
        """Return an undeclared field, or ``default``."""
        return self._data.get(key, default)

    def keys(self) -> KeysView[str]:
        """Return the names of the undeclared fields."""
        return self._data.keys()

    def values(self) -> ValuesView[Any]:
        """Return the values of the undeclared fields."""
        return self._data.values()

    def items(self) -> ItemsView[str, Any]:
        """Return names and values of the undeclared fields."""
        return self._data.items()

    def to_dict(self) -> dict[str, Any]:
        """Return the undeclared fields as a dictionary."""
        return self._data


def init_with_private(self: BaseModel, /, **params: Any) -> None:
    """Initialize a model, with private attributes accepted by name, as in llama-index-workflows."""
    if not params:
        BaseModel.__init__(self)
        return
    private = {name: params.pop(name) for name in self.__private_attributes__.keys() & params.keys()}
    BaseModel.__init__(self, **params)
    for name, value in private.items():
        setattr(self, name, value)
