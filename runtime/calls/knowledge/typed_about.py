"""What is said about texts, as the types that a collection declares for it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from types import SimpleNamespace
from typing import Any, Final

from pydantic import TypeAdapter, ValidationError

from wfc.runtime.calls.knowledge.definition import UnreadableError
from wfc.runtime.values.outputs import adapter

__all__ = ["refuse_misfits", "typed"]

_NOTHING: Final[Mapping[str, str]] = {}


def refuse_misfits(types: Mapping[str, Any], about: Mapping[str, str]) -> None:
    """Check that what is said about a text is of the declared types.

    Raises:
        UnreadableError: It is not, or something is not said.
    """
    for name, type_ in types.items():
        try:
            _value(type_, about.get(name))
        except ValidationError:
            said = f"says `{about[name][:100]}`, which does not fit" if name in about else "is not said"
            raise UnreadableError(f"`about.{name}` {said}") from None


def typed(types: Mapping[str, Any], about: Mapping[str, str] = _NOTHING) -> SimpleNamespace:
    """Return what is said about a text, as values of the declared types."""
    return SimpleNamespace(**{name: _value(type_, about.get(name)) for name, type_ in types.items()})


@lru_cache(maxsize=10_000)
def _value(type_: Any, text: str | None) -> Any:
    adapter_: TypeAdapter[Any] = adapter(type_)
    return adapter_.validate_python(text) if text is None else adapter_.validate_strings(text)
