"""Trees of expressions → their types, and everything that is wrong with them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from wfc.compiler.diagnostics import Finding, Place, Report
from wfc.compiler.expressions.syntax.tree import (
    Attribute,
    Binary,
    BrokenExpression,
    Choice,
    Compare,
    Comprehension,
    Concat,
    Constant,
    Fields,
    FilterCall,
    ListDisplay,
    Logic,
    Name,
    Node,
    Not,
    RecordDisplay,
    Slice,
    Subscript,
    Test,
    Unary,
    known_path,
    path_of,
    taken_apart,
)
from wfc.compiler.expressions.typing import arithmetic, comparisons, fields, hints, loops, type_tests
from wfc.compiler.expressions.typing.filter_calls import CheckedFilter, FilterSignature
from wfc.compiler.expressions.typing.reporter import TypeReporter
from wfc.compiler.expressions.typing.scope import Scope
from wfc.compiler.rules import comprehensions as comprehension_problems
from wfc.compiler.rules import expression_names as name_problems
from wfc.compiler.rules import expressions as problems
from wfc.compiler.rules import operands as operand_problems
from wfc.compiler.rules import templates as template_problems
from wfc.compiler.types import (
    ANY,
    BOOLEAN,
    FILE,
    INTEGER,
    NOTHING,
    NULL,
    NUMBER,
    STRING,
    UNKNOWN,
    Enumeration,
    Field,
    ListOf,
    Optional,
    Record,
    Scalar,
    Type,
    base,
    common,
    may_be_null,
    members,
    show,
    show_given,
    without_null,
)

__all__ = ["TypeChecker"]


class TypeChecker(TypeReporter):
    """A type checker of expressions; it reports what does not fit, once each.

    Args:
        text: The whole text that the nodes' stretches are of.
        place: Where that text stands.
        filters: Every filter by its name.
    """

    def __init__(
        self, text: str, place: Place, report: Report, filters: Mapping[str, FilterSignature]
    ) -> None:
        super().__init__(text, place, report)
        self.filters = filters
        self.asked: Node | None = None  # the condition that is looked at
        self.may_lack_owners = False  # in a path of which any part may be null

    def type_of(self, node: Node, scope: Scope) -> Type:
        """The type of an expression in a scope; every node in it gets its own."""
        node.type = kind = RULES[node.__class__](self, node, scope)
        if not scope.reached:
            node.reached = False
        elif kind is UNKNOWN:
            self.unknown = True
        return kind

    def require_present(self, node: Node, scope: Scope, *, use: str = "") -> Type:
        """The type of an expression that is used where null means nothing."""
        return self.not_null(node, self.type_of(node, scope), use)

    def condition(self, node: Node, scope: Scope) -> None:
        """Check a condition, which is true or false and nothing else."""
        self.asked = node
        self.require_boolean(node, self.type_of(node, scope))

    def require_boolean(self, node: Node, kind: Type, hint: str = "") -> None:
        """Report a condition that is not boolean; ``hint`` says what to write instead, if that is not clear
        from its type.
        """
        if kind is UNKNOWN and not self.failed:
            kind = declared(node)
        if kind is UNKNOWN:
            return
        if base(kind) is BOOLEAN:
            if isinstance(kind, Enumeration) and len(kind.values) == 1 and path_of(node) is not None:
                holds = bool(kind.values[0])
                self.decide(node, holds, f"`{self.words(node)}` is always {str(holds).lower()} here")
            return
        if isinstance(kind, Optional) and base(kind.of) is BOOLEAN:
            self.wrong(operand_problems.condition_may_be_null(self.at(node), self.words(node)))
        else:
            self.wrong(
                operand_problems.not_a_condition(
                    self.at(node), self.words(node), show(base(kind)), hint or hints.for_condition(kind, node)
                )
            )
        node.type = UNKNOWN

    def require_text(self, node: Node, scope: Scope, beside: str = "") -> None:
        """Check what becomes part of a text: a scalar that is there.

        Args:
            beside: The one sign of which that text consists besides, if it is one.
        """
        kind = self.require_present(node, scope, use="in a text")
        if kind.__class__ is Scalar and kind is not ANY:  # as most are
            return
        if kind is not UNKNOWN and not all(
            isinstance(each, (Scalar, Enumeration)) and each is not ANY for each in members(kind)
        ):
            if kind is FILE:
                self.wrong(template_problems.file_in_text(self.at(node), self.words(node)))
                return
            of_scalars = (
                isinstance(kind, ListOf) and isinstance(base(kind.item), Scalar) and kind.item is not ANY
            )
            self.wrong(
                template_problems.needs_json(
                    self.at(node), self.words(node), show_given(kind), of_scalars, beside
                )
            )

    # --- one rule a kind of node

    def broken(self, node: BrokenExpression, scope: Scope) -> Type:
        return UNKNOWN

    def constant(self, node: Constant, scope: Scope) -> Type:
        match node.value:
            case None:
                return NULL
            case float():
                return NUMBER
            case _:
                return Enumeration((node.value,))

    def name(self, node: Name, scope: Scope) -> Type:
        if node.name not in scope.names:
            place = self.place.stretch(node.name_start, node.name_end)
            if node.name.startswith("_"):
                return self.wrong(name_problems.private_name(place, node.name))
            word = hints.is_word(node, self.text)
            meant = hints.for_name(node, self.text, scope)
            if not meant and word and node.name in self.filters:
                meant = hints.for_filter(node.name)
            asked = word and node is self.asked
            return self.wrong(
                name_problems.unknown_name(place, node.name, list(scope.names), meant, word=word, asked=asked)
            )
        node.declared = scope.names[node.name]
        if node.declared is loops.LOOP:
            return self.wrong(comprehension_problems.loop_alone(self.at(node)))
        return scope.fact((node.name,)) or node.declared

    def attribute(self, node: Attribute, scope: Scope) -> Type:
        of = self.owner(node.of, scope)
        if of is UNKNOWN:
            return UNKNOWN
        if nullable := self.may_lack_owners and isinstance(of, Optional):
            of = without_null(of)
        if isinstance(of, Record) and of.name and node.name in of.fields:
            node.declared = of.fields[node.name].type
        else:
            found = self.field(node, of)
            if isinstance(found, Finding):
                found = fields.of_one_value(hints.past_a_wrapper(found, node, self.text), node, self.filters)
                return self.wrong(hints.with_owner(found, node.of, node.name, scope))
            node.declared = found
        kind = (scope.fact(path_of(node)) if scope.facts else None) or node.declared
        return common(kind, NULL) if nullable and kind is not UNKNOWN else kind

    def owner(self, node: Node, scope: Scope) -> Type:
        """Return the type of something whose field is asked for, as only `loop` may not be used by itself."""
        if isinstance(node, Name) and scope.names.get(node.name) is loops.LOOP:
            node.type = loops.LOOP
            return node.type
        return self.type_of(node, scope)

    def fields(self, node: Fields, scope: Scope) -> Type:
        found = scope.look_up(node.path)
        if found is not None:
            node.declared, kind = found
        else:
            node.apart = taken_apart(node)
            kind = self.type_of(node.apart, scope)
            node.declared = node.apart.declared
        return kind

    def field(self, node: Attribute, of: Type) -> Type | Finding:
        """The type of a field that is not simply there, or what is wrong with it."""
        if may_be_null(of):
            words, path = self.words(node.of), known_path(node.of)
            instead = f"`{words}.{node.name} if {words} is not none else …`" if path is not None else ""
            if path is not None and path[:-1] == ("events",) and isinstance(node.of, Attribute):
                join = node.of.of.type  # a field that one event alone declares is there by itself, too
                if isinstance(join, Record) and node.name in join.fields:
                    instead = f"`events.{node.name} | default(…)`"
            use = f"for its field `{node.name}`"
            return operand_problems.may_be_null(self.at(node.of), words, path is not None, use, instead)
        place = self.place.stretch(node.name_start, node.name_end)
        return fields.field_of(of, node.name, place, self.words(node.of))

    def subscript(self, node: Subscript, scope: Scope) -> Type:
        of = self.require_present(node.of, scope, use="for its parts")
        index = self.require_present(node.index, scope)
        if UNKNOWN in (of, index):
            return UNKNOWN
        if isinstance(of, Record) and isinstance(node.index, Constant) and isinstance(node.index.value, str):
            name = node.index.value
            found = fields.field_of(of, name, self.at(node.index), self.words(node.of))
            if isinstance(found, Finding):
                return self.wrong(hints.with_owner(found, node.of, name, scope))
            return found
        wanted, gives = fields.parts_of(of)
        if wanted is None:
            words = self.words(node.of)
            hint = hints.for_missing_parts(words, of)
            return self.wrong(operand_problems.no_parts(self.at(node.of), words, show_given(of), hint))
        if base(index) != wanted:
            return self.wrong(
                operand_problems.wrong_index(self.at(node.index), show(of), show(wanted), show(base(index)))
            )
        node.declared = gives
        return (fields.known_item(node, scope) if scope.facts else None) or gives

    def slice(self, node: Slice, scope: Scope) -> Type:
        of = self.require_present(node.of, scope, use="for its parts")
        for bound in (node.first, node.last):
            kind = self.require_present(bound, scope) if bound is not None else INTEGER
            if bound is not None and kind is not UNKNOWN and base(kind) is not INTEGER:
                self.wrong(
                    operand_problems.wrong_index(self.at(bound), show(of), "integer", show(base(kind)))
                )
        if of is UNKNOWN or isinstance(of, ListOf):
            return of
        if base(of) is STRING:
            return STRING
        return self.wrong(operand_problems.no_parts(self.at(node.of), self.words(node.of), show_given(of)))

    def list_display(self, node: ListDisplay, scope: Scope) -> Type:
        types = [self.type_of(item, scope) for item in node.items]
        beside = next((each for each in types if each in comparisons.WRITTEN_AS_TEXT), None)
        if beside is not None:
            pairs = zip(node.items, types, strict=True)
            types = [comparisons.adapt(item, kind, beside) for item, kind in pairs]
        return ListOf(common(*types) if types else NOTHING)

    def comprehension(self, node: Comprehension, scope: Scope) -> Type:
        items = self.require_present(node.items, scope, use="by `for`")
        inside = loops.inside_loop(self, node.names, node.items, items, scope)
        if node.test is not None:
            before, self.positive = self.positive, True
            self.condition(node.test, inside)
            self.positive = before
            inside = inside.given(node.test, True, sure=self.sure)
        return ListOf(self.type_of(node.value, inside))

    def record_display(self, node: RecordDisplay, scope: Scope) -> Type:
        record = Record("")
        for key, value in node.entries:
            kind = self.type_of(value, scope)
            name = str(key.value)
            if name in record.fields:
                self.wrong(problems.key_twice(self.at(key), name))
            record.fields[name] = Field(name, kind)
        return record

    def unary(self, node: Unary, scope: Scope) -> Type:
        return arithmetic.unary(self, node, self.require_present(node.operand, scope, use="in arithmetic"))

    def binary(self, node: Binary, scope: Scope) -> Type:
        left = self.require_present(node.left, scope, use="in arithmetic")
        right = self.require_present(node.right, scope, use="in arithmetic")
        return arithmetic.binary(self, node, left, right)

    def concat(self, node: Concat, scope: Scope) -> Type:
        for part in node.parts:
            self.require_text(part, scope)
        return STRING

    def compare(self, node: Compare, scope: Scope) -> Type:
        before, self.positive = self.positive, True
        left = self.type_of(node.left, scope)
        name = node.right.name if isinstance(node.right, Name) else ""
        is_word = name and name not in scope.names and name.lower() not in hints.CONSTANTS
        is_answer = base(left) is STRING and name.lower() in hints.TRUTH
        if is_word and (is_answer or base(left) is BOOLEAN):
            self.positive = before
            meant = hints.for_word(self.words(node.left), node.operator, name, left)
            return self.wrong(name_problems.unknown_name(self.at(node.right), name, list(scope.names), meant))
        right = self.type_of(node.right, scope)
        self.positive = before
        return comparisons.compare(self, node, left, right)

    def logic(self, node: Logic, scope: Scope) -> Type:
        before: Node | None = None
        for part in node.parts:
            kind = self.type_of(part, scope)
            if before is None and node.operator == "or" and self.is_meant_as_default(node, kind, scope):
                return UNKNOWN
            self.require_boolean(part, kind, hints.for_value_alone(before, part, self.words))
            before = part
            if part is not node.parts[-1]:
                scope = scope.given(part, node.operator == "and", sure=self.sure)
        return BOOLEAN

    def is_meant_as_default(self, node: Logic, kind: Type, scope: Scope) -> bool:
        """Return whether an `or` is meant to give a value instead of a missing one; that is reported."""
        first, *others = node.parts
        if len(others) != 1 or base(without_null(kind)) in (BOOLEAN, UNKNOWN):
            return False
        hint = f"`{self.words(first)} | default({self.words(others[0])})`"
        if not isinstance(kind, Optional):
            if node is self.asked or not (self.asked is None or isinstance(others[0], Constant)):
                return False  # it may be meant as two conditions
            hint = hints.instead_of_or(self.words(first), kind, self.words(others[0]))
        other = self.type_of(others[0], scope)
        if other == UNKNOWN or base(other) == BOOLEAN or not hint:
            return False
        self.require_boolean(first, kind, f"write {hint}")
        return True

    def negation(self, node: Not, scope: Scope) -> Type:
        self.positive = not self.positive
        kind = self.type_of(node.operand, scope)
        self.require_boolean(node.operand, kind, hints.for_denied(kind))
        self.positive = not self.positive
        return BOOLEAN

    def choice(self, node: Choice, scope: Scope) -> Type:
        before, self.positive = self.positive, True
        self.condition(node.test, scope)
        self.positive = before
        first, second = (scope.given(node.test, holds, sure=self.sure) for holds in (True, False))
        then, otherwise = self.type_of(node.then, first), self.type_of(node.otherwise, second)
        if first.reached != second.reached:
            return then if first.reached else otherwise
        left, right = (
            comparisons.adapt(node.then, then, otherwise),
            comparisons.adapt(node.otherwise, otherwise, then),
        )
        return common(left, right)

    def test(self, node: Test, scope: Scope) -> Type:
        known = type_tests.test(self, node, self.type_of(node.of, scope), scope)
        return BOOLEAN if known else UNKNOWN

    def filter(self, node: FilterCall, scope: Scope) -> Type:
        before, self.positive = self.positive, True
        found = self.filtered(node, scope)
        self.positive = before
        return found

    def filtered(self, node: FilterCall, scope: Scope) -> Type:
        known = self.filters.get(node.name)
        # a default is for a field that is null, and for one whose event or record is; so may be a misspelt filter
        self.may_lack_owners = (node.name == "default" or known is None) and path_of(node.of) is not None
        subject = self.type_of(node.of, scope)
        self.may_lack_owners = False
        if known is None:  # what it takes may be of another language, too
            place = self.place.stretch(node.name_start, node.name_end)
            return self.wrong(name_problems.unknown_filter(place, node.name, list(self.filters)))
        arguments = [self.type_of(argument, scope) for _, argument in node.arguments]
        if not known.takes_null:
            subject = self.not_null(node.of, subject, use=f"by `{node.name}`")
        call = CheckedFilter(self, node, known, subject, scope.types)
        if not call.bind() or subject is UNKNOWN or UNKNOWN in arguments:
            return UNKNOWN
        return known.check(call)


def declared(node: Node) -> Type:
    """Return the type that a path has wherever it stands, if it can be no condition; else one that is unknown.

    After a condition that was a mistake nobody knows what is null, but a record is none of the answers all the same.
    """
    kind = node.declared if isinstance(node, (Name, Attribute, Fields)) else UNKNOWN
    unclear = any(each in (ANY, UNKNOWN) or base(each) is BOOLEAN for each in members(kind))
    return UNKNOWN if unclear else kind


RULES: Final[Mapping[type[Node], Callable[..., Type]]] = {
    BrokenExpression: TypeChecker.broken,
    Constant: TypeChecker.constant,
    Name: TypeChecker.name,
    Fields: TypeChecker.fields,
    Attribute: TypeChecker.attribute,
    Subscript: TypeChecker.subscript,
    Slice: TypeChecker.slice,
    ListDisplay: TypeChecker.list_display,
    Comprehension: TypeChecker.comprehension,
    RecordDisplay: TypeChecker.record_display,
    Unary: TypeChecker.unary,
    Binary: TypeChecker.binary,
    Concat: TypeChecker.concat,
    Compare: TypeChecker.compare,
    Logic: TypeChecker.logic,
    Not: TypeChecker.negation,
    Choice: TypeChecker.choice,
    Test: TypeChecker.test,
    FilterCall: TypeChecker.filter,
}
