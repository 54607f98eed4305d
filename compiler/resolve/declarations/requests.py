"""HTTP requests of steps and tools: the address, the data sent with it, and the authentication."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from wfc.compiler.diagnostics import Place
from wfc.compiler.expressions import Scope, Template
from wfc.compiler.model import Auth, ChosenAddress, Header, HttpRequest, OAuth2, Secret, Value
from wfc.compiler.resolve.declarations.addresses import resolve_address, resolve_prefix
from wfc.compiler.resolve.symbols.declarations import Declarations
from wfc.compiler.resolve.symbols.tables import Data
from wfc.compiler.resolve.values.mismatches import mismatch
from wfc.compiler.resolve.values.reader import ValueReader, reads_as_text
from wfc.compiler.rules import bindings as problems
from wfc.compiler.rules import values as value_problems
from wfc.compiler.types import ANY, STRING, ListOf, Type, assignable, members, show

__all__ = ["resolve_request", "secret"]

WITHOUT_BODY: Final = frozenset({"GET", "HEAD"})


def resolve_request(
    data: Data, place: Place, scope: Scope, declared: Declarations, reader: ValueReader
) -> HttpRequest:
    """Return the request that `method url query headers auth body` describe."""
    body = data.get("body")
    query = data.get("query")
    headers = data.get("headers")
    method = str(data.get("method", "GET"))
    if "body" in data and method in WITHOUT_BODY:
        declared.report(problems.body_of_get((place / "body").key, method))
    carrying = CarryingReader(reader, declared)
    found = HttpRequest(
        method=method,
        url=address(data.get("url", ""), place / "url", scope, carrying),
        query=tuple(
            (str(key), query_value(each, place / "query" / str(key), scope, carrying))
            for key, each in (query.items() if isinstance(query, Mapping) else ())
        ),
        headers=tuple(
            Header(str(key), header_value(each, place / "headers" / str(key), scope, declared, carrying))
            for key, each in (headers.items() if isinstance(headers, Mapping) else ())
        ),
        auth=resolve_auth(data.get("auth"), place / "auth", scope, declared, carrying),
        body=carrying.value(body, place / "body", ANY, scope) if "body" in data else None,
    )
    if isinstance(found.url, ChosenAddress) and found.url.only is None:
        secret_to_any_address(found, place, carrying)
    return found


def address(data: object, place: Place, scope: Scope, reader: ValueReader) -> Template | ChosenAddress:
    """Return where a request goes: what the spec writes, or an address from data, `{from: …, only: …}`."""
    if not isinstance(data, Mapping):
        return resolve_address(data, place, scope, reader)
    given = reader.expression(data.get("from", '""'), place / "from", scope)
    if not assignable(given.type, STRING):
        reader.report(value_problems.wrong_value(place / "from", *mismatch(given.type, STRING, given.tree)))
    only = data.get("only")
    if not isinstance(only, list):
        return ChosenAddress(given, None)
    prefixes = (resolve_prefix(each, place / "only" / at, scope, reader) for at, each in enumerate(only))
    return ChosenAddress(given, tuple(prefixes))


def secret_to_any_address(request: HttpRequest, place: Place, reader: CarryingReader) -> None:
    """Report the first secret that a request would carry to whatever address data gives."""
    if request.auth is not None:
        reader.report(problems.secret_to_any_address((place / "auth").key))
        return
    named = next((each.name for each in request.headers if isinstance(each.value, Secret)), None)
    found = [place / "headers" / named] if named is not None else reader.carried
    if found:
        reader.report(problems.secret_to_any_address(found[0]))


class CarryingReader(ValueReader):
    """A reader of what a request carries, in which `{secret: NAME}` as a whole value is that secret.

    Args:
        reader: Of the step or the tool, which remembers the names that are used.
    """

    __slots__ = ("carried", "declared")

    def __init__(self, reader: ValueReader, declared: Declarations) -> None:
        super().__init__(reader.report, reader.uses)
        self.declared = declared
        self.carried: list[Place] = []  # where secrets stand

    def record(self, data: Mapping[object, object], place: Place, wanted: Type, scope: Scope) -> Value:
        """Read a mapping: a secret, the fields of a record, or the entries of a map."""
        named = data.get("secret")
        if len(data) != 1 or not isinstance(named, str) or "${{" in named:
            return ValueReader.record(self, data, place, wanted, scope)
        self.carried.append(place)
        return Value(wanted, place.address, secret=secret(named, place / "secret", self.declared))


def query_value(data: object, place: Place, scope: Scope, reader: ValueReader) -> Value:
    """Return a value in the query: a text, nothing, or a list of texts."""
    value = reader.value(data, place, ANY, scope)
    if value.expression is not None and not sendable(value.expression.type):
        reader.report(
            value_problems.wrong_value(
                place,
                f"a query value is a text, a number or a list of them, found {show(value.expression.type)}",
            )
        )
    elif value.entries is not None:
        reader.report(
            value_problems.wrong_value(place, "a query value is a text, a number or a list of them")
        )
    return value


def sendable(type: Type) -> bool:
    return all(
        reads_as_text(each) or (isinstance(each, ListOf) and sendable(each.item)) for each in members(type)
    )


def header_value(
    data: object, place: Place, scope: Scope, declared: Declarations, reader: ValueReader
) -> Template | Secret:
    if isinstance(data, Mapping):
        return secret(data.get("secret"), place / "secret", declared)
    return reader.text(data, place, scope)


def secret(name: object, place: Place, declared: Declarations) -> Secret:
    """Return a secret by its name; an undeclared name is reported, and returned as it is."""
    found = declared.secrets.find(str(name), place, declared.report)
    return found if found is not None else Secret(str(name))


def resolve_auth(
    data: object, place: Place, scope: Scope, declared: Declarations, reader: ValueReader
) -> Auth | OAuth2 | None:
    """Return the authentication that `{bearer: NAME}`, `{basic: …}` or `{oauth2: …}` describes."""
    if not isinstance(data, Mapping):
        return None
    if "bearer" in data:
        return Auth("bearer", secret(data["bearer"], place / "bearer", declared))
    basic, oauth2 = data.get("basic"), data.get("oauth2")
    if isinstance(basic, Mapping):
        user = reader.text(basic.get("user", ""), place / "basic" / "user", scope)
        return Auth("basic", secret(basic.get("password"), place / "basic" / "password", declared), user)
    if isinstance(oauth2, Mapping):
        return resolve_oauth2(oauth2, place / "oauth2", scope, declared, reader)
    return None


def resolve_oauth2(
    data: Data, place: Place, scope: Scope, declared: Declarations, reader: ValueReader
) -> OAuth2:
    """Return the authentication by an access token that `{url, user, password, scope, body}` describe."""

    def text(key: str) -> Template | None:
        return reader.text(data[key], place / key, scope) if key in data else None

    body = data.get("body")
    given = {key for key in ("user", "password") if declared.is_broken((*place.address, key))} | data.keys()
    missing = [key for key in ("user", "password") if key not in given]
    if missing and not (len(missing) == 2 and body):  # other services take both in the form
        declared.report(value_problems.missing_entry(place, missing, "`oauth2`"))
    password = secret(data["password"], place / "password", declared) if "password" in data else None
    return OAuth2(
        resolve_address(data.get("url", ""), place / "url", scope, reader),
        text("user"),
        password,
        text("scope"),
        tuple(
            (str(key), query_value(each, place / "body" / str(key), scope, reader))
            for key, each in (body.items() if isinstance(body, Mapping) else ())
        ),
    )
