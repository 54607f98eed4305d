"""The addresses of services, of which data may decide everything but the server."""

from __future__ import annotations

import re
from typing import Final

from wfc.compiler.diagnostics import Place
from wfc.compiler.expressions import Node, Scope, Template
from wfc.compiler.expressions.addresses import HOLE, Address, is_fixed, split_address
from wfc.compiler.resolve.values.reader import ValueReader
from wfc.compiler.rules import bindings as problems
from wfc.compiler.types import UNKNOWN

__all__ = ["resolve_address", "resolve_prefix"]

UNFIT: Final = re.compile(r"[\s\\\x00-\x1f]")
ELLIPSIS: Final = "…"
ANY_PUBLIC: Final = (
    "write what the address may begin with, at least its server; any public address is `only: public`"
)
BRACES: Final = re.compile(r"(?<!\$)\{\{")
NAME: Final = re.compile(r"(localhost|[\w-]+(\.[\w-]+)+)(:\d+)?([/?#].*)?", re.DOTALL)
"""What may be an address that lacks its scheme."""


def resolve_address(
    data: object, place: Place, scope: Scope, reader: ValueReader, *, prefix: bool = False
) -> Template:
    """Return an address; report where data decides which server it names, and where it is none.

    Args:
        prefix: Whether it is what an address from data must begin with.
    """
    template = reader.text(data, place, scope, statements=False, bare=False)
    address = split_address(template.parts)
    loose = [each for each in address.loose if each.type != UNKNOWN]
    if loose:
        report_loose(loose[0], address, template, reader)
    elif template.type != UNKNOWN:
        check_form(address, template, reader, prefix=prefix)
    return template


def resolve_prefix(data: object, place: Place, scope: Scope, reader: ValueReader) -> Template:
    """Return what an address from data must begin with, of which data may decide nothing."""
    template = resolve_address(data, place, scope, reader, prefix=True)
    address = split_address(template.parts)
    loose = [
        each
        for each in (*address.path, *address.query)
        if isinstance(each, Node) and each.type != UNKNOWN and not is_fixed(each)
    ]
    if loose and not address.loose:
        report_loose(loose[0], address, template, reader)
    if address.query:
        reader.report(problems.bad_url(place, "an address under `only` ends before a `?` or `#`"))
    return template


def report_loose(node: Node, address: Address, template: Template, reader: ValueReader) -> None:
    words = template.text[node.start : node.end]
    begins = bool(address.head) and address.head[0] is node and template.place.key.address[-1] == "url"
    before = template.text[: node.start].rstrip().removesuffix("${{")
    glued = bool(before) and before[-1] not in "/.:@-"  # nothing stands between it and the server
    place = template.place.stretch(node.start, node.end)
    reader.report(problems.url_base_not_config(place, words, begins=begins, glued=glued))


def check_form(address: Address, template: Template, reader: ValueReader, *, prefix: bool) -> None:
    """Report an address that no request can be sent to, as far as its texts show that."""
    place, text = template.place, template.text
    literal = address.literal_head
    if ELLIPSIS in literal or text.endswith(ELLIPSIS):
        why = f"`{ELLIPSIS}` stands for something that is to be written here"
        reader.report(problems.bad_url(place, why, ANY_PUBLIC if prefix else "write the whole address"))
        return
    if BRACES.search(text):
        return  # an expression was meant, and it is told how one is written
    if not address.head or isinstance(address.head[0], str):
        begins = address.head[0] if address.head and isinstance(address.head[0], str) else ""
        if not address.scheme:
            without_scheme(text, place, reader)
            return
        if HOLE not in address.scheme and address.scheme.lower() not in {"http", "https"}:
            why = f"`{begins.partition('://')[0]}` is not the scheme of a web address"
            reader.report(problems.bad_url(place, why, "an address begins with `https://` or `http://`"))
            return
    if not address.has_server:
        reader.report(problems.bad_url(place, "the address names no server", ANY_PUBLIC if prefix else ""))
    elif "@" in literal:
        hint = "write `auth: {basic: {user: …, password: SECRET}}`"
        reader.report(problems.bad_url(place, "the address names a user", hint))
    elif UNFIT.search(literal):
        hint = "an address is one text: write its parts side by side, without `+`" if " + " in text else ""
        reader.report(problems.bad_url(place, "the server's name holds a blank or a backslash", hint))


CONFIG: Final = re.compile(r"config\.\w+")
VALUE: Final = re.compile(r"(?:args|events?|inputs|result|state)(?:\.\w+)+")
OTHER_BRACES: Final = re.compile(
    r"\$?\{ ?\w+(?:\.\w+)* ?\}|\$\w|%\w+%|<\w+(?:\.\w+)*>|\[{1,2} ?\w+(?:\.\w+)* ?\]{1,2}"
)
IN_THEM: Final = re.compile(r"(?:args|config|events?|inputs|result|state)(?:\.\w+)+")
"""How others put a value into an address."""


def without_scheme(text: str, place: Place, reader: ValueReader) -> None:
    if value := CONFIG.match(text):
        why, hint = "the address does not say its scheme", f"a value is put in by `${{{{ {value[0]} }}}}`"
    elif value := VALUE.fullmatch(text):
        why = "the address does not say its scheme"
        hint = f"a value is put in by `${{{{ {value[0]} }}}}`; an address begins with `https://` or `http://`"
    elif NAME.match(text):
        why, hint = "the address does not say its scheme", "begin it with `https://` or `http://`"
    elif braces := OTHER_BRACES.match(text):
        value = IN_THEM.search(braces[0])
        why, hint = (
            "the address names no server",
            "a value is put in by `${{ … }}`, such as `${{ config.desk_url }}`",
        )
        if value is not None:
            hint = f"a value is put in by `${{{{ {value[0]} }}}}`"
    else:
        why, hint = "the address names no server", "an address is written as in `https://desk.example/orders`"
    reader.report(problems.bad_url(place, why, hint))
