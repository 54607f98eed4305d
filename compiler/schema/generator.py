"""The schema → `generated.py`: a function for each shape, which says whether data has it.

Run it after each change of the schema: ``python -m wfc.compiler.schema.generator``.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from wfc.compiler.schema.conditions import ANNOTATIONS, condition, only, quoted, rules_of, unless
from wfc.compiler.schema.matching import NOT_YET

__all__ = ["generate"]

Schema = Mapping[str, Any]

WIDTH: Final = 90  # of a condition that still stands where it is used

LAST: Final = re.compile(r"    if not (?:\((.*)\)|([^ ]*)):\n")

KNOWN: Final = frozenset(
    {"$comment", "$ref", "type", "const", "enum", "minimum", "maximum", "required", "properties"}
    | {"additionalProperties", "propertyNames", "minProperties", "items", "minItems"}
    | {"anyOf", "allOf", "if", "then", "else"}
)
HEAD: Final = '''\
"""Whether data fits the schema; printed by `python -m wfc.compiler.schema.generator`, not to be edited."""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

__all__ = ["CHECKS", "fits"]

Check = Callable[[Any], bool]


def anything(v: Any) -> bool:
    return True


def not_yet(v: Any) -> bool:
    return False


def text(v: Any) -> bool:
    return isinstance(v, str)


def integer(v: Any) -> bool:
    return isinstance(v, int) and not isinstance(v, bool)


def number(v: Any) -> bool:
    return isinstance(v, (int, float)) and not isinstance(v, bool)


def boolean(v: Any) -> bool:
    return isinstance(v, bool)


def array(v: Any) -> bool:
    return isinstance(v, list)
'''

LEAVES: Final = {
    "string": "text",
    "integer": "integer",
    "number": "number",
    "boolean": "boolean",
    "array": "array",
}


def generate(schema: Schema) -> str:
    """The text of a Python module.

    Args:
        schema: Of the keywords in ``KNOWN`` only; not-yet-supported parts (``NOT_YET``) fit nothing.

    Raises:
        NotImplementedError: The schema has another keyword.
    """
    printer = Printer(schema["$defs"])
    names = {name: printer.named(name) for name in schema["$defs"]}
    printer.function("fits", schema)
    parts = [HEAD, *printer.functions]
    parts += [f"{name}: Final[Mapping[str, Check]] = {{\n{entries}}}\n" for name, entries in printer.tables]
    parts.append(
        "CHECKS: Final[Mapping[str, Check]] = {\n"
        + "".join(f"    {quoted(name)}: {function},\n" for name, function in names.items())
        + '}\n"""Each named shape of the schema."""\n'
    )
    return with_gaps(parts)


def with_gaps(parts: list[str]) -> str:
    text = parts[0]
    for before, part in pairwise(parts):
        function = part.startswith("def ") or before.startswith(("def ", "#"))
        text += ("\n\n" if function else "") + part
    return text


class Printer:
    """The functions and tables printed so far."""

    def __init__(self, definitions: Mapping[str, Schema]) -> None:
        self.definitions = definitions
        self.functions: list[str] = []
        self.tables: list[tuple[str, str]] = []
        self.names: dict[str, str] = {}
        self.shared: dict[str, str] = {}
        self.taken = set[str]()

    def referred(self, reference: str) -> str:
        """The function of the definition that a `$ref` names.

        Raises:
            NotImplementedError: It is none of this schema's.
        """
        name = reference.removeprefix("#/$defs/")
        if name == reference or name not in self.definitions:
            raise NotImplementedError(reference)
        return self.named(name)

    def named(self, name: str) -> str:
        """The function of a definition."""
        if name not in self.names:
            schema = self.definitions[name]
            short = self.short(schema)
            self.names[name] = short or self.free(f"is_{name}")
            if short is None:
                self.shared.setdefault(rules_of(schema), self.names[name])
                self.function(self.names[name], schema)
        return self.names[name]

    def short(self, schema: Schema) -> str | None:
        """The name of a function that there is already, for the simplest schemas."""
        only(schema, KNOWN)
        rules = {key: value for key, value in schema.items() if key not in ANNOTATIONS}
        if rules.get("$comment") == NOT_YET:
            return "not_yet"
        if not rules:
            return "anything"
        if rules.keys() == {"type"} and isinstance(rules["type"], str) and rules["type"] in LEAVES:
            return LEAVES[rules["type"]]
        if rules.keys() == {"$ref"}:
            return self.referred(rules["$ref"])
        return None

    def check(self, schema: Schema, name: str) -> str:
        """A function for a schema, printed under this name if there is none yet."""
        if (short := self.short(schema)) is not None:
            return short
        same = rules_of(schema)
        if same not in self.shared:
            name = self.free(name)
            self.shared[same] = name
            self.function(name, schema)
        return self.shared[same]

    def free(self, name: str) -> str:
        """A name for a function, which no other has."""
        word = re.sub(r"\W", "_", name)
        number = 2
        name = word
        while name in self.taken:
            name, number = f"{word}_{number}", number + 1
        self.taken.add(name)
        return name

    def function(self, name: str, schema: Schema) -> None:
        only(schema, KNOWN)
        lines = list(self.body(name, schema))
        last = "    return True\n"
        if lines[-1:] == ["        return False\n"] and (test := LAST.fullmatch(lines[-2])):
            last = f"    return {test[1] or test[2]}\n"
            lines = lines[:-2]
        self.functions.append(f"def {name}(v: Any) -> bool:\n{''.join(lines)}{last}")

    def body(self, name: str, schema: Schema) -> Iterator[str]:
        if schema.get("$comment") == NOT_YET:
            yield from unless("False")
            return
        if "$ref" in schema:
            yield from unless(f"{self.referred(schema['$ref'])}(v)")
        simple = {key: value for key, value in schema.items() if key in {"type", "const", "enum"}}
        if simple:
            yield from unless(condition(simple))
        for keyword, test in (("minimum", ">="), ("maximum", "<=")):
            if keyword in schema:
                yield from unless(f"not number(v) or v {test} {schema[keyword]!r}")
        yield from self.of_map(name, schema)
        yield from self.of_list(name, schema)
        if "anyOf" in schema:
            yield from unless(condition({"anyOf": schema["anyOf"]}))
        if "allOf" in schema:
            yield from self.by_kind(name, schema["allOf"], schema.get("required", ()))
        if "if" in schema:
            yield from self.branches(name, schema)

    def of_map(self, name: str, schema: Schema) -> Iterator[str]:
        tests = [f"{quoted(key)} in v" for key in schema.get("required", ())]
        if least := schema.get("minProperties"):
            tests.append(f"len(v) >= {least}")
        if "propertyNames" in schema:
            raise NotImplementedError(f"{name}: propertyNames outside a condition")
        guard = "" if schema.get("type") == "object" else "not isinstance(v, dict) or "
        if tests:
            both = " and ".join(tests)
            yield from unless(f"{guard}({both})" if guard and len(tests) > 1 else f"{guard}{both}")
        properties = schema.get("properties", {})
        if not properties and "additionalProperties" not in schema:
            return
        if guard:
            yield "    if not isinstance(v, dict):\n        return True\n"
        others = schema.get("additionalProperties", {})
        if not properties:
            check = "not_yet" if others is False else self.check(others, f"{name}_entry")
            yield from unless(f"all(map({check}, v.values()))")
            return
        yield from self.entries(name, properties, others)

    def entries(self, name: str, properties: Mapping[str, Schema], others: Any) -> Iterator[str]:
        table = self.free(f"{name}_keys".removeprefix("is_").upper())
        checks = {key: self.check(each, f"{name}_{key}") for key, each in properties.items()}
        self.tables.append(
            (table, "".join(f"    {quoted(key)}: {check},\n" for key, check in checks.items()))
        )
        yield "    for key, value in v.items():\n"
        if others is False:
            yield f"        check = {table}.get(key)\n        if check is None or not check(value):\n"
        else:
            rest = self.check(others, f"{name}_other")
            yield f"        if not {table}.get(key, {rest})(value):\n"
        yield "            return False\n"

    def of_list(self, name: str, schema: Schema) -> Iterator[str]:
        guard = "" if schema.get("type") == "array" else "not isinstance(v, list) or "
        if "minItems" in schema:
            yield from unless(f"{guard}len(v) >= {schema['minItems']}")
        if "items" in schema:
            yield from unless(f"{guard}all(map({self.check(schema['items'], f'{name}_item')}, v))")

    def by_kind(self, name: str, choices: list[Schema], required: Collection[str]) -> Iterator[str]:
        """``allOf`` as the schema uses it: one ``if``/``then`` for each value of one key."""
        table = self.free(f"{name}_kinds".removeprefix("is_").upper())
        checks: dict[str, str] = {}
        keys = set()
        for choice in choices:
            only(choice, {"if", "then"})
            if len(choice.keys() & {"if", "then"}) != 2:
                raise NotImplementedError(f"{name}: allOf of other than `if` and `then`")
            only(choice["if"], {"type", "required", "properties"})
            if len(choice["if"].get("properties", {})) != 1:
                raise NotImplementedError(f"{name}: a choice by other than one key")
            ((key, value),) = choice["if"]["properties"].items()
            only(value, {"const"})
            keys.add(key)
            checks[value["const"]] = self.check(choice["then"], f"{name}_{value['const']}")
        if len(keys) != 1 or not keys.issubset(required):
            raise NotImplementedError(f"{name}: allOf other than by one key that is always there")
        self.tables.append(
            (table, "".join(f"    {quoted(value)}: {check},\n" for value, check in checks.items()))
        )
        yield from unless(f'{table}.get(v["{keys.pop()}"], anything)(v)')

    def branches(self, name: str, schema: Schema) -> Iterator[str]:
        yield f"    if {self.test(name, schema['if'])}:\n"
        yield f"        return {self.check(schema.get('then', {}), f'{name}_then')}(v)\n"
        if "else" in schema:
            yield from unless(f"{self.check(schema['else'], f'{name}_else')}(v)")

    def test(self, name: str, schema: Schema) -> str:
        """A condition; one that is long becomes a function, which others like it share."""
        text = condition(schema)
        if len(text) < WIDTH:
            return text
        rules = f"if {rules_of(schema)}"
        if rules not in self.shared:
            self.shared[rules] = f"{name}_if"
            self.functions.append(f"def {name}_if(v: Any) -> bool:\n    return {text}\n")
        return f"{self.shared[rules]}(v)"


def main() -> None:
    """Write ``generated.py`` anew."""
    from wfc.schemas import load

    path = Path(__file__).parent / "generated.py"
    path.write_text(generate(load()), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
