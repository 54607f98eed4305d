"""HTTP requests of steps and tools: the address, the data sent with it, and the authentication."""

from __future__ import annotations

from collections.abc import Mapping

from wfc.compiler.diagnostics import Place
from wfc.compiler.expressions import Scope, Template
from wfc.compiler.expressions.syntax.template_tree import Hole
from wfc.compiler.expressions.syntax.tree import paths_in
from wfc.compiler.model import Auth, Header, HttpRequest, Secret, Value
from wfc.compiler.resolve.symbols.declarations import Declarations
from wfc.compiler.resolve.symbols.tables import Data
from wfc.compiler.resolve.values.reader import ValueReader, reads_as_text
from wfc.compiler.rules import bindings as problems
from wfc.compiler.rules import values as value_problems
from wfc.compiler.types import ANY, UNKNOWN, ListOf, Type, members, show

__all__ = ["resolve_request", "secret"]


def resolve_request(
    data: Data, place: Place, scope: Scope, declared: Declarations, reader: ValueReader
) -> HttpRequest:
    """Return the request that `method url query headers auth body` describe."""
    body = data.get("body")
    query = data.get("query")
    headers = data.get("headers")
    return HttpRequest(
        method=str(data.get("method", "GET")),
        url=url(str(data.get("url", "")), place / "url", scope, reader),
        query=tuple(
            (str(key), query_value(each, place / "query" / str(key), scope, reader))
            for key, each in (query.items() if isinstance(query, Mapping) else ())
        ),
        headers=tuple(
            Header(str(key), header_value(each, place / "headers" / str(key), scope, declared, reader))
            for key, each in (headers.items() if isinstance(headers, Mapping) else ())
        ),
        auth=resolve_auth(data.get("auth"), place / "auth", scope, declared, reader),
        body=reader.value(body, place / "body", ANY, scope) if "body" in data else None,
    )


def url(text: str, place: Place, scope: Scope, reader: ValueReader) -> Template:
    """Return an address; an expression at its beginning decides who gets the request, so it must be a
    setting.
    """
    template = reader.text(text, place, scope, statements=False)
    first = template.parts[0] if template.parts else None
    outside = isinstance(first, Hole) and any(path[:1] != ("config",) for path in paths_in([first.tree]))
    if isinstance(first, Hole) and outside and first.tree.type != UNKNOWN:
        reader.report(problems.url_base_not_config(place.stretch(first.tree.start, first.tree.end)))
    return template


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
) -> Auth | None:
    """Return the authentication that `{bearer: NAME}` or `{basic: {user: text, password: NAME}}` describes."""
    if not isinstance(data, Mapping):
        return None
    if "bearer" in data:
        return Auth("bearer", secret(data["bearer"], place / "bearer", declared))
    basic = data.get("basic")
    if isinstance(basic, Mapping):
        user = reader.text(basic.get("user", ""), place / "basic" / "user", scope)
        return Auth("basic", secret(basic.get("password"), place / "basic" / "password", declared), user)
    return None
