"""Text of an expression → tokens, each with its stretch."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, Literal

from wfc.compiler.diagnostics import Finding, Fix, Place
from wfc.compiler.python.literals import normal_form
from wfc.compiler.rules import expressions as problems
from wfc.compiler.rules import fixes
from wfc.compiler.slotted import dataclass

__all__ = ["Token", "UnreadableError", "tokenize"]

Kind = Literal["name", "path", "integer", "number", "string", "operator", "end"]

# one of these matches wherever one begins to look, so that nothing is looked for twice; a group is never repeated
# possessively, since that matches wrongly before Python 3.11.5
TOKEN: Final = re.compile(
    r"""\s*+(?:(?P<name>[^\W\d]\w*+(?:\.[A-Za-z][A-Za-z0-9_]*+(?!\w))*)
    |(?P<number>\d[\d_]*(?:\.\d[\d_]*(?:[eE][+-]?\d+)?|[eE][+-]?\d+))
    |(?P<integer>\d[\d_]*)
    |(?P<string>"[^"\\]*+(?:\\.[^"\\]*+)*"|'[^'\\]*+(?:\\.[^'\\]*+)*')
    |(?P<operator>===|!==|<>|==|!=|<=|>=|//|\*\*|&&|\|\||=>|->|\+\+|[-+*/%<>~|.,:=!?&^@;()\[\]{}])
    |(?P<end>\Z)
    |(?P<stray>.))""",
    re.VERBOSE | re.DOTALL,
)
BLANKS: Final = re.compile(r"\s*+")
# pairs of typographic quotes, as escapes because they are hard to tell apart
TYPOGRAPHIC: Final = (
    "[\u201c\u201e\xab\u2018\u201a]"
    "([^\"'\\\\\n\u201c\u201d\u201e\xab\xbb\u2018\u2019\u201a]*)"
    "[\u201d\u201c\xbb\u2019\u2018]"
)
NAMES_WITH_DOLLAR: Final = r"\$(?:json|input|node|items?|env|vars|workflow|execution|prevNode)\b"
OPERATORS: Final = r"[=<>|+*()\[\]{}\"'$]|\b(?:and|or|in|is|not|if|else|for)\b"
BRACKETS: Final = {")": "(", "]": "[", "}": "{"}
ESCAPE: Final = r"(?s)\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))"
ESCAPED: Final = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "\n": "", **{c: c for c in "\\\"'"}}
IN_BACKTICKS: Final = re.compile(
    r"`(?:\$\{\s*(?P<value>[a-z_]\w*(?:\.\w+)+)\s*\}|"
    r"(?P<whole>\s*(?:args|config|error|events?|inputs|item|response|result|run|state)\.\w[^`$]*))`"
)
"""A value in backticks, as other languages make a text of one, or what begins with one."""
MAX_TOKENS: Final = 2_000
MAX_DIGITS: Final = 400


class UnreadableError(Exception):
    """An expression cannot be read; carries the finding that says why."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.message)
        self.finding = finding


@dataclass(slots=True, eq=False)
class Token:
    """A word of an expression.

    Args:
        text: As written; a name in normal form; a path is a name and fields without blanks; empty at the end.
        value: Of a text or a number.
        word: The text of an operator or a name, which grammar asks for; empty for all else.
    """

    kind: Kind
    text: str
    start: int
    end: int
    value: str | int | float = ""
    word: str = ""


def tokenize(
    text: str, place: Place, start: int = 0, *, until: str = "", paths: bool = False
) -> tuple[list[Token], int]:
    """Return the tokens from ``start`` on, and the position where they end.

    Args:
        until: ``}}`` or ``%}``: stop at it, outside of braces; empty: at the text's end.
        paths: Whether a name and its fields are one token, where they can be.

    Raises:
        UnreadableError: Something there is no token, or ``until`` does not come.
    """
    tokens: list[Token] = []
    depth: list[str] = []
    position, many = start, MAX_TOKENS
    closing = until[:1]
    for match in TOKEN.finditer(text, start):
        kind, word = match.lastgroup, match[match.lastindex or 0]
        if kind == "stray" or kind == "end":  # noqa: PLR1714 — a set would be asked for its hash, once a token
            break
        position = match.end()
        begin = position - len(word)
        if kind == "name":
            if "." not in word:
                word = normal_form(word)
                tokens.append(Token("name", word, begin, position, "", word))
            elif paths and word.isascii() and (not tokens or tokens[-1].word != "."):
                tokens.append(Token("path", word, begin, position))
                many -= 2 * word.count(".")
            else:
                for token in single(word, begin):
                    tokens.append(token)
                    if len(tokens) > many:
                        position = token.end
                        break
        elif kind == "operator":
            if word == closing and text.startswith(until, begin) and ("{" not in depth or until == "%}"):
                tokens.append(Token("end", "", begin, begin))
                return tokens, begin
            if word in BRACKETS and depth and depth[-1] == BRACKETS[word]:
                depth.pop()
            elif word in "([{":
                depth.append(word)
            tokens.append(Token("operator", word, begin, position, "", word))
        else:
            tokens.append(made(kind, word, begin, place))
        if len(tokens) > many:
            raise UnreadableError(problems.expression_too_long(place.stretch(start, position)))
    position = beginning(text, position)
    if position < len(text):
        runs_on = until and is_left_open(text, start, position, until)
        raise UnreadableError(
            unclosed(text, place, start, until) if runs_on else stray(text, place, position)
        )
    if until:
        raise UnreadableError(unclosed(text, place, start, until, in_braces=lacks_a_brace(text, tokens)))
    tokens.append(Token("end", "", position, position))
    return tokens, position


def beginning(text: str, position: int = 0) -> int:
    """Return where something stands that is no blank; large texts are not copied for it."""
    match = BLANKS.match(text, position)
    assert match is not None
    return match.end()


def single(path: str, start: int) -> Iterator[Token]:
    """The names of a path, and the dots between them."""
    for index, word in enumerate(path.split(".", MAX_TOKENS)):
        if index:
            yield Token("operator", ".", start - 1, start, "", ".")
        name = normal_form(word)
        yield Token("name", name, start, start + len(word), "", name)
        start += len(word) + 1


def is_left_open(text: str, start: int, position: int, until: str) -> bool:
    """Return whether something that cannot be read stands on a further line than the expression, which nothing closes
    before the next one opens: so it is no part of it.
    """
    if "\n" not in text[start:position]:
        return False
    closing = text.find(until, position)
    following = re.compile(r"\$\{\{|\{%").search(text, position)
    return closing < 0 or (following is not None and following.start() < closing)


def unclosed(text: str, place: Place, start: int, until: str, *, in_braces: bool = False) -> Finding:
    """Return the finding for an expression or a statement that does not end.

    Args:
        in_braces: Whether a brace takes one of the two that close the expression.
    """
    opening = "${{" if until == "}}" else "{%"
    at = text.rindex(opening, 0, start)
    inside, end = text[start:].rstrip(), len(text.rstrip())
    half = until == "}}" and inside.endswith("}") and inside.count("}") > inside.count("{")  # one is there
    half = half and "\n" not in inside
    rest = until[-1] if half else f" {until}"
    gap = (end, len(text)) if "\n" not in text[end:] else (end, end)  # blanks at the end of the text go
    single = inside.find("}")
    if (
        until == "}}"
        and not half
        and single > 0
        and "{" not in inside[:single]
        and "\n" not in inside[:single]
    ):
        rest, gap = until, (start + single, start + single + 1)  # one closes it, and text follows
    more = in_braces or text[at + len(opening) :].lstrip().startswith("{")
    more = more and until == "}}" and "}}" in inside
    where = None if gap == (end, end) and "\n" in inside else gap
    return problems.unclosed_braces(
        place.stretch(at, at + len(opening)), opening, until, rest, where, more=more
    )


def lacks_a_brace(text: str, tokens: list[Token]) -> bool:
    """Return whether there is one opening brace too few for those that are closed, of which two close an expression."""
    braces = [each for each in tokens if each.word in {"{", "}"}]
    opened = sum(each.word == "{" for each in braces)
    twice = any(each.word == "}" and text.startswith("}}", each.start) for each in braces)
    return twice and opened > 0 and len(braces) - 2 * opened == 1


def stray(text: str, place: Place, position: int) -> Finding:
    letter = text[position]
    if letter in "\"'":
        closing = text.find("\n", position)
        end, before = closing if closing > 0 else len(text), text[:position]
        if "${{" in before and (braces := text.find("}}", position, end)) > 0:
            end = len(text[:braces].rstrip())  # which close the expression, and are no part of the text
        stretch = place.stretch(position, end)
        in_place = before.endswith("}")  # of a bracket, as in `${{ name }"`
        certain = (
            not in_place
            and letter not in before[before.rfind("${{") + 1 :]
            and all(before.count(opening) <= before.count(ending) for opening, ending in ("()", "[]"))
        )
        return problems.unclosed_text(stretch, letter, certain=certain)
    opens = text.startswith("${{", position)
    fix = without_braces(text, place, position) if opens else straight(text, place, position)
    path = text.startswith("$.", position)
    foreign = re.compile(NAMES_WITH_DOLLAR).match(text, position)
    return problems.stray_character(
        place.stretch(position, foreign.end() if foreign is not None else position + 1),
        foreign[0] if foreign is not None else letter,
        opens_expression=opens,
        after_another=text.find("${{", 0, position) >= 0,
        beside_text=opens and text.find("${{", 0, position) < 0 and is_beside_text(text),
        path=path,
        single_brace=not opens and text.startswith("${", position),
        with_values=letter == "`" and text.find("${", position) >= 0,
        value=in_backticks(text, position) if letter == "`" else "",
        in_braces=text.startswith(("{{", "={{"), beginning(text)),
        fix=fix,
    )


def in_backticks(text: str, position: int) -> str:
    """Return the expression that stands in backticks, alone or as a value in a text; empty for what may be a text."""
    found = IN_BACKTICKS.match(text, position)
    if found is None:
        return ""
    return str(found["value"] or found["whole"] or "").strip()


def is_beside_text(text: str) -> bool:
    """Return whether words stand around expressions in braces, and no operators."""
    outside = re.sub(r"\$\{\{[^{}]*\}\}", "", text)
    return re.search(r"\w", outside) is not None and re.search(OPERATORS, outside) is None


def without_braces(text: str, place: Place, position: int) -> Fix | None:
    """Return a fix that removes the delimiters of a condition that is one whole expression."""
    if beginning(text) < position:
        return None
    inner = text.strip()
    if not inner.endswith("}}") or inner.count("${{") != 1:
        return None
    return fixes.replace_text(
        place.stretch(position, position + len(inner)),
        inner[3:-2].strip(),
        applicability="safe",
        title="leave out `${{` and `}}`",
    )


def straight(text: str, place: Place, position: int) -> Fix | None:
    """Return a fix that replaces typographic quotes by straight ones."""
    match = re.compile(TYPOGRAPHIC).match(text, position)
    if match is None:
        return None
    return fixes.replace_text(place.stretch(*match.span()), f'"{match[1]}"', applicability="safe")


def made(kind: str | None, text: str, start: int, place: Place) -> Token:
    """A number, or a text in quotes."""
    stop = start + len(text)
    match kind:
        case "integer":
            if len(text) > MAX_DIGITS:
                raise UnreadableError(problems.number_too_large(place.stretch(start, stop)))
            return Token("integer", text, start, stop, int(text.replace("_", "")))
        case "number":
            value = float(text.replace("_", ""))
            if value == float("inf"):
                raise UnreadableError(problems.number_too_large(place.stretch(start, stop)))
            return Token("number", text, start, stop, value)
    return Token("string", text, start, stop, unescaped(text, start, place))


def unescaped(text: str, start: int, place: Place) -> str:
    """Return what a text in quotes means; ``\\n`` and its like are those of Python."""
    if "\\" not in text:
        return text[1:-1]

    def letter(match: re.Match[str]) -> str:
        code = match.group(1) or match.group(2) or match.group(3)
        if code and (int(code, 16) > 0x10FFFF or 0xD800 <= int(code, 16) < 0xE000):
            code, value = None, None
        else:
            value = chr(int(code, 16)) if code else ESCAPED.get(match.group(4))
        if value is None:
            at = start + 1 + match.start()
            raise UnreadableError(
                problems.unknown_escape(place.stretch(at, at + len(match.group())), match.group())
            )
        return value

    return re.sub(ESCAPE, letter, text[1:-1])
