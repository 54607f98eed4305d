"""What the language promises, sentence by sentence.

Each file here holds specs separated by ``---``. A spec's first lines are the sentence that it shows. It shows it by
its own tests, all of which must pass; or by lines ``#! code text``: these findings, and no others, at these
stretches of the spec.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent


def specs() -> Iterator[Any]:
    for path in sorted(HERE.glob("*.yaml")):
        for text in path.read_text(encoding="utf-8").split("\n---\n"):
            sentence = " ".join(line[2:] for line in text.splitlines() if line.startswith("# "))
            yield pytest.param(text, id=f"{path.stem}: {sentence}")


@pytest.mark.parametrize("spec", list(specs()))
def test_sentence(spec: str, shown: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STAGE_KEY", "a-key-of-no-worth")
    expected = [line[3:] for line in spec.splitlines() if line.startswith("#! ")]
    if expected:
        assert shown.findings(spec) == expected
    else:
        shown.tests(spec)
