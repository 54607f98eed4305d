"""Specs for the tests of the resolution: a small one whose parts each test replaces."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import pytest
import yaml

from wfc.compiler.diagnostics import Finding, Severity
from wfc.compiler.model import Step, Workflow
from wfc.compiler.resolve import resolve
from wfc.compiler.schema import validate
from wfc.compiler.yaml import Document, read


@dataclass
class Resolved:
    """What became of a spec."""

    workflow: Workflow | None
    findings: list[Finding]
    document: Document

    @property
    def found(self) -> list[tuple[str, str]]:
        """Each finding as its code and the text that it points at."""
        result = []
        for finding in self.findings:
            start, end = self.document.span(finding.place)
            result.append((finding.code, self.document.text[start.offset : end.offset]))
        return result

    @property
    def errors(self) -> list[str]:
        return [each.message for each in self.findings if each.severity is Severity.ERROR]

    def step(self, name: str) -> Step:
        assert self.workflow is not None
        return next(step for step in self.workflow.steps if step.name == name)


BASE: dict[str, object] = {
    "wfc": 1,
    "workflow": "greet",
    "start": "Asked",
    "end": "Greeted",
    "events": {"Asked": {"name": "string"}, "Greeted": {"text": "string"}},
    "steps": {
        "greet": {
            "kind": "transform",
            "accepts": "Asked",
            "emit": {"event": "Greeted", "with": {"text": "Hello ${{ event.name }}"}},
        }
    },
}

Resolve = Callable[..., Resolved]


def from_text(text: str) -> Resolved:
    findings: list[Finding] = []
    document = read(text.encode(), "greet.yaml", findings.append)
    spec = validate(document, findings.append)
    workflow = resolve(spec, findings.append) if spec is not None else None
    return Resolved(workflow, findings, document)


@pytest.fixture(scope="session")
def resolved() -> Resolve:
    """Resolves the small spec with some sections replaced; a section given as a text is YAML."""

    def make(text: str = "", /, **sections: object) -> Resolved:
        if text:
            return from_text(text)
        data = {**BASE}
        for name, content in sections.items():
            read_content = (
                yaml.safe_load(content) if isinstance(content, str) and "\n" in content else content
            )
            before = data.get(name)
            merge = name == "events" and isinstance(before, Mapping) and isinstance(read_content, Mapping)
            data[name] = {**before, **read_content} if merge else read_content  # type: ignore[dict-item]
        data = {key: content for key, content in data.items() if content is not None}
        return from_text(yaml.safe_dump(data, sort_keys=False, allow_unicode=True, width=1000))

    return make
