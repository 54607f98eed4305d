"""Tokens of an expression → its tree, by Jinja's grammar."""

from __future__ import annotations

from typing import Final, NoReturn, cast

from wfc.compiler.expressions.syntax import other_languages, slips
from wfc.compiler.expressions.syntax.lexer import Token
from wfc.compiler.expressions.syntax.token_cursor import TokenCursor
from wfc.compiler.expressions.syntax.tree import (
    ArithmeticOperator,
    Attribute,
    Binary,
    Choice,
    Compare,
    ComparisonOperator,
    Comprehension,
    Concat,
    Constant,
    Fields,
    FilterCall,
    ListDisplay,
    Logic,
    LoopName,
    Name,
    Node,
    Not,
    RecordDisplay,
    Slice,
    Subscript,
    Test,
    Unary,
)
from wfc.compiler.python.literals import is_name
from wfc.compiler.rules import comprehensions as comprehension_problems
from wfc.compiler.rules import expressions as problems

__all__ = ["CONSTANTS", "RESERVED", "Parser"]

CONSTANTS: Final = {
    "true": True,
    "True": True,
    "false": False,
    "False": False,
    "none": None,
    "None": None,
    "null": None,
}
RESERVED: Final = frozenset({"and", "or", "not", "in", "is", "if", "else", *CONSTANTS})
OR, AND, NOT, COMPARISON, SUM, CONCATENATION, PRODUCT = range(1, 8)
RANKS: Final = {
    "or": OR,
    "and": AND,
    **dict.fromkeys(("==", "!=", "<", "<=", ">", ">=", "in", "not"), COMPARISON),
    **dict.fromkeys(("+", "-"), SUM),
    "~": CONCATENATION,
    **dict.fromkeys(("*", "/", "//", "%"), PRODUCT),
}
"""How tightly operators bind; ``not`` is the one of ``not in``."""
POSTFIX: Final = frozenset({".", "[", "("})
FILTERING: Final = frozenset({"|", "is"})


class Parser(TokenCursor):
    """A parser of one expression, which stops at its first mistake with :class:`UnreadableError`."""

    def whole(self) -> Node:
        """Parse one expression and nothing after it."""
        if self.ended():
            self.fail_with(problems.empty_expression(self.place.stretch(self.start, self.token.end)))
        node = self.expression()
        if not self.ended():
            self.after(node)
        return node

    def after(self, node: Node) -> NoReturn:
        """Report what is wrong with a token that cannot follow an expression."""
        token = self.token
        if token.text == "for":
            self.fail_with(comprehension_problems.loop_without_brackets(self.span(token)))
        if token.text == "**":
            self.fail_with(problems.no_power(self.span(token)))
        if token.text == "(" and isinstance(node, (Attribute, Name)):
            self.no_call(node)
        if isinstance(node, Name) and node.name == "NOT":
            self.fail_with(
                problems.foreign_operator(
                    self.place.stretch(node.start, node.end), node.name, "not", spaced=True
                )
            )
        self.unexpected("an operator or the end", node)

    def no_call(self, node: Attribute | Name) -> NoReturn:
        place = self.place.stretch(node.name_start, node.name_end)
        better = other_languages.as_filter(node, self.tokens, self.next)
        missing = slips.missing_operator(node, self.tokens, self.next)
        self.fail_with(problems.method_call(place, node.name, better, missing))

    def expression(self) -> Node:
        node = self.either()
        while self.at("if"):
            word = self.take()
            self.count(word)
            test = self.either()
            if not self.at("else"):
                if self.token.kind != "end" and not self.at(")", "]", "}", ","):
                    self.after(test)
                self.fail_with(
                    problems.if_without_else(
                        self.span(word), needless=isinstance(node, Constant) and node.value is True
                    )
                )
            self.take()
            otherwise = self.expression()
            node = Choice(node.start, otherwise.end, test, node, otherwise)
        return node

    def either(self) -> Node:
        return self.ranked(OR)

    def ranked(self, loosest: int) -> Node:
        """Parse an expression whose operators have the precedence ``loosest``, or a higher one.

        One call reads operators of every rank: a call for each rank would be made for every name in a spec.
        """
        tokens = self.tokens
        if loosest <= NOT and tokens[self.next].word == "not":
            word = self.take()
            self.count(word)
            operand = self.ranked(NOT)
            node: Node = Not(word.start, operand.end, operand)
        else:
            node = self.signed()
        compared = False
        while (rank := RANKS.get(tokens[self.next].word, 0)) >= loosest:
            if rank == COMPARISON:
                token = self.token
                operator = self.comparison_operator()
                if operator is None:
                    return node
                if compared:
                    self.fail_with(problems.chained_comparison(self.span(token), token.text))
                right = self.ranked(SUM)
                node, compared = Compare(node.start, right.end, operator, node, right), True
            elif rank in (SUM, PRODUCT):
                node = self.binary(node, self.take(), self.ranked(rank + 1))
            else:
                node = self.chain(node, rank)
        if tokens[self.next].word == "**":
            self.fail_with(problems.no_power(self.span(self.token)))
        return node

    def chain(self, first: Node, rank: int) -> Node:
        """Parse operators that take any number of operands: ``or``, ``and``, ``~``."""
        word = self.token.word
        parts = [first]
        while self.tokens[self.next].word == word:
            self.count(self.take())
            parts.append(self.ranked(rank + 1))
        start, end = first.start, parts[-1].end
        if rank == CONCATENATION:
            return Concat(start, end, tuple(parts))
        return Logic(start, end, "or" if rank == OR else "and", tuple(parts))

    def comparison_operator(self) -> ComparisonOperator | None:
        token = self.tokens[self.next]
        if token.text == "not":
            if self.tokens[self.next + 1].text != "in":
                return None
            self.count(self.take())
            self.take()
            return "not in"
        self.count(self.take())
        return cast("ComparisonOperator", token.text)

    def binary(self, left: Node, operator: Token, right: Node) -> Binary:
        self.count(operator)
        return Binary(left.start, right.end, cast("ArithmeticOperator", operator.text), left, right)

    def signed(self, *, filtered: bool = True) -> Node:
        token = self.tokens[self.next]
        if token.word in {"-", "+"}:
            self.count(self.take())
            operand = self.signed(filtered=False)
            node: Node = Unary(token.start, operand.end, "-" if token.text == "-" else "+", operand)
        else:
            node = self.primary(token)
            if self.tokens[self.next].word in POSTFIX:
                node = self.postfix(node)
        return self.filters(node) if filtered and self.tokens[self.next].word in FILTERING else node

    def postfix(self, node: Node) -> Node:
        while (word := self.tokens[self.next].word) in POSTFIX:
            if word == ".":
                self.count(self.take())
                name = self.token
                if name.kind != "name":
                    self.unexpected("a field's name")
                self.next += 1
                node = Attribute(node.start, name.end, node, name.text, name.start, name.end)
            elif word == "[":
                node = self.subscript(node)
            elif isinstance(node, (Attribute, Name)):
                self.no_call(node)
            else:
                break
        return node

    def subscript(self, node: Node) -> Node:
        opened = self.open()
        first = None if self.at(":") else self.expression()
        if self.accept(":"):
            last = None if self.at("]", ":") else self.expression()
            if self.at(":"):
                hint = slips.step_of_part(self.tokens, self.next)
                self.fail_with(problems.no_slice_step(self.span(self.token), hint))
            return Slice(node.start, self.close("]", opened, several=False).end, node, first, last)
        end = self.close("]", opened, several=False).end
        assert first is not None
        return Subscript(node.start, end, node, first)

    def filters(self, node: Node) -> Node:
        while (word := self.tokens[self.next].word) in FILTERING:
            self.count(self.take())
            node = self.filter(node) if word == "|" else self.test(node)
        return node

    def filter(self, node: Node) -> Node:
        name = self.token
        if name.kind != "name":
            self.unexpected("a filter's name")
        self.take()
        arguments: list[tuple[str | None, Node]] = []
        end = name.end
        if self.at("("):
            opened = self.open()
            while not self.at(")"):
                arguments.append(self.argument())
                if not self.accept(","):
                    break
            end = self.close(")", opened).end
        return FilterCall(node.start, end, node, name.text, name.start, name.end, tuple(arguments))

    def argument(self) -> tuple[str | None, Node]:
        if self.token.kind == "name" and self.tokens[self.next + 1].text == "=":
            name = self.take().text
            self.take()
            return name, self.expression()
        return None, self.expression()

    def test(self, node: Node) -> Node:
        negated = self.accept("not") is not None
        name = self.token
        if name.kind != "name" or (name.text in RESERVED and name.text not in CONSTANTS):
            self.unexpected("`none` or the name of an event or a type")
        self.take()
        word = "none" if name.text in {"None", "null"} else name.text
        return Test(node.start, name.end, node, word, negated, name.start, name.end)

    def primary(self, token: Token) -> Node:
        if token.kind == "name":
            if token.text not in RESERVED:
                self.next += 1
                return Name(token.start, token.end, token.text, token.start, token.end)
            if token.text in CONSTANTS:
                self.next += 1
                return Constant(token.start, token.end, CONSTANTS[token.text])
        elif token.kind == "path":
            return self.path(token)
        elif token.kind in {"string", "integer", "number"}:
            self.next += 1
            if token.kind == "string" and self.token.kind == "string":
                self.unexpected("an operator such as `~`")
            return Constant(token.start, token.end, token.value)
        if self.at("("):
            opened = self.open()
            node = self.expression()
            if self.at(","):
                comma = slips.decimal_comma(self.tokens, self.next)
                self.fail_with(problems.no_tuple(self.span(self.token), comma))
            if self.at_loop(opened, ")"):
                self.fail_with(comprehension_problems.loop_without_brackets(self.span(self.token)))
            end = self.close(")", opened, several=False).end
            node.start, node.end = token.start, end
            return node
        if self.at("["):
            return self.list_display()
        if self.at("{"):
            return self.record_display()
        return self.unexpected("a value")

    def path(self, token: Token) -> Fields:
        path = tuple(token.text.split("."))
        self.operators += len(path) - 2
        self.count(token)
        if path[0] in RESERVED:
            self.unexpected("a value")
        self.next += 1
        return Fields(token.start, token.end, path, token.start)

    def list_display(self) -> Node:
        opened = self.open()
        items: list[Node] = []
        while not self.at("]"):
            items.append(self.expression())
            if self.at("for") and len(items) == 1:
                return self.comprehension(opened, items[0])
            if not self.accept(","):
                break
        return ListDisplay(opened.start, self.close("]", opened).end, tuple(items))

    def comprehension(self, opened: Token, value: Node) -> Comprehension:
        self.count(self.take())
        names = self.loop_names()
        items, test = self.either(), None
        if self.at("if"):
            self.count(self.take())
            test = self.either()
        if self.at("for"):
            self.fail_with(comprehension_problems.loop_in_loop(self.span(self.token)))
        if self.at("else"):
            self.fail_with(comprehension_problems.condition_with_else(self.span(self.token)))
        return Comprehension(
            opened.start, self.close("]", opened, several=False).end, value, names, items, test
        )

    def loop_names(self) -> tuple[LoopName, ...]:
        """Parse the names of a loop and the ``in`` after them."""
        names = [self.loop_name()]
        if self.accept(","):
            names.append(self.loop_name())
        if not self.accept("in"):
            self.unexpected_in_loop("`in`")
        return tuple(names)

    def loop_name(self) -> LoopName:
        token = self.token
        if token.kind != "name" or token.text in RESERVED or not is_name(token.text):
            self.unexpected_in_loop("a name for the item")
        self.take()
        return LoopName(token.text, token.start, token.end)

    def unexpected_in_loop(self, wanted: str) -> NoReturn:
        """Report what cannot stand between a `for` and its list, where no operator is ever missing."""
        if self.token.kind == "end":
            self.unexpected(wanted)
        hint = other_languages.advice_in_loop(self.tokens, self.next)
        self.fail_with(problems.unexpected_token(self.span(self.token), self.token.text, wanted, hint))

    def computed_key(self, token: Token, wanted: str) -> NoReturn:
        """Report a key of a record that is to be worked out, or a value in braces, which make a record."""
        hint = "leave out the braces around it, which make a record"
        if self.tokens_until("}", ":"):
            hint = "a key is written out; a map whose keys come from data is made by `group` or `count_by`"
        self.fail_with(problems.unexpected_token(self.span(token), token.text, wanted, hint))

    def no_colon(self, key: Token) -> NoReturn:
        """Report what stands behind a key of a record instead of its colon, where no operator is ever missing."""
        token = self.token
        if token.text in {".", "["}:
            self.computed_key(token, "`:`")
        if token.kind == "end" or token.text in {",", "}"}:
            self.unexpected("`:`")
        hint = f"a colon stands between a key and its value: `{key.text}: …`"
        if (
            not key.value and token.kind == "name" and key.end == token.start
        ):  # `""name` has its quotes beside it
            hint = f"the quotes of a key stand around it: `{key.text[0]}{token.text}{key.text[-1]}: …`"
        self.fail_with(problems.unexpected_token(self.span(token), token.text, "`:`", hint))

    def record_display(self) -> Node:
        opened = self.open()
        entries: list[tuple[Constant, Node]] = []
        while not self.at("}"):
            key = self.token
            if key.text in {"{", "%"} and key.start == opened.end:
                written = self.place.stretch(opened.start, key.end)
                self.fail_with(problems.stray_character(written, "{" + key.text))
            if key.kind == "operator" and key.text in "([":
                self.computed_key(key, "a field's name")
            if key.kind not in ("string", "name"):
                self.unexpected("a field's name")
            self.take()
            if not self.accept(":"):
                self.no_colon(key)
            # a key is never looked up, so its quotes may be left out
            name = key.value if key.kind == "string" else key.text
            entries.append((Constant(key.start, key.end, name), self.expression()))
            if self.at_loop(opened, "}"):
                self.fail_with(
                    comprehension_problems.map_by_loop(self.place.stretch(opened.start, self.token.end))
                )
            if not self.accept(","):
                break
        return RecordDisplay(opened.start, self.close("}", opened).end, tuple(entries))
