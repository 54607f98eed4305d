"""Text with expressions in it → its parts.

A line that holds nothing but statements leaves no trace; a statement beside other text takes nothing from it, so that
a line that ends in ``{% endif %}`` keeps its break. ``{%-`` and ``-%}`` take away all blanks and line breaks on their
side.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from wfc.compiler.diagnostics import Place, Report
from wfc.compiler.expressions.syntax.lexer import Token, UnreadableError, tokenize
from wfc.compiler.expressions.syntax.parser import Parser
from wfc.compiler.expressions.syntax.reading import read_expression
from wfc.compiler.expressions.syntax.template_tree import (
    Condition,
    ForLoop,
    Hole,
    Part,
    Text,
    TextArgument,
    UsedText,
)
from wfc.compiler.expressions.syntax.tree import BrokenExpression, LoopName, Node
from wfc.compiler.rules import expressions as problems
from wfc.compiler.rules import templates as template_problems
from wfc.compiler.slotted import dataclass, field

__all__ = ["TemplateParser"]

NAMES: Final = "(?:events?|inputs|result|state|config|error|run)"
# each way begins with one of three signs, for which a long text is searched much sooner than for a choice
MARK: Final = re.compile(
    r"\$\{\{|\{\{|\{%|\{#"
    rf"|\{{ ?({NAMES}\.\w+) ?\}}|\$\{{ ?({NAMES}\.\w+) ?\}}|\$({NAMES}\.\w+)|<%=? *({NAMES}\.\w+) *%>"
)
"""Where something begins that may be no text; the last four are how others write an expression."""
STATEMENT_IN_BRACES = r"[-~]?\s*[#/]?(?:each|else|end|endfor|endif|for|foreach|if|range|unless|with)\b"
"""How a statement goes on behind two braces in other systems."""
BEHIND_NAMES: Final = frozenset({"in", "of", "=", ":", "->"})
"""What stands between the names of a loop and its list, here and elsewhere."""
MAX_NESTING: Final = 15
MAX_EXPRESSIONS: Final = 2_000  # in one text, statements included
STATEMENTS: Final = ("for", "if", "elif", "else", "endfor", "endif", "use")


@dataclass(slots=True)
class OpenStatement:
    """An open statement, with the parts collected for it."""

    word: Token
    head: tuple[tuple[LoopName, ...], Node] | None  # of a loop
    test: Node | None = None  # of the branch that is being read
    branches: list[tuple[Node | None, tuple[Part, ...]]] = field(default_factory=list)
    parts: list[Part] = field(default_factory=list)
    otherwise: bool = False

    def close_branch(self) -> None:
        self.branches.append((self.test, tuple(self.parts)))
        self.parts = []

    def closed(self) -> Part:
        if self.head is not None:
            return ForLoop(*self.head, tuple(self.parts))
        self.close_branch()
        return Condition(tuple(self.branches))


def names_in_head(tokens: Sequence[Token]) -> tuple[LoopName, ...]:
    """Return the names that a loop gives to its items, as far as they can be told in a head that is wrong, so that
    nothing is said of them in what it repeats.
    """
    words = [str(each.value) if each.kind == "string" else each.text for each in tokens]
    if "as" in words:  # `foreach LIST as NAME`
        named = range(words.index("as") + 1, len(words))
    else:
        named = range(next((at for at, each in enumerate(words) if each in BEHIND_NAMES), len(words)))
    found = [
        LoopName(words[at], tokens[at].start, tokens[at].end)
        for at in named
        if words[at].isidentifier() and not re.fullmatch(f"{NAMES}|const|let|var", words[at])
    ]
    first = tokens[0].start if tokens else 0
    return tuple(found[:2]) or (LoopName("item", first, first),)


END: Final = re.compile(r"\{%-?\s*end")
"""The end of a statement, or what has lost a part of it."""


def only_statements(line: str) -> bool:
    """Return whether nothing but statements and blanks stands in a line."""
    position = 0
    while (opening := line.find("{%", position)) >= 0:
        closing = line.find("%}", opening)
        if closing < 0 or line[position:opening].strip():
            return False
        position = closing + 2
    return not line[position:].strip()


class TemplateParser:
    """A parser of a text with expressions in it. A mistake in one expression does not hide those in others."""

    def __init__(self, text: str, place: Place, report: Report, *, statements: bool) -> None:
        self.text = text
        self.place = place
        self.report = report
        self.statements = statements
        self.stack: list[OpenStatement] = []
        self.top: list[Part] = []
        self.parts = self.top  # those of the innermost statement that is open
        self.trim_next = ""  # what the last statement's end takes from the text after it: "", "line" or "all"
        self.failed = False  # so that the text has no type
        self.complained = False  # about what has just been read
        self.lost = 0  # behind the last end of a statement that was not read
        self.closed = 0  # the next `#}`; below zero if there is none
        self.line = (0, 0, False)  # looked at last: where it starts and ends, whether it is all statements

    def whole(self) -> tuple[Part, ...]:
        """Return all parts of the text."""
        position = 0
        begun = 0  # of the text that is no expression
        count = 0
        while match := MARK.search(self.text, position):
            mark, at = match.group(), match.start()
            count += 1
            self.complained = False
            if count > MAX_EXPRESSIONS:
                self.wrong(
                    UnreadableError(problems.expression_too_long(self.place.stretch(at, at + len(mark))))
                )
                self.stack.clear()
                break
            if mark == "${{":
                self.add_text(begun, at)
                position = begun = self.hole(at + 3)
            elif mark == "{%" and self.statements:
                minus = self.text.startswith("-", at + 2)
                if at > begun and self.text[at - 1] == "$":
                    self.report(template_problems.dollar_before_statement(self.place.stretch(at - 1, at)))
                self.add_text(begun, at, "all" if minus else "line" if self.is_alone(at) else "")
                position = begun = self.statement(at, at + 2 + minus)
            else:
                self.warn(mark, at, next((each for each in match.groups() if each), ""))
                position = match.end()
            if self.complained and END.search(self.text, at, position):
                self.lost = position
        self.add_text(begun, len(self.text))
        if self.stack:
            word = self.stack[-1].word
        # of an end that was not read something is said already
        if self.stack and self.lost <= word.end:
            rest = re.sub(rf"\{{%-? *end{word.text} *-?%\}}", "", self.text[word.end :])
            torn = f"end{word.text}" in rest  # as in `{ endif %}`, which is text
            self.wrong(
                UnreadableError(template_problems.statement_not_ended(self.span(word), word.text, torn=torn))
            )
        self.stack.clear()
        return tuple(self.top)

    def span(self, token: Token) -> Place:
        return self.place.stretch(token.start, token.end)

    def wrong(self, mistake: UnreadableError) -> None:
        self.failed = self.complained = True
        self.report(mistake.finding)

    def warn(self, mark: str, at: int, words: str) -> None:
        before = self.text[at - 1 : at]
        if (mark == "{{" and before == "=" and at == 1) or (
            words
            and mark[0] == "{"
            and before in {"#", "%", "@"}
            and not self.text[at - 2 : at - 1].isalnum()
        ):
            at, mark = at - 1, before + mark  # as other systems begin an expression
        from wfc.compiler.expressions.syntax.stray_signs import with_signs  # most texts never need it

        at, end, kept = with_signs(self.text, at, mark, is_path=bool(words))
        place = self.place.stretch(at, end)
        if words:
            quoted = re.compile(r"(?<!\w)[bfru][\"'](?=[^\"'\n]*\Z)").search(self.text[max(0, at - 60) : at])
            around = f"without the `{quoted[0]}` before the text and the quote behind it" if quoted else ""
            hint = f"write `${{{{ {words} }}}}`, {around}" if quoted else ""
            self.report(template_problems.expression_as_text(place, mark, words, hint, kept))
        elif mark.endswith("{{"):
            statement = re.compile(STATEMENT_IN_BRACES).match(self.text, end) is not None
            self.report(template_problems.braces_without_dollar(place, mark, kept, statement=statement))
        elif mark == "{%":
            path = re.compile(r"\{%-?\s*(\w+(?:\.\w+)+)\s*-?%\}").match(self.text, at)
            self.report(template_problems.statement_elsewhere(place, path[1] if path else ""))
        else:
            if 0 <= self.closed <= at:
                self.closed = self.text.find("#}", at)
            whole = self.place.stretch(at, self.closed + 2) if self.closed > 0 else None
            self.report(template_problems.comment_braces(place, whole))
            self.lost = max(self.lost, self.closed)  # no statement in it need be ended

    def add_text(self, start: int, end: int, trim_end: str = "") -> None:
        if start == end:
            self.trim_next = ""
            return
        text = self.text[start:end]
        if self.trim_next == "all":
            text = text.lstrip()
        elif self.trim_next == "line":
            text = re.sub(r"\A\r?\n", "", text)
        self.trim_next = ""
        if trim_end == "all":
            text = text.rstrip()
        elif trim_end == "line":
            text = text.rstrip(" \t")
        if text:
            self.parts.append(Text(text))

    def is_alone(self, position: int) -> bool:
        """Return whether nothing but statements and blanks stands in a position's line."""
        start, end, alone = self.line
        if not start <= position < end:
            start = self.text.rfind("\n", 0, position) + 1
            closing = self.text.find("%}", position)
            end = self.text.find("\n", max(closing, position))
            end = len(self.text) if end < 0 else end
            alone = only_statements(self.text[start:end])
            self.line = (start, end, alone)
        return alone

    def hole(self, start: int) -> int:
        try:
            tree, end = read_expression(self.text, self.place, start, until="}}")
            self.parts.append(Hole(tree))
        except UnreadableError as mistake:
            self.wrong(mistake)
            self.parts.append(Hole(BrokenExpression(start, start)))
            end = self.text.find("}}", start)
            if end < 0:
                return len(self.text)
        return end + 2

    # --- statements

    def statement(self, opening: int, start: int) -> int:
        try:
            tokens, end = tokenize(self.text, self.place, start, until="%}")
        except UnreadableError as mistake:
            self.wrong(mistake)
            end = self.text.find("%}", start)
            if end < 0:
                return len(self.text)
            self.open_unreadable(start, end)
            return end + 2
        self.trim_next = "line" if self.is_alone(opening) else ""
        if len(tokens) > 1 and tokens[-2].text == "-":
            del tokens[-2]
            self.trim_next = "all"
        try:
            self.run(tokens, self.place.stretch(opening, end + 2))
        except UnreadableError as mistake:
            self.wrong(mistake)
        return end + 2

    def open_unreadable(self, start: int, end: int) -> None:
        """Open a statement in whose head a sign stands that means nothing, so that its end has a beginning."""
        head = re.compile(r"\s*(for|if)\b(.*)", re.DOTALL).match(self.text, start, end)
        if head is None or len(self.stack) >= MAX_NESTING:
            return
        word = Token("name", head[1], *head.span(1), word=head[1])
        broken = BrokenExpression(end, end)
        if head[1] == "if":
            self.open(OpenStatement(word, None, broken), word)
            return
        each = re.compile(r"[^\W\d]\w*").finditer(self.text, head.start(2), end)
        words = [Token("name", found[0], *found.span()) for found in each]
        self.open(OpenStatement(word, (names_in_head(words), broken)), word)

    def run(self, tokens: list[Token], place: Place) -> None:
        word, *rest = tokens
        parser = Parser(rest, self.place, word.end)
        match word.text:
            case "for" | "foreach":
                if word.text == "foreach":
                    self.complained = True
                    self.report(template_problems.unknown_statement(self.span(word), word.text, STATEMENTS))
                self.open(OpenStatement(word, self.loop_head(parser)), word)
            case "if":
                self.open(OpenStatement(word, None, self.guarded(parser)), word)
            case "elif" | "else":
                self.branch(word, self.guarded(parser) if word.text == "elif" else None)
                self.nothing_after(word, parser)
            case "endfor" | "endif":
                self.close(word)
                self.nothing_after(word, parser)
            case "use":
                self.parts.append(self.used_text(parser))
                self.nothing_after(word, parser)
            case _:
                is_path = len(rest) > 2 and rest[0].text == "."
                value = self.text[word.start : rest[-2].end] if is_path else ""
                at = self.span(word) if word.text else place
                raise UnreadableError(template_problems.unknown_statement(at, word.text, STATEMENTS, value))

    def guarded(self, parser: Parser, *, of_loop: bool = False) -> Node:
        """Parse a condition, or what a loop goes through; a broken one still opens its statement."""
        try:
            return parser.whole()
        except UnreadableError as mistake:
            if of_loop and mistake.finding.code == "if-without-else":
                mistake = UnreadableError(problems.if_without_else(mistake.finding.place, of_loop=True))
            self.wrong(mistake)
            parser.next = len(parser.tokens) - 1
            return BrokenExpression(parser.start, parser.start)

    def nothing_after(self, word: Token, parser: Parser) -> None:
        if parser.token.kind != "end" and word.text != "elif":
            raise UnreadableError(
                problems.unexpected_token(parser.span(parser.token), parser.token.text, "`%}`")
            )

    def loop_head(self, parser: Parser) -> tuple[tuple[LoopName, ...], Node]:
        try:
            return parser.loop_names(), self.guarded(parser, of_loop=True)
        except UnreadableError as mistake:
            self.wrong(mistake)
            return names_in_head(parser.tokens), BrokenExpression(parser.start, parser.start)

    def used_text(self, parser: Parser) -> UsedText:
        name = parser.token
        if name.kind != "name":
            parser.unexpected("the name of a text")
        parser.take()
        arguments: list[TextArgument] = []
        if parser.at("("):
            opened = parser.open()
            while not parser.at(")"):
                arguments.append(self.text_argument(parser))
                if not parser.accept(","):
                    break
            parser.close(")", opened)
        return UsedText(name.text, name.start, name.end, tuple(arguments))

    def text_argument(self, parser: Parser) -> TextArgument:
        name = parser.token
        if name.kind != "name":
            parser.unexpected("`name=value`")
        parser.take()
        if not parser.accept("="):
            parser.unexpected("`=`")
        return TextArgument(name.text, name.start, name.end, parser.expression())

    def open(self, opened: OpenStatement, word: Token) -> None:
        if len(self.stack) >= MAX_NESTING:
            raise UnreadableError(problems.expression_too_long(self.span(word)))
        self.stack.append(opened)
        self.parts = opened.parts

    def branch(self, word: Token, test: Node | None) -> None:
        if not self.stack or self.stack[-1].head is not None or self.stack[-1].otherwise:
            raise self.out_of_place(word)
        opened = self.stack[-1]
        opened.close_branch()
        self.parts = opened.parts
        opened.test = test
        opened.otherwise = test is None

    def out_of_place(self, word: Token) -> UnreadableError:
        """Return the mistake of a statement that does not belong to what was opened last."""
        opened = self.stack[-1].word if self.stack else None
        return UnreadableError(
            template_problems.statement_out_of_place(self.span(word), word.text)
            if opened is None
            else template_problems.statement_out_of_place(
                self.span(word), word.text, "if" if opened.text == "if" else "for", self.span(opened)
            )
        )

    def close(self, word: Token) -> None:
        wanted = "for" if word.text == "endfor" else "if"
        if not self.stack or not self.stack[-1].word.text.startswith(wanted):
            raise self.out_of_place(word)
        part = self.stack.pop().closed()
        self.parts = self.stack[-1].parts if self.stack else self.top
        self.parts.append(part)
