"""Whatever the layout, the canonical form says the same, loses no comment, and is its own canonical form."""

from __future__ import annotations

from random import Random

import pytest

from tests.compiler.review.formatting.layouts import Layout, random_spec
from wfc.compiler.review.formatting import formatted
from wfc.compiler.yaml import read


def data_of(text: str) -> object:
    findings: list[object] = []
    document = read(text.encode(), "some.yaml", findings.append)
    assert not findings, (findings, text)
    return document.data


def keys_of(data: object) -> object:
    """All keys in their order, but for those of steps, which may change places."""
    if isinstance(data, dict):
        return [(key, keys_of(value)) for key, value in data.items()]
    return [keys_of(each) for each in data] if isinstance(data, list) else None


def without_order_of_steps(data: object) -> object:
    assert isinstance(data, dict)
    steps = {name: dict(sorted(step.items())) for name, step in data["steps"].items()}
    return {**data, "steps": steps}


def hold(seed: int) -> None:
    chance = Random(seed)  # noqa: S311
    data = random_spec(chance)
    layout = Layout(chance)
    text = layout.document(data)
    assert data_of(text) == data, f"{seed}: the layout is wrong:\n{text}"
    found = formatted(text)
    assert isinstance(found, str), f"{seed}: {found}"
    assert data_of(found) == data, f"{seed}:\n{text}\n=====\n{found}"
    assert keys_of(without_order_of_steps(data_of(found))) == keys_of(without_order_of_steps(data))
    for comment in layout.comments:
        assert found.count(comment) == 1, f"{seed}: {comment}\n{text}\n=====\n{found}"
    assert formatted(found) == found, f"{seed}:\n{found}\n=====\n{formatted(found)}"
    assert "\n\n\n" not in found.replace("kept\n\n\n", "") or "+" in text or "late" in text
    assert formatted(text.replace("\n", "\r\n")) == found.replace("\n", "\r\n")


def test_random_layouts() -> None:
    for seed in range(60):
        hold(seed)


@pytest.mark.full
def test_more_random_layouts() -> None:
    for seed in range(1_000, 1_800):
        hold(seed)


@pytest.mark.slow
def test_ten_thousand_random_layouts() -> None:
    for seed in range(10_000, 20_000):
        hold(seed)
