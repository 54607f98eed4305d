"""Templates print literals: a text gets into the program as a text, whoever forgets what."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jinja2 import UndefinedError

import wfc.compiler.codegen
from wfc.compiler.codegen.imports import IMPORTABLE, mentioned_imports
from wfc.compiler.codegen.rendering import environment
from wfc.compiler.python.literals import Code


@given(st.one_of(st.text(), st.integers(), st.booleans(), st.none(), st.lists(st.text(), max_size=3)))
def test_a_value_in_a_template_is_printed_as_a_literal(value: object) -> None:
    assert ast.literal_eval(environment().from_string("{{ value }}").render(value=value)) == value


def test_code_is_printed_as_it_is() -> None:
    assert environment().from_string("{{ value }}").render(value=Code("a.b")) == "a.b"


def test_a_name_that_a_template_does_not_get_is_a_bug() -> None:
    with pytest.raises((UndefinedError, TypeError)):
        environment().from_string("{{ other }}").render(value=1)


def test_what_is_no_plain_data_cannot_be_printed() -> None:
    with pytest.raises(TypeError):
        environment().from_string("{{ value }}").render(value=object())


def test_exactly_what_is_mentioned_is_imported() -> None:
    fields = {
        "x": '"list[Decimal]"',
        "y": 'Annotated["B", Field(ge=date(2024, 1, 1))]',
        "z": 'Literal["Output"]',
        "filters": "int",
    }
    declared = "".join(f"    {name}: {annotation}\n" for name, annotation in fields.items())
    method = (
        "    def step(self, Until: str, *, pause=1) -> None:\n        self.Message(Until, Batch=f'{Fail}')\n"
    )
    assert {
        name for _, name in mentioned_imports(f"class A(Event):\n{declared}{method}", fields.values())
    } == {
        *(
            "Annotated",
            "Decimal",
            "Event",
            "Fail",
            "Field",
            "Literal",
            "Until",
            "date",
            "require_output_format",
        )
    }


def test_everything_that_may_be_imported_is_there() -> None:
    for name, module in IMPORTABLE.items():
        assert hasattr(__import__(module, fromlist=[name]), name), f"{module}.{name}"


def test_the_templates_are_all_used() -> None:
    folder = Path(wfc.compiler.codegen.__file__).parent
    texts = "".join(path.read_text() for path in [*folder.glob("*.py"), *folder.glob("templates/*.j2")])
    for template in folder.glob("templates/*.j2"):
        assert f'"{template.name}"' in texts


def test_jinja_is_loaded_only_to_generate() -> None:
    program = "import sys, wfc.compiler.codegen, wfc.compiler.passes; print('jinja2' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
