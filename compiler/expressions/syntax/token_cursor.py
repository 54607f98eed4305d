"""The tokens of one expression with the current position; reports what is wrong with the next one."""

from __future__ import annotations

from typing import Final, NoReturn

from wfc.compiler.diagnostics import Finding, Place
from wfc.compiler.expressions.syntax import other_languages, slips
from wfc.compiler.expressions.syntax.lexer import Token, UnreadableError
from wfc.compiler.expressions.syntax.tree import FilterCall, Node
from wfc.compiler.rules import expressions as problems

__all__ = ["TokenCursor"]

OTHER_OPERATORS: Final = {
    "&&": "and",
    "||": "or",
    "!": "not",
    "&": "and",
    "?": "a if condition else b",
    "=": "==",
    "===": "==",
    "!==": "!=",
    "<>": "!=",
}
"""What operators of other languages are here."""
MAX_OPERATORS: Final = 150  # in one expression; the tree is as deep at most
MAX_BRACKETS: Final = 30


class TokenCursor:
    """A cursor over the tokens of one expression, which stops at the first mistake with
    :class:`UnreadableError`.
    """

    def __init__(self, tokens: list[Token], place: Place, start: int = 0) -> None:
        self.tokens = tokens
        self.place = place
        self.start = start
        self.next = 0
        self.operators = 0
        self.brackets = 0

    @property
    def token(self) -> Token:
        return self.tokens[self.next]

    def ended(self) -> bool:
        return self.tokens[self.next].kind == "end"

    def take(self) -> Token:
        token = self.tokens[self.next]
        if token.kind != "end":
            self.next += 1
        return token

    def at(self, *texts: str) -> bool:
        """Return whether the next token is one of these operators or words."""
        return self.tokens[self.next].word in texts

    def tokens_until(self, last: str, wanted: str) -> bool:
        """Return whether a token comes before another one, on the same level of brackets."""
        depth = 0
        for token in self.tokens[self.next :]:
            if depth == 0 and token.text in {last, wanted}:
                return token.text == wanted
            depth += (token.text in {"(", "[", "{"}) - (token.text in {")", "]", "}"})
        return False

    def accept(self, text: str) -> Token | None:
        return self.take() if self.tokens[self.next].word == text else None

    def expect(self, text: str, opened: Token, *, several: bool) -> Token:
        if not self.at(text):
            if self.token.kind == "end":
                in_text = any(each.kind == "string" and each.text[:-1].endswith(text) for each in self.tokens)
                end = self.behind()
                self.fail_with(
                    problems.unclosed_bracket(self.span(opened), opened.text, text, end, in_text=in_text)
                )
            wanted = f"`{text}` or `,`" if several else f"`{text}`"
            if hint := slips.missing_end(self.tokens, self.next, opened, text):
                self.fail_with(
                    problems.unexpected_token(self.span(self.token), self.token.text, wanted, hint)
                )
            self.unexpected(wanted)
        return self.take()

    def at_loop(self, opened: Token, closing: str) -> bool:
        """Return whether a loop stands in brackets that make no list, unless these are to be closed before it."""
        return self.at("for") and not slips.missing_end(self.tokens, self.next, opened, closing)

    def span(self, token: Token) -> Place:
        return self.place.stretch(token.start, token.end)

    def behind(self) -> int:
        """Return the end of the last token read."""
        return self.tokens[self.next - 1].end if self.next else self.start

    # --- mistakes

    def fail_with(self, finding: Finding) -> NoReturn:
        raise UnreadableError(finding)

    def unexpected(self, wanted: str, after: Node | None = None) -> NoReturn:
        token = self.token
        if token.kind == "end":
            before = self.tokens[self.next - 1] if self.next else None
            at = self.span(before) if before else self.place.stretch(self.start, token.end)
            self.fail_with(problems.unfinished_expression(at, wanted, before.text if before else ""))
        if foreign := other_languages.foreign_sign(self.tokens, self.next):
            first, text, meant = foreign
            place = self.place.stretch(first.start, token.end)
            whole = not text.startswith("&")  # of `&lt;` more follows than was read
            self.fail_with(problems.foreign_operator(place, text, meant, spaced=whole))
        if token.text in OTHER_OPERATORS and token.kind == "operator":
            spaced = self.behind() < token.start and token.end < self.tokens[self.next + 1].start
            meant = OTHER_OPERATORS[token.text]
            if token.text == "!" and self.follows_value() and self.tokens[self.next + 1].text != "in":
                hint = "leave out the `!`: `not` stands before what it denies"
                self.fail_with(problems.unexpected_token(self.span(token), token.text, wanted, hint))
            if token.text == "||" and self.tokens[self.next + 1].kind in {"string", "integer", "number"}:
                meant = "| default(…)"  # for no value of a condition stands there
            if token.text == "||" and self.is_call(self.next + 1):
                meant = "|"  # nothing is called but a filter
            if token.text == "?" and not slips.is_choice(self.tokens, self.next):
                hint = slips.behind(self.tokens, self.next)
                self.fail_with(problems.unexpected_token(self.span(token), token.text, wanted, hint))
            if token.text == "=" and self.next == 0:  # as formulas of tables begin
                self.fail_with(problems.unexpected_token(self.span(token), "=", wanted, "leave it out"))
            spaced = meant in {"==", "!="} or (spaced and " " not in meant)
            self.fail_with(problems.foreign_operator(self.span(token), token.text, meant, spaced=spaced))
        hint = other_languages.quoted_braces(self.tokens) or other_languages.advice(
            self.tokens, self.next, filtered=isinstance(after, FilterCall)
        )
        self.fail_with(problems.unexpected_token(self.span(token), token.text, wanted, hint))

    def is_call(self, at: int) -> bool:
        """Return whether a name with a bracket behind it stands at a place."""
        return self.tokens[at].kind == "name" and self.tokens[at + 1].text == "("

    def follows_value(self) -> bool:
        """Return whether a value stands before the next token."""
        before = self.tokens[self.next - 1] if self.next else None
        if before is None or before.text in slips.BETWEEN:
            return False
        return before.kind != "operator" or before.text in {")", "]", "}"}

    def count(self, token: Token) -> None:
        self.operators += 1
        if self.operators > MAX_OPERATORS:
            self.fail_with(problems.expression_too_long(self.place.stretch(self.start, token.end)))

    def open(self) -> Token:
        self.brackets += 1
        if self.brackets > MAX_BRACKETS:
            self.fail_with(problems.expression_too_long(self.place.stretch(self.start, self.token.end)))
        return self.take()

    def close(self, text: str, opened: Token, *, several: bool = True) -> Token:
        """Take the bracket that closes another one.

        Args:
            several: Whether a comma and more may stand there instead.
        """
        self.brackets -= 1
        return self.expect(text, opened, several=several)
