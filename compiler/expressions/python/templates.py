"""Texts with expressions in them → f-strings; those with statements → the bodies of functions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wfc.compiler.expressions.expression import Template
from wfc.compiler.expressions.python.coercion import into
from wfc.compiler.expressions.python.f_strings import joined_parts, whole_text
from wfc.compiler.expressions.python.in_place import print_in_place
from wfc.compiler.expressions.python.loops import COUNTER, counted_by, fresh_name, has_loop, head_of, words_in
from wfc.compiler.expressions.python.node_printer import Names
from wfc.compiler.expressions.python.pieces import Piece, Rank, infix, is_path
from wfc.compiler.expressions.python.printer import ExpressionPrinter
from wfc.compiler.expressions.syntax.template_tree import (
    Condition,
    ForLoop,
    Hole,
    Part,
    Text,
    UsedText,
    holes,
    mentioned,
)
from wfc.compiler.expressions.syntax.tree import Name, Node, Path
from wfc.compiler.python.literals import Code
from wfc.compiler.types import STRING, base

__all__ = ["print_body", "print_text"]


def print_text(template: Template, printer: ExpressionPrinter) -> Code:
    """Return a text as a Python expression."""
    if template.statements:
        return Code(print_in_place(template.parts, printer).code)
    if template.whole is not None:
        return Code(printer.piece(template.whole.tree).code)
    return Code(joined_parts(printer, plain(template.parts)).code)


def print_body(template: Template, printer: ExpressionPrinter) -> list[Code]:
    """Return a text as the lines of a function's body, from the first to ``return``.

    Lines are indented from 0. A line may hold a literal of several lines, whose inner lines stay at the left.
    """
    if not template.statements:
        return [Code(f"return {print_text(template, printer)}")]
    body = Body(printer.names)
    body.add(template.parts, printer, 0)
    return [Code("parts: list[str] = []"), *body.lines, Code('return "".join(parts)')]


def plain(parts: Sequence[Part]) -> list[str | Node]:
    found: list[str | Node] = []
    for part in parts:
        assert isinstance(part, (Text, Hole))
        found.append(part.text if isinstance(part, Text) else part.tree)
    return found


# --- statements


class Body:
    """Collects the lines of a function's body."""

    def __init__(self, names: Names) -> None:
        self.lines: list[Code] = []
        self.taken = words_in(names)

    def line(self, code: str, depth: int) -> None:
        self.lines.append(Code("    " * depth + code))

    def add(self, parts: Sequence[Part], printer: ExpressionPrinter, depth: int) -> None:
        """Add lines that append the parts to ``parts``."""
        run: list[str | Node] = []
        for part in (*parts, None):
            if isinstance(part, (Text, Hole)):
                run.append(part.text if isinstance(part, Text) else part.tree)
                continue
            if run:
                self.line(
                    f"parts.append({joined_parts(printer, run).code if len(run) > 1 else one(printer, run[0])})",
                    depth,
                )
                run = []
            if isinstance(part, UsedText):
                self.used(part, printer, depth)
            elif isinstance(part, Condition):
                self.condition(part, printer, depth)
            elif isinstance(part, ForLoop):
                self.loop(part, printer, depth)

    def used(self, part: UsedText, printer: ExpressionPrinter, depth: int) -> None:
        """Add the lines of another text, in which what it is given has names of its own."""
        names: dict[Path, Code] = dict(printer.names)
        for name, value, wanted in part.given:
            code = into(printer, value, wanted).code
            if not is_path(code) or code == "None":  # of which nobody can ask for a field
                local = fresh_name(name, self.taken)
                self.line(f"{local} = {code}", depth)
                code = local
            names["args", name] = Code(code)
        if part.parts:
            self.add(part.parts, printer.within_loop(names, printer.counter), depth)

    def nested(self, parts: Sequence[Part], printer: ExpressionPrinter, depth: int) -> None:
        if parts:
            self.add(parts, printer, depth)
        else:
            self.line("pass", depth)

    def condition(self, part: Condition, printer: ExpressionPrinter, depth: int) -> None:
        """An `if`; branches that do the same are one, and an `if` alone in a branch joins that branch's own."""
        branches: list[tuple[Piece | None, list[Code]]] = []
        for position, (test, parts) in enumerate(part.branches):
            code = printer.piece(test) if test is not None else None
            body: Sequence[Part] = parts
            while code is not None and position == len(part.branches) - 1 and (inner := only_if(body)):
                code, body = infix(code, "and", printer.piece(inner[0]), Rank.AND), inner[1]
            lines = self.apart(body, printer, depth + 1)
            before = branches[-1] if branches else None
            if before is not None and before[0] is not None and code is not None and before[1] == lines:
                branches[-1] = (infix(before[0], "or", code, Rank.OR), lines)
            else:
                branches.append((code, lines))
        for position, (code, lines) in enumerate(branches):
            word = "elif" if position else "if"
            self.line("else:" if code is None else f"{word} {code.code}:", depth)
            self.lines += lines

    def apart(self, parts: Sequence[Part], printer: ExpressionPrinter, depth: int) -> list[Code]:
        """Return the lines of a body, separately."""
        before, self.lines = self.lines, []
        self.nested(parts, printer, depth)
        lines, self.lines = self.lines, before
        return lines

    def loop(self, part: ForLoop, printer: ExpressionPrinter, depth: int) -> None:
        items = printer.piece(part.items)
        counter = printer.counter
        if counter is None and nests(part):
            counter = fresh_name("count", self.taken)
            self.line(f"{counter} = {COUNTER}", depth)
        wrap = counted_by(counter) if counter else None
        if wrap is None and is_copied(part):
            self.line(f"parts.extend({copied(part, items)})", depth)
            return
        head = head_of(part.names, items, mentioned(part.body), printer.names, self.taken, wrap)
        if head.bound:
            self.line(f"{head.bound} = {items.code}", depth)
        self.line(f"for {head.target} in {head.over}:", depth)
        self.nested(part.body, printer.within_loop(head.names, counter), depth + 1)


def nests(part: ForLoop) -> bool:
    """Return whether a loop has another one in it."""
    return any(isinstance(each, ForLoop) for each in every(part.body)) or has_loop(tuple(holes(part.body)))


def every(parts: Sequence[Part]) -> Iterator[Part]:
    """Yield all parts of a text, at any depth."""
    for part in parts:
        yield part
        if isinstance(part, ForLoop):
            yield from every(part.body)
        elif isinstance(part, UsedText):
            yield from every(part.parts)
        elif isinstance(part, Condition):
            for _, body in part.branches:
                yield from every(body)


def one(printer: ExpressionPrinter, part: str | Node) -> str:
    if isinstance(part, str):
        return whole_text(printer, part).code
    return printer.rendered(part).code


def only_if(parts: Sequence[Part]) -> tuple[Node, Sequence[Part]] | None:
    """Return the test and the body of an `if` without an `else`, if there is nothing else."""
    if len(parts) == 1 and isinstance(parts[0], Condition) and len(parts[0].branches) == 1:
        test, body = parts[0].branches[0]
        return (test, body) if test is not None else None
    return None


def is_copied(part: ForLoop) -> bool:
    """Return whether a loop does nothing but put each item into the text."""
    if len(part.body) != 1 or not isinstance(part.body[0], Hole):
        return False
    tree = part.body[0].tree
    return isinstance(tree, Name) and tree.name in part.own and base(tree.type) == STRING


def copied(part: ForLoop, items: Piece) -> str:
    """Return what a loop that only copies goes through: of a map, the keys or the values."""
    tree = part.body[0].tree if isinstance(part.body[0], Hole) else None
    if len(part.names) == 2 and isinstance(tree, Name) and tree.name == part.names[1].name:
        return f"{items.within(Rank.ATOM)}.values()"
    return items.looped
