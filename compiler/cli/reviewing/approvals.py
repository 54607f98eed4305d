"""Approvals of changes: a file in the pull request, which every reviewer sees, and which ends with the change."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Mapping
from typing import Final

from wfc.compiler.slotted import dataclass, field
from wfc.compiler.workspace.reading import read_or_reason
from wfc.compiler.workspace.sources import PathError, quoted_path

__all__ = ["FILE", "Approvals", "approve", "read_approvals"]

FILE: Final = "wfc-approvals.txt"
MOST_BYTES: Final = 1_000_000
_HEAD: Final = """\
# Changes of workflows that a person has looked at and approved: a change's fingerprint, and why. `wfc diff --approve`
# writes them. A line whose change is merged, or is no more, does nothing: delete it.
"""
_LINE: Final = re.compile(
    r"(?P<id>[0-9a-f]{12})\s+(?P<rule>[a-z0-9-]+)\s+(?P<about>\S+)\s+because\s+(?P<why>\S.*)"
)


@dataclass(frozen=True, slots=True)
class Approvals:
    """What has been approved.

    Args:
        reasons: By fingerprint, why.
    """

    reasons: Mapping[str, str] = field(default_factory=dict)

    def reason(self, fingerprint: str) -> str | None:
        """Return why a change has been approved; ``None``: it has not been."""
        return self.reasons.get(fingerprint)

    def notes(self, here: Collection[str]) -> list[str]:
        """Return a line for each approval that is of no change here."""
        return [
            f"{FILE} approves {each}, which is no change here: delete its line"
            for each in self.reasons
            if each not in here
        ]


def read_approvals(path: str = FILE) -> Approvals:
    """Return what a file approves; nothing if there is none.

    Raises:
        PathError: It cannot be read, or a line is no approval.
    """
    if not os.path.lexists(path):
        return Approvals()
    return Approvals({each["id"]: each["why"].strip() for each in _lines(_text(path), path)})


def _text(path: str) -> str:
    raw = read_or_reason(path, MOST_BYTES + 1)
    if isinstance(raw, str):
        raise PathError(f"cannot read {quoted_path(path)}: {raw}")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise PathError(f"cannot read {quoted_path(path)}: it is no text in UTF-8") from None
    if len(raw) > MOST_BYTES:
        raise PathError(f"{quoted_path(path)} is larger than a megabyte")
    return text


def _lines(text: str, path: str) -> list[re.Match[str]]:
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() and not line.lstrip().startswith("#"):
            match = _LINE.fullmatch(line.strip())
            if match is None:
                wanted = "`FINGERPRINT RULE WHERE because REASON`"
                raise PathError(f"{quoted_path(path)}: line {number} is no approval, which is {wanted}")
            found.append(match)
    return found


def approve(fingerprint: str, rule: str, about: str, because: str, path: str = FILE) -> None:
    """Write an approval into a file, in place of an earlier one of the same change.

    Raises:
        PathError: The file cannot be read or written.
    """
    text = _text(path) if os.path.lexists(path) else _HEAD
    _lines(text, path)
    kept = [line for line in text.splitlines() if not line.startswith(f"{fingerprint} ")]
    where = re.sub(r"\s+", "_", about)
    kept.append(f"{fingerprint} {rule} {where} because {' '.join(because.split())}")
    try:
        with open(path, "w", encoding="utf-8", newline="\n") as file:
            file.write("\n".join(kept) + "\n")
    except OSError as error:
        raise PathError(f"cannot write {quoted_path(path)}: {error.strerror}") from error
