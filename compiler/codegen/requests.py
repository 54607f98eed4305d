"""The parts of a request: its address, its headers, and what proves who sends it."""

from __future__ import annotations

from wfc.compiler.codegen.literals.constants import call
from wfc.compiler.codegen.literals.functions import FunctionBuilder
from wfc.compiler.codegen.literals.values import ValueWriter
from wfc.compiler.expressions import Template, generate_address
from wfc.compiler.expressions.addresses import split_address
from wfc.compiler.model import Auth, ChosenAddress, Header, OAuth2, Secret
from wfc.compiler.python.literals import Code, literal
from wfc.compiler.types import STRING

__all__ = ["address", "authentication", "headers", "secret"]


def address(url: Template | ChosenAddress, function: FunctionBuilder) -> tuple[Code, dict[str, Code]]:
    """Return an address, and the arguments that say which servers it may name."""
    if isinstance(url, ChosenAddress):
        given = function.expression(url.given, into=STRING)
        if url.only is None:
            return given, {"only": literal("public")}
        return given, {"only": Code(f"[{', '.join(function.template(each) for each in url.only)}]")}
    function.note(url.uses)
    found, head = generate_address(split_address(url.parts), function.known)
    return found, {} if head is None else {"server": head}


def headers(given: tuple[Header, ...], function: FunctionBuilder) -> Code:
    """Return texts and secrets by name as a dict."""
    pairs = ", ".join(
        f"{literal(each.name)}: "
        f"{secret(each.value) if isinstance(each.value, Secret) else function.template(each.value)}"
        for each in given
    )
    return Code(f"{{{pairs}}}")


def authentication(auth: Auth | OAuth2, function: FunctionBuilder, values: ValueWriter) -> Code:
    """Return what proves who sends a request."""
    if isinstance(auth, Auth):
        if auth.user is not None:
            return call(Code("Basic"), function.template(auth.user), secret(auth.secret))
        return call(Code("Bearer"), secret(auth.secret))
    named: dict[str, Code] = {}
    if auth.user is not None:
        named["user"] = function.template(auth.user)
    if auth.password is not None:
        named["password"] = secret(auth.password)
    if auth.scope is not None:
        named["scope"] = function.template(auth.scope)
    if auth.body:
        named["body"] = values.pairs(auth.body)
    return call(Code("OAuth2"), address(auth.url, function)[0], **named)


def secret(node: Secret) -> Code:
    """``Secret("NAME")``."""
    return call(Code("Secret"), literal(node.name))
