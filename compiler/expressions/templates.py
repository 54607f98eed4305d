"""Texts with expressions in them → f-strings; those with statements → the bodies of functions."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from wfc.compiler.expressions.parse import Template
from wfc.compiler.expressions.python import Piece, Rank, atom, call, method
from wfc.compiler.expressions.spelling import Names, Speller, Unspeakable, simple_code
from wfc.compiler.expressions.template_tree import Condition, Hole, Loop, Part, Text, holes
from wfc.compiler.expressions.tree import Attribute, Concat, Constant, Node, Path, path_of, walk
from wfc.compiler.spell import (
    Code,
    best_quote,
    block_part,
    closed_block,
    escaped,
    literal,
    local_name,
    text_block,
)
from wfc.compiler.types import INTEGER, STRING, MapOf, base, members

__all__ = ["joined_parts", "spell_body", "spell_template"]

Wrap = Callable[[Piece], Piece]
Pieces = Sequence[str | Node]


def spell_template(template: Template, names: Names, *, url: bool = False) -> Code:
    """A text without statements as a Python expression.

    Args:
        names: How paths are called where the code will stand.
        url: Whether it is a URL: every expression is encoded but one that the text begins with.

    Raises:
        ValueError: The text has statements; see :func:`spell_body`.
    """
    if template.statements:
        raise ValueError("a text with statements is spelled as a function's body")
    speller = Speller(names)
    if template.whole is not None and not url:
        return Code(speller.piece(template.whole.tree).code)
    return Code(joined_parts(speller, plain(template.parts), encode=url).code)


def spell_body(template: Template, names: Names) -> list[Code]:
    """A text as the lines of a function's body, from the first to ``return``.

    Lines are indented from 0. A line may hold a literal of several lines, whose inner lines stay at the left.
    """
    if not template.statements:
        return [Code(f"return {spell_template(template, names)}")]
    body = Body(names)
    body.add(template.parts, Speller(names), 0)
    return [Code("parts: list[str] = []"), *body.lines, Code('return "".join(parts)')]


def plain(parts: Sequence[Part]) -> list[str | Node]:
    found: list[str | Node] = []
    for part in parts:
        assert isinstance(part, (Text, Hole))
        found.append(part.text if isinstance(part, Text) else part.tree)
    return found


# --- f-strings


def joined_parts(speller: Speller, parts: Pieces, *, encode: bool = False) -> Piece:
    """Texts and expressions as one text."""
    flat = flattened(parts, encode=encode)
    if not any(isinstance(part, Node) for part in flat):
        return whole_text(speller, "".join(part for part in flat if isinstance(part, str)))
    wrap = [encoded if encode and index else None for index in range(len(flat))]
    text = "".join(part for part in flat if isinstance(part, str))
    if speller.quotes is not None:
        return nested(speller, flat, text)
    for form in forms(text):
        try:
            return form(speller, flat, wrap)
        except Unspeakable:
            continue
    return in_a_row(speller, flat, wrap)


def flattened(parts: Pieces, *, encode: bool) -> list[str | Node]:
    """Texts written out, and texts put together with `~`, are parts like others."""
    found: list[str | Node] = []
    for part in parts:
        if (
            isinstance(part, Constant)
            and isinstance(part.value, str)
            and base(part.type) == STRING
            and not encode
        ):
            part = part.value
        if isinstance(part, Concat) and not encode:
            inner = flattened(part.parts, encode=False)
        else:
            inner = [part]
        for each in inner:
            if isinstance(each, str) and found and isinstance(found[-1], str):
                found[-1] += each
            else:
                found.append(each)
    return found


def encoded(piece: Piece) -> Piece:
    return call("filters.url_part", piece)


def whole_text(speller: Speller, text: str) -> Piece:
    if speller.quotes is None and is_block(text):
        return atom(text_block(text))
    return speller.text(text)


def is_block(text: str) -> bool:
    """Whether a text has several lines, to be shown as such."""
    return "\n" in text.rstrip("\n") and "\r" not in text


Form = Callable[[Speller, Sequence[str | Node], Sequence[Wrap | None]], Piece]


def forms(text: str) -> list[Form]:
    """The ways to write an f-string, the plainest first."""
    if is_block(text):
        return [block]
    return [in_quotes, in_three_quotes]


def hole(speller: Speller, node: Node, wrap: Wrap | None) -> str:
    """An expression in its braces."""
    if wrap is not None:
        code = wrap(speller.piece(node)).code
    elif all(base(each) in (STRING, INTEGER) for each in members(node.type)):
        code = speller.piece(node).code
    else:
        code = speller.rendered(node).code
    return f"{{{code}}}"


def braced(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")


def in_quotes(speller: Speller, parts: Sequence[str | Node], wrap: Sequence[Wrap | None]) -> Piece:
    """``f"Hello {name}"``."""
    text = "".join(part for part in parts if isinstance(part, str))
    quote = best_quote(text)
    inner = Speller(speller.names, "'" if quote == '"' else '"')
    code = ""
    for part, wrapped in zip(parts, wrap, strict=True):
        if isinstance(part, str):
            code += braced(escaped(part)).replace(quote, f"\\{quote}")
        else:
            found = hole(inner, part, wrapped)
            if ('"' in found or "'" in found) and ('"' in text or "'" in text):
                raise Unspeakable  # a formatter would weigh the quotes of text and expressions against each other
            code += found
    return atom(f"f{quote}{code}{quote}")


def in_three_quotes(speller: Speller, parts: Sequence[str | Node], wrap: Sequence[Wrap | None]) -> Piece:
    r"""``f\"\"\"it's {", ".join(names)}\"\"\"``."""
    inner = Speller(speller.names, "\"'")
    code = ""
    for part, wrapped in zip(parts, wrap, strict=True):
        if isinstance(part, str):
            code += braced(escaped(part)).replace('"""', '""\\"')
        else:
            code += hole(inner, part, wrapped)
    return atom(f'f"""{closed_block(code)}"""')


def block(speller: Speller, parts: Sequence[str | Node], wrap: Sequence[Wrap | None]) -> Piece:
    """A text of several lines, at the left edge."""
    inner = Speller(speller.names, "\"'")
    code = "".join(
        braced(block_part(part)) if isinstance(part, str) else hole(inner, part, wrapped)
        for part, wrapped in zip(parts, wrap, strict=True)
    )
    return atom(f'f"""\\\n{closed_block(code)}"""')


def nested(speller: Speller, parts: Sequence[str | Node], text: str) -> Piece:
    """An f-string inside another one's braces."""
    if not speller.quotes or "\\" in escaped(text) or '"' in text or "'" in text:
        raise Unspeakable
    quote, inner = speller.quotes[0], Speller(speller.names, speller.quotes[1:])
    code = "".join(braced(part) if isinstance(part, str) else hole(inner, part, None) for part in parts)
    return atom(f"f{quote}{code}{quote}")


def in_a_row(speller: Speller, parts: Sequence[str | Node], wrap: Sequence[Wrap | None]) -> Piece:
    """Parts that no f-string can hold, put together by a call."""
    pieces = [
        Piece(literal(part), Rank.ATOM)
        if isinstance(part, str)
        else (wrapped(speller.piece(part)) if wrapped else speller.rendered(part))
        for part, wrapped in zip(parts, wrap, strict=True)
    ]
    return method(atom('""'), "join", f"[{', '.join(piece.code for piece in pieces)}]")


# --- statements


class Body:
    """Collects the lines of a function's body."""

    def __init__(self, names: Names) -> None:
        self.lines: list[Code] = []
        self.taken = {word for code in names.values() for word in re.findall(r"\w+", code)}

    def line(self, code: str, depth: int) -> None:
        self.lines.append(Code("    " * depth + code))

    def add(self, parts: Sequence[Part], speller: Speller, depth: int) -> None:
        """Lines that append the parts to ``parts``."""
        run: list[str | Node] = []
        for part in (*parts, None):
            if isinstance(part, (Text, Hole)):
                run.append(part.text if isinstance(part, Text) else part.tree)
                continue
            if run:
                self.line(
                    f"parts.append({joined_parts(speller, run).code if len(run) > 1 else one(speller, run[0])})",
                    depth,
                )
                run = []
            if isinstance(part, Condition):
                self.condition(part, speller, depth)
            elif isinstance(part, Loop):
                self.loop(part, speller, depth)

    def nested(self, parts: Sequence[Part], speller: Speller, depth: int) -> None:
        if parts:
            self.add(parts, speller, depth)
        else:
            self.line("pass", depth)

    def condition(self, part: Condition, speller: Speller, depth: int) -> None:
        word = "if"
        for test, body in part.branches:
            self.line(f"{word} {speller.piece(test).code}:" if test is not None else "else:", depth)
            self.nested(body, speller, depth + 1)
            word = "elif"

    def loop(self, part: Loop, speller: Speller, depth: int) -> None:
        items = speller.piece(part.items)
        locals_ = [self.fresh(name) for name in part.names]
        names: dict[Path, Code] = dict(speller.names)
        names |= {(name,): each for name, each in zip(part.names, locals_, strict=True)}
        used = {path[1] for node in holes(part.body) for path in loop_paths(node)}
        source = items.code
        if "last" in used and not simple_code(source):
            source = self.fresh("items")
            self.line(f"{source} = {items.code}", depth)
        over = source
        if isinstance(part.items.type, MapOf) and len(locals_) == 2:
            over = f"{Piece(source, Rank.ATOM if source != items.code else items.rank).within(Rank.ATOM)}.items()"
        target = ", ".join(locals_)
        if used:
            index = self.fresh("index")
            target = f"{index}, {target}" if len(locals_) == 1 else f"{index}, ({target})"
            over = f"enumerate({over}, 1)"
            names |= loop_names(index, source)
        self.line(f"for {target} in {over}:", depth)
        self.nested(part.body, Speller(names), depth + 1)

    def fresh(self, name: str) -> Code:
        """A local name that nothing else in the function has."""
        local, number = local_name(name), 2
        while local in self.taken:
            local, number = Code(f"{local_name(name)}_{number}"), number + 1
        self.taken.add(local)
        return local


def one(speller: Speller, part: str | Node) -> str:
    if isinstance(part, str):
        return whole_text(speller, part).code
    return speller.rendered(part).code


def loop_paths(node: Node) -> list[Path]:
    """Paths like ``loop.index`` in an expression."""
    paths = [path_of(each) for each in walk(node) if isinstance(each, Attribute)]
    return [path for path in paths if path is not None and path[0] == "loop"]


def loop_names(index: str, source: str) -> Mapping[Path, Code]:
    return {
        ("loop", "index"): Code(index),
        ("loop", "first"): Code(f"{index} == 1"),
        ("loop", "last"): Code(f"{index} == len({source})"),
    }
