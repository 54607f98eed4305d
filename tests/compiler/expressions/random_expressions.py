"""Random expressions that the compiler accepts: each made of smaller ones, by all operators, filters and conditions."""

from __future__ import annotations

import random
from typing import Any

import meaning

from wfc.compiler.diagnostics import Finding, Place
from wfc.compiler.expressions import Expression, Scope, parse_expression
from wfc.compiler.expressions.filters import FILTERS
from wfc.compiler.expressions.typing.loops import LOOP
from wfc.compiler.types import (
    BOOLEAN,
    STRING,
    UNKNOWN,
    Enumeration,
    ListOf,
    MapOf,
    OneOf,
    Optional,
    Record,
    Type,
    base,
    members,
    parse_fields,
    show,
    without_null,
)

PLACE = Place(("steps", "s", "when"))

DECLARED: dict[str, dict[str, Any]] = {
    "City": {"name": "string", "mayor": "optional string", "size": "integer"},
    "Order": {
        "id": "string",
        "kind": {"enum": ["book", "pen"]},
        "total": "decimal",
        "price": "number",
        "count": "integer",
        "paid": "boolean",
        "note": "optional string",
        "city": "City",
        "due": "optional date",
    },
    "Ready": {"by": "string", "amount": "decimal", "when": "datetime"},
    "Rejected": {"by": "string", "amount": "integer", "note": "optional string", "why": {"enum": ["a", "b"]}},
    "Gone": {"by": "optional string", "amount": "number"},
    "State": {
        "n": "integer",
        "m": "integer",
        "x": "number",
        "y": "number",
        "total": "decimal",
        "s": "string",
        "t": "string",
        "p": "boolean",
        "q": "boolean",
        "day": "date",
        "at": "datetime",
        "took": "duration",
        "any": "any",
        "urgency": {"enum": ["low", "mid", "high"]},
        "level": {"enum": [1, 2, 3]},
        "mixed_level": {"enum": [1, "one", True]},
        "maybe_n": "optional integer",
        "maybe_total": "optional decimal",
        "maybe_s": "optional string",
        "maybe_p": "optional boolean",
        "maybe_urgency": {"type": "optional Urgency"},
        "maybe_order": "optional Order",
        "maybe_names": "optional list of string",
        "order": "Order",
        "orders": "list of Order",
        "names": "list of string",
        "numbers": "list of integer",
        "scores": "list of number",
        "totals": "list of decimal",
        "times": "list of duration",
        "days": "list of date",
        "maybes": "list of optional integer",
        "flags": "list of boolean",
        "grid": "list of list of integer",
        "prices": "map of number",
        "counts": "map of optional integer",
        "by_city": "map of City",
        "text_or_number": {"one_of": ["string", "integer"]},
        "text_or_moment": {"one_of": ["string", "datetime"]},
        "text_or_length": {"one_of": ["string", "duration"]},
        "number_or_list": {"one_of": ["number", "list of integer"]},
        "flag_or_number": {"one_of": ["boolean", "integer"]},
        "mixed": {"type": "list of TextOrTotal"},
    },
}


def build_world() -> tuple[Scope, dict[str, Record]]:
    """The scope, and the records that it is made of."""
    events = {"Ready", "Rejected", "Gone"}
    records = {name: Record(name, role="event" if name in events else "type") for name in DECLARED}
    declared: dict[str, Type] = {
        **records,
        "Urgency": Enumeration(("low", "mid", "high"), "Urgency"),
        "TextOrTotal": OneOf((parse("string"), parse("decimal"))),
    }
    findings: list[Finding] = []
    for name, fields in DECLARED.items():
        parse_fields(fields, Place(("types", name)), declared, findings.append, records[name])
    assert not findings, [(finding.code, finding.place.address) for finding in findings]
    names: dict[str, Type] = {
        "state": records["State"],
        "event": OneOf((records["Ready"], records["Rejected"], records["Gone"])),
        "other": Optional(OneOf((records["Rejected"], records["Ready"]))),
        "one": records["Ready"],
    }
    classes = {name: record for name, record in records.items() if name != "State"}
    return Scope(names, classes), records


def parse(text: str) -> Type:
    record = Record("Only")
    parse_fields({"only": text}, Place(("types",)), {}, lambda _: None, record)
    return record.fields["only"].type


WORLD, RECORDS = build_world()

CONSTANTS = ["0", "1", "2", "-1", "3", "7", "0.5", "2.0", "1e300", "true", "false", "none", "10000000000"]
CONSTANTS += ['""', '"a"', '"low"', '"1"', '"2.5"', '"2026-01-31"', '"90 min"', "'it''s'"[:4] + "'", '"é{\'"']
CONSTANTS += ["[]", "[1, 2]", '["a", "b"]', "[0.5]", "[none, 1]", '{"a": 1}', '{"name": "x", "mayor": none}']
OPERATORS = [
    "+",
    "-",
    "*",
    "/",
    "//",
    "%",
    "~",
    "==",
    "!=",
    "<",
    "<=",
    ">",
    ">=",
    "in",
    "not in",
    "and",
    "or",
]
FIELDS = [
    "id",
    "kind",
    "total",
    "price",
    "count",
    "paid",
    "note",
    "city.name",
    "city.size",
    "city.mayor",
    "due",
]


def read(text: str, scope: Scope, *, condition: bool = False) -> Expression | None:
    """The expression, if nothing is wrong with it; warnings are fine."""
    findings: list[Finding] = []
    expression = parse_expression(text, PLACE, scope, findings.append, condition=condition)
    if any(finding.severity.word == "error" for finding in findings) or expression.type is UNKNOWN:
        return None
    return expression


class Growing:
    """Accepted expressions of a scope, and larger ones made of them."""

    def __init__(self, chance: random.Random, scope: Scope = WORLD, loops: int = 0) -> None:
        self.chance = chance
        self.scope = scope
        self.loops = loops  # names of items so far
        self.depth = 0  # of loops in loops
        self.pool: list[Expression] = []
        self.conditions: list[Expression] = []
        for text in [*CONSTANTS, *paths(scope)]:
            self.try_this(text)

    def try_this(self, text: str) -> Expression | None:
        found = read(text, self.scope)
        if found is not None:
            self.pool.append(found)
            if base(found.type) == BOOLEAN:
                self.conditions.append(found)
        return found

    def some(self) -> Expression:
        """Any expression; more often a small one, or one that was made lately."""
        return self.chance.choice(self.chance.choice((self.pool, self.pool[-60:])))

    def like(self, type: Type) -> Expression:
        """An expression that has something to do with a type, if a few draws find one."""
        for _ in range(8):
            found = self.some()
            if set(map(base, members(found.type))) & set(map(base, members(type))):
                return found
        return self.some()

    def grow(self, times: int, *, nested: bool = True) -> None:
        """Makes larger ones."""
        for _ in range(times):
            kind = self.chance.randrange(14)
            if kind < 4:
                one = self.some()
                other = self.like(one.type)
                self.try_this(f"({one.text}) {self.chance.choice(OPERATORS)} ({other.text})")
            elif kind < 9:
                self.try_this(self.filtered())
            elif kind == 9:
                form = self.chance.choice(
                    ("-({})", "not ({})", "({}) is none", "({}) is not none", "({}) is empty", "[{}]")
                )
                self.try_this(form.format(self.some().text))
            elif kind == 10:
                self.try_this(self.part())
            elif kind == 11:
                one = self.some()
                self.try_this(f"[{one.text}, {self.like(one.type).text}]")
                self.try_this(f'{{"a": {one.text}, "b": {self.some().text}}}')
            elif nested and kind == 12:
                self.made_of_another()
            elif nested:
                self.under_a_condition()

    def filter_all(self) -> None:
        """Uses each filter, so that none is left to chance."""
        for name in FILTERS:
            used = 0
            for _ in range(60):
                used += self.try_this(self.filtered(name)) is not None
                if used == 4:
                    break

    def filtered(self, name: str = "") -> str:
        name = name or self.chance.choice(list(FILTERS))
        subject = self.fitting(name)
        if name == "from_json" and self.chance.random() < 0.8:  # few other texts are JSON
            fitting = [one for one in self.pool if show(one.type) in meaning.READ_AS]
            if fitting:
                subject = self.chance.choice(fitting)
                return f'(({subject.text}) | json) | from_json("{show(subject.type)}")'
        given = [self.field_given(subject)] if FILTERS[name].takes_fields else []
        for parameter in FILTERS[name].parameters:
            if not parameter.required and self.chance.random() < 0.5:
                break
            given.append(self.argument(name, parameter.name, subject))
        return f"({subject.text}) | {name}" + (f"({', '.join(given)})" if given else "")

    def field_given(self, subject: Expression) -> str:
        """A field of a record with another value: as a rule one of its type."""
        record = without_null(subject.type)
        names = list(record.fields) if isinstance(record, Record) else ["name"]
        name = self.chance.choice(names)
        wanted = record.fields[name].type if isinstance(record, Record) else STRING
        fitting = [one for one in self.pool if one.type == wanted]
        value = self.chance.choice(fitting) if fitting and self.chance.random() < 0.8 else self.some()
        return f"{name}={value.text}"

    def fitting(self, name: str) -> Expression:
        """A subject that a filter may be for: as a rule one for which it is."""
        takes = FILTERS[name].takes
        inner = Record if "of records" in takes else ListOf if "of lists" in takes else None
        if inner is not None and self.chance.random() < 0.8:
            fitting = [
                one for one in self.pool if isinstance(one.type, ListOf) and isinstance(one.type.item, inner)
            ]
            return self.chance.choice(fitting) if fitting else self.some()
        if takes == "list of boolean" and self.chance.random() < 0.8:
            flags = [
                one for one in self.pool if isinstance(one.type, ListOf) and base(one.type.item) == BOOLEAN
            ]
            return self.chance.choice(flags) if flags else self.some()
        if takes == "record" and self.chance.random() < 0.8:
            made = [one for one in self.pool if isinstance(one.type, Record) and one.type.role == "type"]
            return self.chance.choice(made) if made else self.some()
        for _ in range(12):
            found = self.some()
            word = without_null(found.type).__class__.__name__.lower().removesuffix("of")
            words = [word, *(str(getattr(base(each), "name", "")) for each in members(found.type))]
            if any(each and each in takes for each in words) or "any value" in takes:
                return found
        return self.some()

    def argument(self, name: str, parameter: str, subject: Expression) -> str:
        if parameter == "field":
            return f'"{self.chance.choice(FIELDS)}"'
        if parameter in ("digits", "size", "length", "width", "indent"):
            return self.chance.choice(("0", "1", "2", "3", "-1", "state.level", "(state.n)"))
        if parameter == "operator" and self.chance.random() < 0.6:
            return self.chance.choice(('"<"', '">="', '"=="', '"!="', '"in"'))
        if parameter == "descending":
            return self.chance.choice(("true", "false"))
        if parameter == "pattern" and name == "matches":
            return self.chance.choice(('"[a-z]+"', '".*"', '"(a|ab)(c|bcd)*"', '"[0-9]{1,3}"', '""'))
        if parameter == "pattern":
            return self.chance.choice(
                (
                    '"%d.%m.%Y"',
                    '"%A, %-d %B %y"',
                    '"%H:%M:%S.%f"',
                    '"%G-W%V-%u %j %b %a %-m"',
                    '"%-I %p %I %-H %%"',
                )
            )
        if parameter == "type":
            return f'"{self.chance.choice(list(meaning.READ_AS))}"'
        if name == "default":
            return self.like(subject.type).text
        if parameter in ("separator", "old", "new", "end", "text"):
            return self.chance.choice(('"-"', '", "', '"a"', "state.s", '["a", "b"]', "state.names"))
        return self.some().text

    def part(self) -> str:
        one = self.some()
        kind = without_null(one.type)
        if isinstance(kind, MapOf):
            return f"({one.text})[{self.chance.choice((chr(34) + 'a' + chr(34), 'state.s'))}]"
        index = self.chance.choice(("0", "1", "-1", "state.n", "0:1", ":2", "1:", "state.n:state.m"))
        return f"({one.text})[{index}]"

    def made_of_another(self) -> None:
        """`[value for item in list if condition]`, also in another such list."""
        of = self.chance.choice(
            [each for each in self.pool if isinstance(each.type, (ListOf, MapOf)) and each.text != "[]"]
        )
        self.loops += 1
        names = [f"each{self.loops}"]
        item: Type = STRING
        scope = self.scope
        if isinstance(of.type, ListOf):
            item = of.type.item
        elif isinstance(of.type, MapOf) and self.chance.random() < 0.7:
            names.append(f"value{self.loops}")
            scope = scope.with_name(names[1], of.type.value)
        scope = scope.with_name(names[0], item).with_name("loop", LOOP)
        inside = Growing(self.chance, scope, self.loops)
        inside.grow(25, nested=False)
        test = inside.condition() if self.chance.random() < 0.6 else None
        if self.depth < 2 and self.chance.random() < 0.5:
            inside.depth = self.depth + 1
            inside.made_of_another()
        then = Growing(self.chance, scope.given(test.tree, True), self.loops) if test is not None else inside
        then.grow(25, nested=False)
        of_the_item = [each for each in then.pool if any(word in each.text for word in (*names, "loop."))]
        for value in [*self.chance.choices(of_the_item, k=4), then.some()]:
            after = f" if {test.text}" if test is not None else ""
            self.try_this(f"[{value.text} for {', '.join(names)} in {of.text}{after}]")

    def under_a_condition(self) -> None:
        """`a if c else b`, `c and a`: what is said after a condition may use what it has made known."""
        condition = self.condition()
        if condition is None:
            return
        then = Growing(self.chance, self.scope.given(condition.tree, True))
        otherwise = Growing(self.chance, self.scope.given(condition.tree, False))
        then.grow(25, nested=False)
        otherwise.grow(25, nested=False)
        for _ in range(4):
            one = then.some()
            self.try_this(f"({one.text}) if ({condition.text}) else ({otherwise.like(one.type).text})")
        if then.conditions and otherwise.conditions:
            self.try_this(f"({condition.text}) and ({self.chance.choice(then.conditions).text})")
            self.try_this(f"({condition.text}) or ({self.chance.choice(otherwise.conditions).text})")

    def condition(self) -> Expression | None:
        """One that narrows, as a rule."""
        asked = self.chance.choice(
            [each for each in self.pool if isinstance(each.type, (Optional, OneOf, Enumeration))]
        )
        form = self.chance.choice(
            (
                "{} is none",
                "{} is not none",
                "{} is empty",
                "{} is not empty",
                "{} is {}",
                "{} is not {}",
                "{} == {}",
                "{} in {}",
            )
        )
        inner = without_null(asked.type)
        names = ["string", "integer", "number", "list", "map", "boolean", *WORLD.classes]
        if isinstance(inner, Enumeration) and form.endswith(("== {}", "in {}")):
            values = [repr(value).replace("True", "true") for value in inner.values]
            value = self.chance.choice(values)
            other = value if "==" in form else f"[{value}, {self.chance.choice(values)}]"
        else:
            other = self.chance.choice(names)
        text = form.format(f"({asked.text})" if " " in asked.text else asked.text, other)
        found = read(text, self.scope, condition=True)
        if found is not None and self.conditions and self.chance.random() < 0.4:
            more = self.chance.choice(self.conditions).text
            forms = ("not ({0})", "({0}) == true", "({0}) != true", "({0}) and ({1})", "({0}) or ({1})")
            wider = self.chance.choice(forms).format(text, more)
            found = read(wider, self.scope, condition=True) or found
        return found


def paths(scope: Scope) -> list[str]:
    """The names in scope, and their fields, those of records in them too."""
    found: list[str] = []
    work: list[tuple[str, Type]] = [(name, scope.fact((name,)) or type) for name, type in scope.names.items()]
    while work:
        text, type = work.pop()
        if text != "state":
            found.append(text)
        records = [each for each in members(type) if isinstance(each, Record) and each.name]
        if text.count(".") < 3:
            for name in {name: None for record in records for name in record.fields}:
                expression = read(f"{text}.{name}", scope)
                if expression is not None:
                    work.append((expression.text, expression.type))
    return sorted(found)
