"""What is probably meant by a sign that cannot stand where it stands: commas of decimals, dots, `?`, lost brackets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

from wfc.compiler.expressions.syntax.lexer import Token
from wfc.compiler.expressions.syntax.tree import Name, Node

__all__ = [
    "BETWEEN",
    "NUMBERS",
    "as_record",
    "behind",
    "decimal_comma",
    "is_choice",
    "leading_dot",
    "level",
    "missing_end",
    "missing_operator",
    "step_of_part",
    "words_behind",
]

NUMBERS: Final = frozenset({"integer", "number"})
BETWEEN: Final = frozenset({"and", "else", "if", "in", "is", "not", "or"})
"""Words that stand between values, or before one."""
ROOTS: Final = frozenset(
    {"args", "config", "error", "event", "events", "inputs", "loop", "response", "result", "run", "state", "trigger"}
)  # fmt: skip
"""Names with which expressions begin, wherever they stand."""
ASKED: Final = {
    **dict.fromkeys(["blank", "empty"], "is empty"),
    **dict.fromkeys(["nil", "null", "none"], "is none"),
    **dict.fromkeys(["any", "exists", "present"], "is not empty"),
}
"""Questions that are methods with a `?` elsewhere."""
TESTS: Final = frozenset({"boolean", "decimal", "empty", "integer", "none", "null", "number", "string"})
"""Words that may stand behind `is`; those of events and types have a capital."""
OPENING: Final = {")": "(", "]": "[", "}": "{"}
THOUSAND: Final = 3
"""How many digits stand between two signs that only make a large number readable."""
LEAST_OF_ENTRY: Final = 3
"""The tokens of an argument with a name: that, a sign, and a value."""
LONGEST: Final = 60


def level(tokens: Sequence[Token], at: int) -> tuple[int, list[str]]:
    """Return where the brackets open in which a token stands, -1 for none, and the words before it since a comma."""
    depth, beside, since = 0, list[str](), True
    for index in range(at - 1, -1, -1):
        text = tokens[index].text if tokens[index].kind in {"name", "operator"} else ""
        depth += (text in {"(", "[", "{"}) - (text in {")", "]", "}"})
        if depth == 1:
            return index, beside
        since = since and not (depth == 0 and text == ",")
        if since and depth == 0:
            beside.append(text)
    return -1, beside


def on_level(tokens: Sequence[Token], at: int) -> list[Token]:
    """Return the tokens behind one that are in the same brackets, with the one that closes these."""
    depth, found = 0, list[Token]()
    for token in tokens[at + 1 :]:
        text = token.text if token.kind == "operator" else ""
        depth -= text in OPENING
        if depth <= 0:
            found.append(token)
        if depth < 0:
            break
        depth += text in {"(", "[", "{"}
    return found


def words_behind(tokens: Sequence[Token], at: int) -> list[str]:
    """Return the words behind a token that are in the same brackets, up to a comma."""
    words = list[str]()
    for each in on_level(tokens, at):
        if each.text == ",":
            break
        words.append(each.text)
    return words


# --- numbers


def decimal_comma(tokens: Sequence[Token], at: int) -> str:
    """Return how a number is written whose fraction stands behind a comma, or whose thousands do; else nothing.

    Args:
        at: Of the comma, or of what stands behind it.
    """
    comma = at if tokens[at].text == "," else at - 1
    if comma < 1 or comma + 1 >= len(tokens) or tokens[comma].text != ",":
        return ""
    before, after = tokens[comma - 1], tokens[comma + 1]
    touching = before.end == tokens[comma].start and tokens[comma].end == after.start
    if not touching or before.kind not in NUMBERS or after.kind not in NUMBERS:
        return ""
    opened, _ = level(tokens, comma)
    if opened > 0 and tokens[opened].text == "[" and holds_value(tokens[opened - 1]):
        return f"a part stands in brackets with a colon: `[{before.text}:{after.text}]`"
    if comma > 1 and tokens[comma - 2].text == "in":
        return f"a list stands in square brackets: `[{before.text}, {after.text}]`"
    if not before.kind == after.kind == "integer":
        return "a number has one point, before its fraction, and no commas"
    if len(after.text) == THOUSAND and before.text != "0":
        return f"write `{before.text}{after.text}`, or `{before.text}.{after.text}` if that is a fraction"
    return f"a fraction stands behind a point: `{before.text}.{after.text}`"


def step_of_part(tokens: Sequence[Token], at: int) -> str:
    """Return what there is instead of the step of a part, such as the `-1` of `[::-1]`.

    Args:
        at: Of the second colon.
    """
    step = "".join(each.text for each in tokens[at + 1 : at + 3] if each.text != "]")
    if step in {"", "1"}:
        return "leave it out: a part has each item between its beginning and its end"
    if step.startswith("-"):
        return "a list in reverse order is `| reverse`; no filter reverses a text"
    return "to choose among the items of a list: `[one for one in LIST if loop.index % 2 == 1]`"


def holds_value(token: Token) -> bool:
    """Return whether a value ends with a token."""
    return token.text in {")", "]", "}"} or (token.kind != "operator" and token.text not in BETWEEN)


# --- dots and question marks


def leading_dot(tokens: Sequence[Token], at: int) -> str:
    """Return what to do about a dot before a name, behind which no value stands."""
    after = tokens[at + 1] if at + 1 < len(tokens) else tokens[at]
    if after.kind == "name" and after.text in ROOTS:
        return f"leave out the `.` before `{after.text}`"
    if at == 0 or after.kind == "name":
        return "a field stands behind the name of what holds it, as in `event.name`"
    return ""


def is_choice(tokens: Sequence[Token], at: int) -> bool:
    """Return whether a `?` stands between a condition and two values, of which the second may be missing."""
    if at and tokens[at - 1].text == "[":
        return False
    for each in on_level(tokens, at):
        if each.text in {",", *OPENING}:
            break
        if each.text == ":":
            return True
    after = tokens[at + 1]
    return after.kind not in {"operator", "end"} and after.text not in BETWEEN


def behind(tokens: Sequence[Token], at: int) -> str:
    """Return what to do about a `?` behind a value: that may be null, or the condition ends there."""
    before = [each.text for each in tokens[max(0, at - 2) : at]]
    if before[-1:] == ["["]:  # a path of JSON asks so which items fit
        return "of a list `[one for one in LIST if …]` takes what fits"
    if before[:-1] in (["is"], ["not"]):
        word = before[-1]
        texts = "" if word in TESTS or word[:1].isupper() else f'; a text is compared by `== "{word}"`'
        return f"leave it out: `is` asks by itself{texts}"
    if before[:-1] == ["."] and before[-1] in ASKED:
        return f"ask `{ASKED[before[-1]]}`"
    if before[-1:] == [")"] or before == ["[", "]"] or (at and tokens[at - 1].kind in {"string", *NUMBERS}):
        return "leave it out: a condition asks by itself"
    null = "for what may be null write `| default(…)`, or ask `is not none` first"
    return f"leave it out: a condition asks by itself; {null}" if tokens[at + 1].kind == "end" else null


# --- brackets


def missing_end(tokens: Sequence[Token], at: int, opened: Token, closing: str) -> str:
    """Return where a bracket is to be closed before a token that cannot stand in it; empty if that is not clear.

    Args:
        at: Of a `for`, or of a bracket of another kind that is closed.
    """
    token = tokens[at]
    if token.text == "for":
        end = on_level(tokens, at)[-1:]
        # what closes first behind the loop are the brackets in which the loop stands
        right = bool(end) and end[0].text in OPENING and end[0].text != closing
        return f"add `{closing}` before it" if right and end[0].text == "]" else ""
    if token.kind != "operator" or token.text not in OPENING:
        return ""
    outer, _ = level(tokens, next(index for index, each in enumerate(tokens) if each is opened))
    if outer >= 0 and tokens[outer].text == OPENING[token.text]:
        return f"add `{closing}` before it"
    closed = on_level(tokens, at)[-1:]
    if closed and closed[0].text == closing:  # which is what closes the other bracket
        return f"leave it out, or write the `{OPENING[token.text]}` that it closes before"
    return f"write `{closing}` in its place, or leave it out"


def as_record(name: str, tokens: Sequence[Token], at: int) -> str:
    """Return the record that is made elsewhere by `dict(a=1)`; empty for what is called otherwise.

    Args:
        at: Of the opening bracket.
    """
    inside = on_level(tokens, at) if name in {"dict", "object"} else []
    if not inside or inside[-1].text != ")":
        return ""
    if len(inside) == 1:
        return "{}"
    ends = {id(each) for each in inside if each.text == "," or each is inside[-1]}
    entries, entry = list[str](), list[Token]()
    for token in tokens[at + 1 :]:
        if id(token) not in ends:
            entry.append(token)
            continue
        if len(entry) < LEAST_OF_ENTRY or entry[0].kind != "name" or entry[1].text != "=":
            return ""
        entries.append(f'"{entry[0].text}": {written(entry[2:])}')
        entry = []
        if token is inside[-1]:
            break
    made = "{" + ", ".join(entries) + "}"
    return made if len(made) <= LONGEST else '{"NAME": VALUE, …}'


def written(tokens: Sequence[Token]) -> str:
    """Return tokens as a text, with a blank where there are some between them."""
    text, last = "", tokens[0].start
    for each in tokens:
        text += " " * (each.start > last) + each.text
        last = each.end
    return text


def missing_operator(node: Node, tokens: Sequence[Token], at: int) -> Literal["", "perhaps", "surely"]:
    """Return whether an operator is missing before a bracket, so that what stands before it is not called.

    Args:
        at: Of the bracket.
    """
    if isinstance(node, Name):
        return "surely" if is_item(node.name, tokens) else ""
    apart = tokens[at].start > node.end and tokens[at + 1].text != ")"
    return "perhaps" if apart else ""


def is_item(name: str, tokens: Sequence[Token]) -> bool:
    """Return whether a loop of the expression calls its item so, which therefore is a value."""
    for at, token in enumerate(tokens):
        if token.text == name and at and tokens[at - 1].text in {"for", ","}:
            first = at - 1 if tokens[at - 1].text == "for" else at - 3
            if first >= 0 and tokens[first].text == "for":
                return True
    return False
