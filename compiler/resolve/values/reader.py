"""Structured values with expressions in them, each held against the type that is wanted at its place."""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import Any

from wfc.compiler.diagnostics import Address, Finding, Place, Report
from wfc.compiler.expressions import Expression, Scope, Template, parse_expression, parse_template
from wfc.compiler.model import Value
from wfc.compiler.python.literals import normal_form
from wfc.compiler.resolve.values import bare_expressions, mismatches
from wfc.compiler.rules import closest
from wfc.compiler.rules import comprehensions as comprehension_problems
from wfc.compiler.rules import values as problems
from wfc.compiler.rules.spelling import nearest
from wfc.compiler.schema.loops import loop_read_as_texts
from wfc.compiler.slotted import dataclass, field, replace
from wfc.compiler.types import (
    ANY,
    NO_CONSTRAINTS,
    NULL,
    STRING,
    UNKNOWN,
    Constraints,
    Enumeration,
    Field,
    ListOf,
    MapOf,
    Optional,
    Record,
    Scalar,
    Type,
    assignable,
    bounded,
    field_holding,
    fits,
    members,
    resembles,
    show,
    show_given,
)
from wfc.compiler.types.outside_names import own_name

__all__ = ["ValueReader", "hint_for_list", "named_secret", "read_data", "reads_as_text", "text_before"]


def no_text(place: Place, type: Type, of_list: str) -> Finding:
    """Return the finding for a list, a map or a record where a text is wanted."""
    hint = "add `| json`"
    if isinstance(type, ListOf):
        joined = type.item is not ANY and reads_as_text(type.item)
        hint = of_list or ('add `| join(", ")` or `| json`' if joined else hint)
    return problems.wrong_value(place, f"wanted a text, found {show_given(type)}", hint)


@dataclass(slots=True)
class ValueReader:
    """Reads expressions, templates and values, and remembers which names they use.

    Args:
        report: Takes findings.
        uses: First words of all that was read: ``result``, ``event`` …
    """

    report: Report
    uses: set[str] = field(default_factory=set)

    def condition(self, text: object, place: Place, scope: Scope) -> Expression:
        """Read a boolean expression, as `when` and `that` hold it; YAML's own `true` and `false` too."""
        found = parse_expression(_source(text), place, scope, self.report, condition=True)
        self.note(found)
        return found

    def expression(self, text: object, place: Place, scope: Scope) -> Expression:
        """Read an expression of any type, without delimiters, as `in` holds it."""
        found = parse_expression(_source(text), place, scope, self.report)
        self.note(found)
        return found

    def text(
        self,
        text: object,
        place: Place,
        scope: Scope,
        *,
        statements: bool = True,
        whole: bool = True,
        bare: bool = True,
        of_list: str = "",
    ) -> Template:
        """Read a text with expressions in it. A single whole expression must have a type that is readable as
        text.

        Args:
            bare: Whether a text that is nothing but a field in scope is told here.
            of_list: What to do with a list, where its items are not meant to stand in one text.
        """
        said = str(text)
        warning = bare_expressions.of_text(said, place, scope) if bare and "{" not in said else None
        if warning is not None:
            self.report(warning)
        template = parse_template(said, place, scope, self.report, statements=statements, whole=whole)
        self.note(template)
        if template.whole is None or assignable(template.type, STRING):
            return template
        if isinstance(template.type, Optional):
            self.report(
                problems.wrong_value(place, *mismatches.mismatch(template.type, STRING, template.whole.tree))
            )
        elif not all(reads_as_text(each) for each in members(template.type)):
            self.report(no_text(place, template.type, of_list))
        return replace(template, type=STRING, whole=None)

    def note(self, found: Expression | Template) -> None:
        self.uses.update([path[0] for path in found.uses if path])

    def value(
        self,
        data: object,
        place: Place,
        wanted: Type,
        scope: Scope,
        constraints: Constraints = NO_CONSTRAINTS,
    ) -> Value:
        """Read a value as `with`, `body` and `save` hold it."""
        if isinstance(data, str) and "{" in data:
            return self.templated(data, place, wanted, scope, constraints)
        if isinstance(data, (dict, list)):
            found = (
                self.record(data, place, wanted, scope)
                if isinstance(data, dict)
                else self.items(data, place, wanted, scope)
            )
            if isinstance(found.type, (ListOf, MapOf)) and (wrong := bounded(data, found.type, constraints)):
                self.report(problems.wrong_value(place, wrong.reason))
            return found
        if isinstance(data, str) and scope.names and ("." in data or data in scope.names):
            return self.bare(data, place, wanted, scope, constraints)
        return constant(data, place, wanted, constraints, self.report)

    def bare(self, text: str, place: Place, wanted: Type, scope: Scope, constraints: Constraints) -> Value:
        """Read a plain text that may be meant as an expression; warn if it is."""
        wrong = fits(text, wanted, constraints)
        if wrong is None:
            if (warning := bare_expressions.warning_for(text, place, wanted, scope)) is not None:
                self.report(warning)
        elif not wrong.known and (hint := bare_expressions.hint_in_braces(text, place, wanted, scope)):
            self.report(problems.wrong_value(place, wrong.reason, hint))
            return Value(wanted, place.address, constant=text)
        return constant(text, place, wanted, constraints, self.report)

    def templated(
        self, text: str, place: Place, wanted: Type, scope: Scope, constraints: Constraints = NO_CONSTRAINTS
    ) -> Value:
        found: list[Finding] = []
        template = parse_template(text, place, scope, found.append)
        plain = template.constant
        wrong_text = None if plain is None else fits(plain, wanted, constraints)
        if wrong_text is not None and found:  # it does not fit because it is meant as an expression
            self.report(problems.wrong_value(place, wrong_text.reason, found[0].hint))
            return Value(wanted, place.address, constant=plain)
        for finding in found:
            self.report(finding)
        if plain is not None:
            return constant(plain, place, wanted, constraints, self.report)
        self.note(template)
        if not assignable(template.type, wanted):
            tree = template.whole.tree if template.whole is not None else None
            reason, hint = mismatches.mismatch(template.type, wanted)
            if tree is None:
                hint = hint or bare_expressions.hint_for_several(text)
            wrong = [problems.wrong_value(place, reason, hint)]
            for finding in wrong if tree is None else mismatches.mismatches(tree, wanted, place):
                self.report(finding)
        if template.whole is not None:
            return Value(wanted, place.address, expression=template.whole)
        return Value(wanted, place.address, template=template)

    def record(self, data: Mapping[object, object], place: Place, wanted: Type, scope: Scope) -> Value:
        """Read a mapping: the fields of a record, or the entries of a map."""
        target = matching_member(data, wanted)
        named = named_secret(data, scope.secrets)
        if named and not (isinstance(target, Record) and "secret" in target.fields):
            self.report(problems.secret_as_data(place, named))
            return Value(target, place.address, entries=())
        if isinstance(target, Record):
            return Value(target, place.address, entries=self.fields(data, place, target, show(target), scope))
        inner = target.value if isinstance(target, MapOf) else target
        if not isinstance(target, MapOf) and target not in (ANY, UNKNOWN):
            self.report(problems.wrong_value(place, f"wanted {show(wanted)}, found a record"))
            inner = UNKNOWN
        pairs = [(str(key), self.value(each, place / str(key), inner, scope)) for key, each in data.items()]
        return Value(target, place.address, entries=tuple(pairs))

    def fields(
        self, data: Mapping[object, object], place: Place, record: Record, owner: str, scope: Scope
    ) -> tuple[tuple[str, Value], ...]:
        """Return the given fields of a record, in the record's order; report missing and unknown fields."""
        given = self.given(data, place, record.fields, in_backticks(owner), scope)
        missing = [name for name, each in record.fields.items() if each.required and name not in given]
        strange = len(data) - len(given)  # which are reported, and may be what is missing
        another = strange > 0 and not given  # nothing of it is known: it is meant for something else
        if len(missing) > strange and not another:
            self.report(problems.missing_entry(place, missing, in_backticks(owner), is_empty=not data))
        return tuple((name, given[name]) for name in record.fields if name in given)

    def given(
        self,
        data: Mapping[object, object],
        place: Place,
        fields: Mapping[str, Field],
        owner: str,
        scope: Scope,
    ) -> dict[str, Value]:
        """Return those fields that are given, by name; report names that the record does not have.

        What is most likely meant by such a name counts as given, so that it is not missed as well.
        """
        found: dict[str, Value] = {}
        absent = fields.keys() - {normal_form(str(key)) for key in data}
        for key, each in data.items():
            name = normal_form(str(key))
            at = place / (key if isinstance(key, (str, int)) else str(key))
            wanted = fields.get(name)
            if wanted is None:
                own = own_name(fields, str(key))
                fitting = {other for other in fields if resembles(each, fields[other].type)}
                near = own or nearest(name, absent & fitting)
                likely = sorted(absent & fitting if near else fitting)
                unknown = problems.unknown_entry(at.key, str(key), owner, fields, own, likely)
                if near and str(key) == f"{near}.$":
                    from wfc.compiler.resolve.values.json_paths import (
                        given_by_path,
                    )  # a good spec never needs it

                    self.report(given_by_path(unknown, near, each, at, scope))
                    absent.discard(near)
                    found[near] = Value(UNKNOWN, at.address, constant=each)
                    continue
                if inner := field_holding(fields, str(key)):
                    unknown = problems.of_field_within(unknown, str(key), inner)
                if not near and isinstance(each, str) and (before := text_before(data, key)):
                    unknown = problems.after_a_comma(unknown, before)
                task_alone = [(each.name, each.address) for each in fields.values()] == [("task", ())]
                self.report(problems.of_agent_without_args(unknown) if task_alone else unknown)
                value = self.value(each, at, UNKNOWN, scope)
                if near:
                    found[near] = value
                    absent.discard(near)
            else:
                found[name] = self.value(each, at, wanted.type, scope, wanted.constraints)
        return found

    def items(self, data: list[object], place: Place, wanted: Type, scope: Scope) -> Value:
        loop = loop_read_as_texts(data)
        if loop is not None and loop[1] in scope.names:
            self.report(comprehension_problems.loop_read_as_list(place, f"${{{{ {loop[0]} }}}}"))
            return Value(UNKNOWN, place.address, items=())
        target = matching_member(data, wanted)
        inner = target.item if isinstance(target, ListOf) else target
        if not isinstance(target, ListOf) and target not in (ANY, UNKNOWN):
            self.report(problems.wrong_value(place, f"wanted {show(wanted)}, found a list"))
            inner = UNKNOWN
        items = tuple(self.value(each, place / index, inner, scope) for index, each in enumerate(data))
        return Value(target, place.address, items=items)


def _source(text: object) -> str:
    """Return an expression's text; a scalar that YAML has parsed as another type, as it is written."""
    if isinstance(text, bool):
        return "true" if text else "false"
    return "none" if text is None else str(text)


def reads_as_text(type: Type) -> bool:
    """Return whether a value of a type is readable within a text."""
    return isinstance(type, Enumeration) or (isinstance(type, Scalar) and type not in (ANY, NULL))


def constant(data: object, place: Place, wanted: Type, constraints: Constraints, report: Report) -> Value:
    """Read a plain value, checked against its type."""
    wrong = fits(data, wanted, constraints)
    if wrong is not None:
        hint = closest(str(data), wrong.known) if wrong.known else wrong.hint
        report(problems.wrong_value(place, wrong.reason, hint, str(data), wrong.known))
    return Value(wanted, place.address, constant=data)


def named_secret(data: Mapping[object, object], secrets: Container[str]) -> str:
    """Return the name of a secret in `{secret: NAME}`; an empty text for all else."""
    named = data.get("secret")
    return named if len(data) == 1 and isinstance(named, str) and named in secrets else ""


def text_before(data: Mapping[object, object], key: object) -> str:
    """Return the key before a strange one, if a comma may have cut the text under it; else an empty text."""
    from wfc.compiler.types.stray_quotes import text_cut_before  # a good spec never needs it

    return text_cut_before(data, key)


def in_backticks(words: str) -> str:
    """Return a name in backticks; a description in words, as it is."""
    return words if " " in words else f"`{words}`"


def hint_for_list(words: str, given: Type, item: Type = ANY) -> str:
    """Return a hint for a value that is not a list where one (of ``item``) is wanted."""
    if isinstance(given, Optional) and isinstance(given.of, ListOf):
        return f"it may be null: write `{words} | default([])`"
    if isinstance(given, Record):
        lists = [name for name, each in given.fields.items() if isinstance(each.type, ListOf)]
        return f"did you mean `{words}.{lists[0]}`?" if lists else "declare a field that is a `list of …`"
    if isinstance(given, MapOf):
        return f"write `{words} | values`, or `{words} | keys`"
    fits = len(words) < 40 and (item is ANY or assignable(given, item))
    single = f"; for a single value, write `[{words}]`" if fits else ""
    return f"where there may be several, declare a `list of …`{single}"


def matching_member(data: object, wanted: Type) -> Type:
    """Return the member of the types that a value may have that this list or mapping resembles most."""
    choices = members(wanted)
    if len(choices) == 1:
        return choices[0]
    if isinstance(data, dict):
        names = {normal_form(str(key)) for key in data}
        records = [each for each in choices if isinstance(each, Record)]
        near = max(records, key=lambda each: likeness(names, each), default=None)
        if near is not None and (names <= near.fields.keys() or len(records) == len(choices)):
            return near
        return next((each for each in choices if isinstance(each, MapOf) or each is ANY), near or wanted)
    return next((each for each in choices if isinstance(each, ListOf) or each is ANY), wanted)


def likeness(names: set[str], record: Record) -> int:
    """Return how well some names match a record: each name that it has counts for it, each that it lacks
    against.
    """
    known = len(names & record.fields.keys())
    lacking = sum(each.required and each.name not in names for each in record.fields.values())
    return 2 * known - len(names - record.fields.keys()) - lacking


@dataclass(slots=True)
class DataReader(ValueReader):
    """A reader of values in which every text is plain data, as in tests."""

    def templated(
        self, text: str, place: Place, wanted: Type, scope: Scope, constraints: Constraints = NO_CONSTRAINTS
    ) -> Value:
        return constant(text, place, wanted, constraints, self.report)


EMPTY_SCOPE = Scope(names={}, classes={})


def read_data(
    data: object, address: Address, wanted: Type, report: Report, constraints: Constraints = NO_CONSTRAINTS
) -> Any:
    """Return plain data with the names of fields in normal form; report where it is not of its type and in its
    bounds.
    """
    return data_of(DataReader(report).value(data, Place(address), wanted, EMPTY_SCOPE, constraints))


def read_record(
    data: Mapping[object, object], place: Place, wanted: Record, owner: str, report: Report
) -> dict[str, Any]:
    """Return plain data for the fields of a record, as `read_data` does; findings say that they are the owner's."""
    entries = DataReader(report).fields(data, place, wanted, owner, EMPTY_SCOPE)
    return {name: data_of(each) for name, each in entries}


def data_of(value: Value) -> Any:
    if value.entries is not None:
        return {name: data_of(each) for name, each in value.entries}
    if value.items is not None:
        return [data_of(each) for each in value.items]
    return value.constant
