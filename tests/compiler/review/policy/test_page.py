"""The policy that the page about policies shows is a good one, and finds what the page says."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[4]
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def fence(page: str, language: str) -> str:
    return next(text for kind, text in FENCE.findall((ROOT / page).read_text("utf-8")) if kind == language)


def test_the_policy_shown_finds_what_is_shown(wfc, tmp_path: Path) -> None:
    (tmp_path / "wfc-policy.yaml").write_text(fence("docs/policy.md", "yaml"), "utf-8")
    (tmp_path / "refund.yaml").write_text(fence("README.md", "yaml"), "utf-8")
    assert wfc("policy", "test").out == "passed  small sums are paid without a person\n"
    done = wfc("policy", "check", ".", "--format", "concise")
    assert done.out == fence("docs/policy.md", "text")


def test_a_folder_with_a_policy_is_checked_as_before(wfc, tmp_path: Path) -> None:
    """A policy is no spec, though its tests have some in them."""
    (tmp_path / "wfc-policy.yaml").write_text(fence("docs/policy.md", "yaml"), "utf-8")
    (tmp_path / "refund.yaml").write_text(fence("README.md", "yaml"), "utf-8")
    done = wfc("check", ".")
    assert (done.status, done.out) == (0, "")
    assert "1 spec" in done.err
