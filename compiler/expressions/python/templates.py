"""Texts with expressions in them → f-strings; those with statements → the bodies of functions."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from wfc.compiler.expressions.expression import Template
from wfc.compiler.expressions.python.f_strings import joined_parts, whole_text
from wfc.compiler.expressions.python.node_printer import Names
from wfc.compiler.expressions.python.pieces import Piece, Rank, atom, infix, is_path
from wfc.compiler.expressions.python.printer import ExpressionPrinter
from wfc.compiler.expressions.syntax.template_tree import Condition, ForLoop, Hole, Part, Text, holes
from wfc.compiler.expressions.syntax.tree import Attribute, Fields, Name, Node, Path, path_of, walk
from wfc.compiler.python.literals import Code, local_name
from wfc.compiler.types import STRING, base

__all__ = ["print_body", "print_text"]


def print_text(template: Template, printer: ExpressionPrinter) -> Code:
    """Return a text without statements as a Python expression.

    Raises:
        ValueError: The text has statements; see :func:`print_body`.
    """
    if template.statements:
        raise ValueError("a text with statements is printed as a function's body")
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
        self.taken = {word for code in names.values() for word in re.findall(r"\w+", code)}

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
            if isinstance(part, Condition):
                self.condition(part, printer, depth)
            elif isinstance(part, ForLoop):
                self.loop(part, printer, depth)

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
        mentioned = {path[0] for node in holes(part.body) for path in mentioned_paths(node)}
        own = [name for name in part.names if name in mentioned] or [part.names[0]]
        locals_ = {name: self.fresh(name) for name in own}
        names: dict[Path, Code] = dict(printer.names) | {(name,): local for name, local in locals_.items()}
        of_loop = {
            path[1] for node in holes(part.body) for path in mentioned_paths(node) if path[0] == "loop"
        }
        source = items.within(Rank.ATOM)
        if "last" in of_loop and not is_path(source):
            source = self.fresh("items")
            self.line(f"{source} = {items.code}", depth)
            items = atom(source)
        over = items.after_in
        if len(part.names) == 2 and own != [part.names[0]]:
            over = f"{source}.{'items' if len(own) == 2 else 'values'}()"
        if is_copied(part, own):
            self.line(f"parts.extend({items.looped if over == items.after_in else over})", depth)
            return
        target = ", ".join(locals_.values())
        if of_loop:
            index = self.fresh("index")
            target = f"{index}, {target}" if len(own) == 1 else f"{index}, ({target})"
            over = f"enumerate({over}, 1)"
            names |= loop_names(index, source)
        self.line(f"for {target} in {over}:", depth)
        self.nested(part.body, ExpressionPrinter(names, printer.filters), depth + 1)

    def fresh(self, name: str) -> Code:
        """Return a local name that nothing else in the function has."""
        local, number = local_name(name), 2
        while local in self.taken:
            local, number = Code(f"{local_name(name)}_{number}"), number + 1
        self.taken.add(local)
        return local


def one(printer: ExpressionPrinter, part: str | Node) -> str:
    if isinstance(part, str):
        return whole_text(printer, part).code
    return printer.rendered(part).code


def mentioned_paths(node: Node) -> list[Path]:
    """The paths of an expression: ``loop.index``, and ``loop`` itself."""
    paths = [path_of(each) for each in walk(node) if isinstance(each, (Attribute, Fields, Name))]
    return [path if path[0] != "loop" or len(path) > 1 else ("",) for path in paths if path is not None]


def only_if(parts: Sequence[Part]) -> tuple[Node, Sequence[Part]] | None:
    """Return the test and the body of an `if` without an `else`, if there is nothing else."""
    if len(parts) == 1 and isinstance(parts[0], Condition) and len(parts[0].branches) == 1:
        test, body = parts[0].branches[0]
        return (test, body) if test is not None else None
    return None


def is_copied(part: ForLoop, own: Sequence[str]) -> bool:
    """Return whether a loop does nothing but put each item into the text."""
    if len(part.body) != 1 or not isinstance(part.body[0], Hole):
        return False
    tree = part.body[0].tree
    return isinstance(tree, Name) and [tree.name] == list(own) and base(tree.type) == STRING


def loop_names(index: str, source: str) -> Mapping[Path, Code]:
    return {
        ("loop", "index"): Code(index),
        ("loop", "first"): Code(f"{index} == 1"),
        ("loop", "last"): Code(f"{index} == len({source})"),
    }
