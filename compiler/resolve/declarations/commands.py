"""Commands of steps and tools: a program that is written out, its arguments, and what it is given."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from wfc.compiler.diagnostics import Place
from wfc.compiler.expressions import Scope, Template
from wfc.compiler.expressions.syntax.template_tree import Hole
from wfc.compiler.model import Argument, CommandLine, Header
from wfc.compiler.resolve.declarations.requests import header_value
from wfc.compiler.resolve.symbols.declarations import Declarations
from wfc.compiler.resolve.symbols.tables import Data
from wfc.compiler.resolve.values.reader import ValueReader
from wfc.compiler.rules import bindings as problems
from wfc.compiler.rules import values as value_problems

__all__ = ["resolve_command"]

ONE_ARGUMENT: Final = (
    "each item of `command` is one argument, and no list is spread over several: write an item for each, "
    'such as `${{ LIST[0] }}`, or hand them over by `stdin: ${{ LIST | join("\\n") }}`'
)
END_OF_OPTIONS: Final = "--"
VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
OURS: Final = "HOME"
"""The variable of the empty folder, which no spec gives."""


def resolve_command(
    data: Data, place: Place, scope: Scope, declared: Declarations, reader: ValueReader
) -> CommandLine:
    """Return the command that `command stdin env read_only` describe."""
    words = data.get("command")
    texts = [
        reader.text(each, place / "command" / index, scope, of_list=ONE_ARGUMENT)
        for index, each in enumerate(words if isinstance(words, list) else ())
    ]
    program = texts[0].constant if texts else ""
    if texts and not program:
        reader.report(problems.program_not_fixed(place / "command" / 0))
    env = data.get("env")
    return CommandLine(
        program or "",
        tuple(arguments(texts[1:])),
        reader.text(data["stdin"], place / "stdin", scope) if "stdin" in data else None,
        tuple(
            variable(str(name), each, place / "env" / str(name), scope, declared, reader)
            for name, each in (env.items() if isinstance(env, Mapping) else ())
        ),
        data.get("read_only") is True or declared.is_broken((*place.address, "read_only")),
    )


def arguments(texts: list[Template]) -> list[Argument]:
    """Return the arguments; one that data begins must not become an option, unless `--` stands before it."""
    found: list[Argument] = []
    guarded = True
    for each in texts:
        begins = bool(each.parts) and isinstance(each.parts[0], Hole)
        found.append(Argument(each, guarded and begins))
        guarded = guarded and each.constant != END_OF_OPTIONS
    return found


def variable(
    name: str, data: object, place: Place, scope: Scope, declared: Declarations, reader: ValueReader
) -> Header:
    if not VARIABLE.fullmatch(name) or name == OURS:
        why = (
            "`HOME` is the command's own empty folder"
            if name == OURS
            else f"`{name}` is no name of a variable"
        )
        reader.report(value_problems.wrong_value(place.key, why))
    return Header(name, header_value(data, place, scope, declared, reader))
