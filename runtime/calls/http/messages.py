"""What is sent: the bytes of a request, with the values of secrets put in where it goes out."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import httpx2
from pydantic_core import PydanticSerializationError

from wfc.runtime.calls.bindings import Basic
from wfc.runtime.calls.http.addresses import refuse
from wfc.runtime.calls.secrets import Revealed, Secret
from wfc.runtime.values.outside_names import json_outside, jsonable_outside

__all__ = ["RequestContent", "as_text", "basic_authorization"]

HEADER_NAME: Final = re.compile(r"[!#$%&'*+.^_`|~0-9a-z-]+")
FORM: Final = "application/x-www-form-urlencoded"


@dataclass(frozen=True, slots=True)
class RequestContent:
    """What a request says.

    Args:
        method: In capitals.
        query: What is added to the address; a null is left out, a list repeats its name.
        body: Text as it is, other data as JSON, or as a form if a header asks for it.
    """

    method: str
    query: Mapping[str, object]
    headers: Mapping[str, str | Secret]
    body: object
    idempotency_key: str | None = None

    def to(self, address: httpx2.URL, authorization: str | None, revealed: Revealed) -> httpx2.Request:
        """Return the request.

        Raises:
            StepError: It cannot be sent.
            SettingsError: A secret is missing.
        """
        fields = {"accept": "application/json, text/*;q=0.9, */*;q=0.1", "user-agent": "wfc-workflows"}
        if self.idempotency_key is not None and self.method not in {"GET", "HEAD"}:
            fields["idempotency-key"] = self.idempotency_key
        for name, value in self.headers.items():
            fields[name.lower()] = revealed.read(value) if isinstance(value, Secret) else value
        if authorization is not None:
            fields["authorization"] = authorization
        content = content_of(with_secrets(self.body, revealed), fields)
        for name, text in fields.items():
            if not HEADER_NAME.fullmatch(name):
                refuse(f"`{name}` is no name of a header")
            if any(sign in text for sign in "\r\n\0"):
                refuse(f"the header `{name}` holds a line break")
        encoded = [(name.encode("utf-8"), text.encode("utf-8")) for name, text in fields.items()]
        try:
            address = address.copy_merge_params(tuple(pairs(with_secrets(self.query, revealed))))
        except (httpx2.InvalidURL, ValueError) as error:
            refuse(f"the query cannot be sent: {revealed.hide(str(error))}")
        return httpx2.Request(self.method, address, headers=encoded, content=content)


def with_secrets(data: Any, revealed: Revealed) -> Any:
    """Return data with the values of the secrets that stand in it."""
    if isinstance(data, Secret):
        return revealed.read(data)
    if isinstance(data, Mapping):
        return {key: with_secrets(value, revealed) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [with_secrets(item, revealed) for item in data]
    return data


def basic_authorization(auth: Basic, revealed: Revealed) -> str:
    """Return the header that proves a user by a password."""
    pair = base64.b64encode(f"{auth.user}:{revealed.read(auth.secret)}".encode()).decode("ascii")
    revealed.remember(pair, auth.secret)
    return f"Basic {pair}"


def content_of(body: object, fields: dict[str, str]) -> bytes | None:
    """Return the body's bytes: text unchanged, other data as JSON, or as a form if a header asks for it."""
    if body is None:
        return None
    if isinstance(body, str):
        fields.setdefault("content-type", "text/plain; charset=utf-8")
        return body.encode("utf-8")
    kind = fields.setdefault("content-type", "application/json")
    try:
        if kind.startswith(FORM) and isinstance(body, Mapping):
            return str(httpx2.QueryParams(tuple(pairs(body)))).encode("ascii")
        return json_outside(body)
    except PydanticSerializationError as error:
        refuse(f"the body cannot be written as JSON: {error}")


def pairs(query: Mapping[str, object]) -> list[tuple[str, str]]:
    """Return the names and values of a query: a null is left out, a list repeats its name."""
    found: list[tuple[str, str]] = []
    for name, value in query.items():
        data = jsonable_outside(value)
        items = data if isinstance(data, list) else [data]
        found.extend((name, as_text(item)) for item in items if item is not None)
    return found


def as_text(value: object) -> str:
    """Return a text as it is, other data as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))
