"""The metaclass of events: their class keywords, and how type checkers see their fields."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Never, dataclass_transform

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr

from wfc.runtime.values.dict_like import build_subclasses_at_once

if TYPE_CHECKING:
    from pydantic._internal._model_construction import ModelMetaclass
else:
    ModelMetaclass = type(BaseModel)

__all__ = ["CLOSED", "ClosedFields", "EventClass"]

CLOSED = ConfigDict(
    extra="forbid",
    strict=True,
    validate_by_name=True,
    validate_by_alias=True,
    serialize_by_alias=True,
    validate_default=True,
    allow_inf_nan=False,
    protected_namespaces=(),
)

_BUILT_WHEN_USED = ("wfc.runtime.events", "wfc.runtime.events.internal", "wfc.runtime.plan.pauses")
"""Their models are built when they are first used, so that the import of the runtime need not wait for pydantic."""


class ClosedFields:
    """A mixin, to be named first among the bases, for events that have only their declared fields.

    ``class Answer(ClosedFields, Event)``: values are checked strictly, the event cannot be changed, and type checkers
    report attributes that it does not declare.
    """

    __slots__ = ()

    if TYPE_CHECKING:
        __getattr__: Never  # hides the `__getattr__` of events whose undeclared fields can be read


@dataclass_transform(kw_only_default=True, field_specifiers=(Field, PrivateAttr))
class EventClass(ModelMetaclass):
    """The metaclass of events, which takes the class keywords ``closed``, ``name`` and ``init``.

    They are removed before pydantic reads the configuration. Because the metaclass is a dataclass transform,
    type checkers compare an event's arguments with its declared fields; with ``init=False``, which has no
    effect at run time, they accept any arguments.
    """

    __event_name__: str

    def __new__(
        mcs,
        class_name: str,
        bases: tuple[type, ...],
        namespace: dict[str, Any],
        /,
        *,
        closed: bool = False,
        name: str | None = None,
        init: bool = True,
        **kwargs: Any,
    ) -> Any:
        if closed or ClosedFields in bases:
            kwargs = {**CLOSED, "frozen": True, **kwargs}
            # StopEvent's own takes `result` by position, and is slower
            namespace.setdefault("__init__", BaseModel.__init__)
        own = namespace.get("__module__") in _BUILT_WHEN_USED  # a class made with `type(…)` may have none
        if own:
            kwargs["defer_build"] = True
        made = super().__new__(mcs, class_name, bases, namespace, **kwargs)
        if own:
            build_subclasses_at_once(made)
        type.__setattr__(made, "__event_name__", name or class_name)
        return made
