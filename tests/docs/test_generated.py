"""What is generated among the pages is as it would be generated now, and nothing is left out of the reference."""

from __future__ import annotations

import re
import runpy
import sys
from pathlib import Path

import jsonschema
import pytest
import yaml

from wfc.compiler.resolve.values.scopes import RESERVED
from wfc.compiler.schema import expansion

ROOT = Path(__file__).parent.parent.parent
DOCS = ROOT / "docs"
SCHEMA = expansion.schema()


def reference() -> str:
    """Return the page as it is now: with `--golden` a test before has rewritten it."""
    return (DOCS / "reference.md").read_text(encoding="utf-8")


FRAGMENTS = [
    text
    for text in re.findall(r"^```yaml\n(.*?)^```$", reference(), re.MULTILINE | re.DOTALL)
    if "wfc:" not in text
]


@pytest.fixture(scope="module")
def pages() -> dict[Path, str]:
    sys.path.insert(0, str(DOCS))
    try:
        return runpy.run_path(str(DOCS / "generate.py"))["pages"]()
    finally:
        sys.path.remove(str(DOCS))


@pytest.mark.parametrize(
    "name",
    [
        "reference.md",
        "policy.md",
        "problems.md",
        "release_notes.svg",
        "../specs/README.md",
        "moving_agents.md",
        *(f"agents/{path.name}" for path in sorted((DOCS / "agents").glob("*.md"))),
    ],
)
def test_a_page_is_as_it_would_be_generated_now(name: str, pages: dict[Path, str], golden) -> None:
    path = (DOCS / name).resolve()
    golden(path, pages[path])


def test_every_spec_has_its_place_among_the_patterns(pages: dict[Path, str]) -> None:
    page = pages[ROOT / "specs/README.md"]
    specs = [path for path in (ROOT / "specs").rglob("*.yaml") if "\nworkflow: " in path.read_text("utf-8")]
    links = re.findall(r"\]\(([^()]*\.yaml)\)", page.partition("\n## ")[0])
    assert sorted(links) == sorted(path.relative_to(ROOT / "specs").as_posix() for path in specs)


def test_the_reference_has_every_key_of_the_language() -> None:
    """Each stands in a table: the supported ones with their meaning, all others under what is to come."""
    later = [
        name
        for name, shape in SCHEMA["$defs"].items()
        if "$comment" in shape.get("properties", {}).get("kind", {})
    ]
    page = reference()
    for name, shape in SCHEMA["$defs"].items():
        if name in later or name.removesuffix("_action") + "_step" in later or name in TO_COME:
            continue
        for key in shape.get("properties", {}):
            assert f"`{key}`" in page, (name, key)


TO_COME = {
    "part",
    "shared",
    "knowledge_binding",
    "resource",
    "received",
    "limits",
    "defaults",
    "delivery",
    "merge",
    "openapi_tool",
    "secret",
    "basic",
    "basic_auth",
    "bearer_auth",
}
"""Shapes whose keys are not told one by one."""


def test_the_reference_says_where_each_name_is_in_scope() -> None:
    named = set(
        re.findall(
            r"^\| `(\w+)` \|", reference().partition("### What is in scope")[2].partition("###")[0], re.M
        )
    )
    assert named == RESERVED - {"secrets"}


@pytest.mark.parametrize("text", FRAGMENTS)
def test_a_fragment_shown_has_the_shape_of_a_spec(text: str) -> None:
    data = yaml.safe_load(text)
    shapes = SCHEMA["$defs"]["part" if "part" in data else "spec"]["properties"]
    assert data.keys() <= shapes.keys()
    for key in data.keys() - {"steps"}:  # of steps only the keys that matter are shown
        jsonschema.Draft202012Validator({"$defs": SCHEMA["$defs"], **shapes[key]}).validate(data[key])


def test_links_within_the_reference_lead_to_headings() -> None:
    headings = {
        re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        for heading in re.findall(r"^#+ (.*)$", reference(), re.MULTILINE)
    }
    assert set(re.findall(r"\]\(#([^)]*)\)", reference())) <= headings
