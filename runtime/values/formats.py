"""Text formats: those that `format` in a spec's types requires, and durations in everyday notation."""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from ipaddress import IPv4Address, IPv6Address
from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import BeforeValidator, GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from wfc.runtime.errors import ExpressionError
from wfc.runtime.values.conversions import duration

__all__ = ["Duration", "Format"]

_HOSTNAME = re.compile(
    r"(?=.{1,253}\Z)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*", re.I
)
_LOCAL = re.compile(r"[^\s@\"(),:;<>\[\\\]]{1,64}")


def _from_text(value: object) -> object:
    if not isinstance(value, str):
        return value
    try:
        return duration(value)
    except ExpressionError:
        raise PydanticCustomError("duration", "a length of time is wanted, such as `90 min`") from None


Duration = Annotated[timedelta, BeforeValidator(_from_text)]
"""A length of time: what a spec calls ``duration``. In data it may be written ``90 min`` too, beside ``PT1H30M``."""


@dataclass(frozen=True, slots=True)
class Format:
    """Annotation for a text that must be a ``uri``, ``email``, ``hostname``, ``ipv4``, ``ipv6`` or ``uuid``.

    ``url: Annotated[str, Format("uri")]``
    """

    name: str

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_after_validator_function(self._check, handler(source))

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return {**handler(schema), "format": self.name}

    def _check(self, text: str) -> str:
        if not _FORMATS[self.name](text):
            raise PydanticCustomError("format", "it is no {name}", {"name": self.name})
        return text


def _is_uri(text: str) -> bool:
    if any(sign.isspace() or not sign.isprintable() for sign in text):
        return False
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    return bool(parts.scheme) and bool(parts.netloc or parts.path)


def _is_email(text: str) -> bool:
    local, _, domain = text.rpartition("@")
    return _LOCAL.fullmatch(local) is not None and _is_hostname(domain)


def _is_hostname(text: str) -> bool:
    return _HOSTNAME.fullmatch(text) is not None


def _reads(kind: Callable[[str], object]) -> Callable[[str], bool]:
    def check(text: str) -> bool:
        try:
            kind(text)
        except ValueError:
            return False
        return True

    return check


_FORMATS: dict[str, Callable[[str], bool]] = {
    "uri": _is_uri,
    "email": _is_email,
    "hostname": _is_hostname,
    "ipv4": _reads(IPv4Address),
    "ipv6": _reads(IPv6Address),
    "uuid": _reads(uuid.UUID),
}
