"""Text of an expression, or text with expressions in it → typed trees."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from wfc.compiler.diagnostics import Place, Report
from wfc.compiler.expressions.conditions.exhaustiveness import constant_truth
from wfc.compiler.expressions.conditions.narrowing import Facts
from wfc.compiler.expressions.syntax.lexer import UnreadableError
from wfc.compiler.expressions.syntax.reading import read_expression
from wfc.compiler.expressions.syntax.template_parser import TemplateParser
from wfc.compiler.expressions.syntax.template_tree import (
    Condition,
    Hole,
    Loop,
    Part,
    Text,
    has_statements,
    holes,
)
from wfc.compiler.expressions.syntax.tree import (
    Attribute,
    Broken,
    Constant,
    Fields,
    Name,
    Node,
    Path,
    children,
    path_of,
)
from wfc.compiler.expressions.typing.checker import Typing
from wfc.compiler.expressions.typing.scope import Scope
from wfc.compiler.rules import names as names_problems
from wfc.compiler.rules import operands as operand_problems
from wfc.compiler.rules import templates as template_problems
from wfc.compiler.slotted import dataclass, field
from wfc.compiler.types import (
    BOOLEAN,
    INTEGER,
    STRING,
    UNKNOWN,
    Field,
    ListOf,
    MapOf,
    Optional,
    Record,
    Type,
    common,
    members,
    show,
)

__all__ = ["Expression", "Template", "parse_expression", "parse_template", "reference"]

LOOP = Record("loop", role="namespace")
LOOP.fields.update(
    index=Field("index", INTEGER, description="The item's number, from 1."),
    first=Field("first", BOOLEAN, description="Whether this is the first item."),
    last=Field("last", BOOLEAN, description="Whether this is the last item."),
)


PATHS: Final = frozenset({Name, Fields, Attribute})


@dataclass(frozen=True, slots=True, eq=False)
class Expression:
    """A typed expression.

    Args:
        text: As the author wrote it; for one that the compiler made, as an author would have.
        place: Where it stands.
        type: ``UNKNOWN`` if a finding was made.
        uses: The paths that it mentions: ``("state", "count")``.
        sure: Whether every part of it has a type that is known.
        outcomes: What is known of paths where it holds, and where not; filled when somebody asks.
    """

    text: str
    place: Place
    type: Type
    tree: Node
    uses: frozenset[Path]
    sure: bool = False
    outcomes: dict[bool, Facts | None] = field(default_factory=dict)

    def at(self, place: Place) -> Expression:
        """The same at another place."""
        return Expression(self.text, place, self.type, self.tree, self.uses, self.sure, self.outcomes)


@dataclass(frozen=True, slots=True, eq=False)
class Template:
    """A text with expressions in it.

    Args:
        type: ``STRING``; for a text that is one whole ``${{ }}``, the type of its expression.
        whole: That expression; ``None`` for all other texts.
        statements: Whether it has a ``{% for %}`` or an ``{% if %}``.
        uses: The paths that it mentions, names of loops aside.
    """

    text: str
    place: Place
    parts: tuple[Part, ...]
    type: Type
    uses: frozenset[Path]
    whole: Expression | None = None
    statements: bool = False

    def at(self, place: Place) -> Template:
        """The same at another place."""
        whole = self.whole.at(place) if self.whole is not None else None
        return Template(self.text, place, self.parts, self.type, self.uses, whole, self.statements)

    @property
    def constant(self) -> str | None:
        """The text of a template without expressions."""
        if all(isinstance(part, Text) for part in self.parts):
            return "".join(part.text for part in self.parts if isinstance(part, Text))
        return None

    @property
    def trees(self) -> list[Node]:
        """Every expression in it."""
        return holes(self.parts)


def parse_expression(
    text: str, place: Place, scope: Scope, report: Report, *, condition: bool = False
) -> Expression:
    """The expression that a whole text is.

    Args:
        condition: Whether it must be true or false, and neither always.
    """
    role = "condition" if condition else "expression"
    known = scope.memory.recall(text, role, scope, Expression) if scope.memory is not None else None
    if known is not None:
        return known.at(place)
    typing = Typing(text, place, report)
    try:
        tree, _ = read_expression(text, place)
    except UnreadableError as mistake:
        report(mistake.finding)
        return Expression(text, place, UNKNOWN, Broken(0, len(text)), frozenset())
    if condition:
        typing.condition(tree, scope)
        if not typing.failed and (truth := constant_truth(tree)) is not None:
            why = "it holds in every case" if truth else "it holds in no case"
            typing.wrong(
                (operand_problems.always_true if truth else operand_problems.never_true)(typing.at(tree), why)
            )
    else:
        typing.type_of(tree, scope)
    kind = UNKNOWN if typing.failed else tree.type
    found = Expression(text, place, kind, tree, uses_of([tree]), typing.sure)
    if scope.memory is not None and typing.sure:
        scope.memory.keep(role, found, scope)
    return found


def uses_of(trees: Sequence[Node], without: Sequence[str] = ()) -> frozenset[Path]:
    """The longest paths that are mentioned."""
    found: set[Path] = set()
    waiting = list(trees)
    while waiting:
        node = waiting.pop()
        if node.__class__ in PATHS and (path := path_of(node)) is not None:
            if path[0] not in without:
                found.add(path)
        elif not isinstance(node, Constant):
            waiting += children(node)
    return frozenset(found)


def parse_template(
    text: str, place: Place, scope: Scope, report: Report, *, statements: bool = False
) -> Template:
    """The text with expressions that a text is.

    Args:
        statements: Whether ``{% for %}`` and ``{% if %}`` are statements here, as in prompts; such a text is
            always a text, also where it is one whole ``${{ }}``.
    """
    role = "prompt" if statements else "text"
    known = scope.memory.recall(text, role, scope, Template) if scope.memory is not None else None
    if known is not None:
        return known.at(place)
    parser = TemplateParser(text, place, report, statements=statements)
    parts = parser.whole()
    typing = Typing(text, place, report)
    typing.failed = parser.failed
    found = typed(text, place, parts, typing, scope, statements=statements)
    if scope.memory is not None and typing.sure and not parser.complained and not found.statements:
        scope.memory.keep(role, found, scope)
    return found


def typed(
    text: str, place: Place, parts: tuple[Part, ...], typing: Typing, scope: Scope, *, statements: bool
) -> Template:
    """The parts of a text with their types."""
    if len(parts) == 1 and isinstance(parts[0], Hole) and not statements:
        tree = parts[0].tree
        kind = typing.type_of(tree, scope)
        kind = UNKNOWN if typing.failed else kind
        uses = uses_of([tree])
        whole = Expression(text[tree.start : tree.end], place, kind, tree, uses, typing.sure)
        return Template(text, place, parts, kind, uses, whole)
    uses = Templates(typing).parts(parts, scope)
    return Template(
        text,
        place,
        parts,
        UNKNOWN if typing.failed else STRING,
        uses,
        statements=statements and has_statements(parts),
    )


class Templates:
    """Types the parts of a text; gives what they use."""

    def __init__(self, typing: Typing) -> None:
        self.typing = typing

    def parts(self, parts: tuple[Part, ...], scope: Scope) -> frozenset[Path]:
        uses: frozenset[Path] = frozenset()
        trees: list[Node] = []
        for part in parts:
            if isinstance(part, Hole):
                self.typing.texts(part.tree, scope)
                trees.append(part.tree)
            elif isinstance(part, Condition):
                uses |= self.condition(part, scope)
            elif isinstance(part, Loop):
                uses |= self.loop(part, scope)
        return uses | uses_of(trees)

    def condition(self, part: Condition, scope: Scope) -> frozenset[Path]:
        uses: frozenset[Path] = frozenset()
        for test, body in part.branches:
            inside = scope
            if test is not None:
                self.typing.condition(test, scope)
                sure = self.typing.sure
                uses |= uses_of([test])
                inside, scope = scope.given(test, True, sure=sure), scope.given(test, False, sure=sure)
            uses |= self.parts(body, inside)
        return uses

    def loop(self, part: Loop, scope: Scope) -> frozenset[Path]:
        items = self.typing.present(part.items, scope, use="by `for`")
        for name in part.names:
            if name in scope.names and name != "loop":
                self.typing.wrong(names_problems.name_in_use(self.typing.at(part.items), name))
        for name, kind in zip(part.names, self.item_types(part, items), strict=True):
            scope = scope.with_name(name, kind)
        scope = scope.with_name("loop", LOOP)
        inside = self.parts(part.body, scope)
        own = {*part.names, "loop"}
        return uses_of([part.items]) | frozenset(path for path in inside if path[0] not in own)

    def item_types(self, part: Loop, items: Type) -> tuple[Type, ...]:
        """The types of a loop's names."""
        if isinstance(items, ListOf) and len(part.names) == 1:
            return (items.item,)
        if isinstance(items, MapOf):
            return (STRING, items.value)[: len(part.names)]
        if items is not UNKNOWN:
            at, words = self.typing.at(part.items), self.typing.words(part.items)
            self.typing.wrong(template_problems.not_a_list(at, words, show(items), len(part.names)))
        return (UNKNOWN,) * len(part.names)


def reference(scope: Scope, *path: str) -> Expression:
    """An expression that the compiler makes: a name in scope, or fields of one.

    Raises:
        KeyError: There is no such name or field.
    """
    tree: Node = Name(0, 0, path[0], 0, 0)
    found = scope.look_up(path)
    if found is not None:
        tree = tree if len(path) == 1 else Fields(0, 0, path, 0)
        tree.declared, tree.type = found
    else:
        tree.declared = scope.names[path[0]]
        tree.type = scope.fact(path[:1]) or tree.declared
        for index, name in enumerate(path[1:], 2):
            of = tree.type
            # also of a record written in place, of which nobody else may ask for a field
            declared = of.fields[name].type if isinstance(of, Record) else common(*field_types(of, name))
            tree = Attribute(0, 0, tree, name, 0, 0)
            tree.declared = declared
            tree.type = scope.fact(path[:index]) or declared
    return Expression(".".join(path), NOWHERE, tree.type, tree, frozenset({path}))


NOWHERE: Final = Place(())


def field_types(type: Type, name: str) -> list[Type]:
    """The types of a record's field; of several records, the one each gives it."""
    if not all(isinstance(each, Record) for each in members(type)) or isinstance(type, Optional):
        raise KeyError(name)
    return [each.fields[name].type for each in members(type) if isinstance(each, Record)]
