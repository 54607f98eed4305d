"""Secrets: read where they are used, and removed from everything that a call returns."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, quote_plus

from wfc.runtime.errors import SettingsError

__all__ = ["Revealed", "Secret"]

# A shorter value may occur by chance in ordinary text, which would be damaged.
_SHORTEST_IN_RESULTS = 8


@dataclass(frozen=True, slots=True)
class Secret:
    """The name of a secret, an environment variable. Its value is read where it is used and kept nowhere."""

    name: str

    def reveal(self) -> str:
        """Return the secret's value.

        Raises:
            SettingsError: The environment variable is not set, or is empty.
        """
        value = os.environ.get(self.name)
        if not value:
            raise SettingsError(
                f"the secret `{self.name}` is missing: set the environment variable {self.name} to its value"
            )
        return value


class Revealed:
    """The secrets that one call has read, whose values can be removed from its results."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}

    def __repr__(self) -> str:
        return f"Revealed({', '.join(sorted(set(self._names.values())))})"

    def __bool__(self) -> bool:
        return bool(self._names)

    def read(self, secret: Secret) -> str:
        """Return the value of a secret, and remember it.

        Raises:
            SettingsError: It is missing.
        """
        value = secret.reveal()
        # as it is, and as it looks inside JSON, in an address and in a form
        for form in (
            value,
            json.dumps(value)[1:-1],
            json.dumps(value, ensure_ascii=False)[1:-1],
            quote(value),
            quote(value, safe=""),
            quote_plus(value),
        ):
            self._names[form] = secret.name
        return value

    def remember(self, value: str, secret: Secret) -> None:
        """Remember another form of a secret's value, such as an encoded one."""
        self._names[value] = secret.name

    def hide(self, text: str, *, shortest: int = 1) -> str:
        """Return the text with each value of a secret replaced by its name."""
        for value in sorted(self._names, key=len, reverse=True):
            if len(value) >= shortest:
                text = text.replace(value, f"[secret {self._names[value]}]")
        return text

    def settled(self, text: str) -> int:
        """Return the length of the part of a growing text that cannot end within the value of a secret."""
        forms = [value for value in self._names if len(value) >= _SHORTEST_IN_RESULTS]
        longest = max(map(len, forms), default=1) - 1
        for start in range(max(0, len(text) - longest), len(text)):
            if any(value.startswith(text[start:]) for value in forms):
                return start
        return len(text)

    def hide_in(self, data: Any, *, shortest: int = 1) -> Any:
        """Return JSON data with each value of a secret replaced by its name, in keys too."""
        if not self._names:
            return data
        if isinstance(data, str):
            return self.hide(data, shortest=shortest)
        if isinstance(data, bytes):
            return self.hide(data.decode("utf-8", "surrogateescape"), shortest=shortest).encode(
                "utf-8", "surrogateescape"
            )
        if isinstance(data, Mapping):
            return {
                self.hide_in(key, shortest=shortest): self.hide_in(value, shortest=shortest)
                for key, value in data.items()
            }
        if isinstance(data, list | tuple):
            return [self.hide_in(item, shortest=shortest) for item in data]
        return data

    def hide_in_result(self, data: Any) -> Any:
        """Do the same as ``hide_in``, except for values too short to be distinguished from ordinary text."""
        return self.hide_in(data, shortest=_SHORTEST_IN_RESULTS)
