"""Tools of `release_notes.yaml`: a git history read, and release notes written."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

_FIELDS = ["%h", "%an", "%s", "%b"]
_FIELD_END, _COMMIT_END = "\x1f", "\x1e"
_HEADINGS = {"added": "Added", "changed": "Changed", "fixed": "Fixed", "other": "Other"}
_MOST_COMMITS = 5000


class HistoryUnreadable(Exception):
    """The folder is no git repository, or the range is none that git knows."""


def read_history(repository: str, range: str | None) -> list[dict[str, str]]:
    """The commits of a range, newest first, merges left out.

    Args:
        repository: A folder inside a git repository.
        range: As ``git log`` takes it; by default all since the last tag, or all.
    """
    chosen = range or _since_last_tag(repository)
    form = _FIELD_END.join(_FIELDS) + _COMMIT_END
    # --end-of-options: a range such as `--output=x` is a range, not an option
    log = _git(
        repository,
        "log",
        "--no-merges",
        f"--max-count={_MOST_COMMITS}",
        f"--format={form}",
        "--end-of-options",
        chosen,
    )
    commits = [entry.strip("\n").split(_FIELD_END) for entry in log.split(_COMMIT_END) if entry.strip()]
    return [
        {"id": id, "author": author, "subject": subject, "body": body.strip()}
        for id, author, subject, body in commits
    ]


def write_markdown(title: str, commits: list[dict[str, Any]], save_to: str | None) -> str:
    """Release notes: a heading for each group that has commits, a line for each commit."""
    sections = [f"# {_plain(title)}\n"]
    for group, heading in _HEADINGS.items():
        lines = [_line(each["commit"]) for each in commits if each["group"] == group]
        if lines:
            sections.append(f"## {heading}\n" + "".join(lines))
    if len(sections) == 1:
        sections.append("Nothing has changed.\n")
    markdown = "\n".join(sections)
    if save_to is not None:
        Path(save_to).parent.mkdir(parents=True, exist_ok=True)
        Path(save_to).write_text(markdown, encoding="utf-8")
    return markdown


def _line(commit: dict[str, str]) -> str:
    return f"- {_plain(commit['subject'])} ({commit['id']}, {_plain(commit['author'])})\n"


def _plain(text: str) -> str:
    """Markdown's own signs made harmless: a commit's subject is data."""
    return "".join(f"\\{sign}" if sign in "\\`*_[]<>#|" else sign for sign in text)


def _since_last_tag(repository: str) -> str:
    try:
        tag = _git(repository, "describe", "--tags", "--abbrev=0").strip()
    except HistoryUnreadable:
        return "HEAD"
    return f"{tag}..HEAD"


def _git(repository: str, *arguments: str) -> str:
    try:
        done = subprocess.run(
            ["git", "-C", repository, *arguments],
            capture_output=True,
            check=True,
            encoding="utf-8",
            errors="replace",
            timeout=50,
        )
    except FileNotFoundError as error:
        raise HistoryUnreadable("git is not installed") from error
    except subprocess.CalledProcessError as error:
        raise HistoryUnreadable(error.stderr.strip() or "git gave no reason") from error
    return done.stdout
