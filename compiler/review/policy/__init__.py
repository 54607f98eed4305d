"""Rules of an organisation, held against workflows; nothing of them is run."""

from __future__ import annotations

from wfc.compiler.review.policy.judging import judge, judge_changes
from wfc.compiler.review.policy.policy import Policy, PolicyRule, PolicyTest
from wfc.compiler.review.policy.reading import read_policy

__all__ = ["Policy", "PolicyRule", "PolicyTest", "judge", "judge_changes", "read_policy"]
