"""Tools of `release_notes.yaml`: read a git history, and write release notes."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

_FIELDS = ["%h", "%an", "%s", "%b"]
_FIELD_END, _COMMIT_START = "\x1f", "\x1e"
_HEADINGS = {
    "added": "Added",
    "changed": "Changed",
    "fixed": "Fixed",
    "removed": "Removed",
    "documentation": "Documentation",
    "tests": "Tests",
    "other": "Other",
}
_DOCUMENTS = (".md", ".rst", ".adoc", ".txt")


class HistoryUnreadable(Exception):
    """The folder is no git repository, or the range is none that git knows."""


def read_history(repository: str, range: str | None, at_most: int) -> list[dict[str, Any]]:
    """The commits of a range, newest first, merges left out.

    Args:
        repository: A folder inside a git repository.
        range: As ``git log`` takes it; by default all since the last tag, or all.
        at_most: How many commits to read, the newest.
    """
    chosen = range or _since_last_tag(repository)
    form = _COMMIT_START + _FIELD_END.join(_FIELDS) + _FIELD_END
    # --end-of-options: a range such as `--output=x` is a range, not an option
    log = _git(
        repository,
        "log",
        "--no-merges",
        "--name-status",
        f"--max-count={at_most}",
        f"--format={form}",
        "--end-of-options",
        chosen,
    )
    return [_commit(entry) for entry in log.split(_COMMIT_START)[1:]]


def _commit(entry: str) -> dict[str, Any]:
    id, author, subject, body, files = entry.split(_FIELD_END, 4)
    changes = [line.split("\t") for line in files.splitlines() if "\t" in line]
    return {
        "id": id,
        "author": author,
        "subject": subject,
        "body": body.strip(),
        "touches": _touches([change[-1] for change in changes]),
        "adds_files": any(change[0] == "A" for change in changes),
    }


def _touches(paths: list[str]) -> str:
    """``tests`` or ``documentation`` where nothing else is changed."""
    rest = [path for path in paths if not path.endswith(_DOCUMENTS) and not path.startswith("docs/")]
    if paths and not rest:
        return "documentation"
    if rest and all("test" in path.lower() for path in rest):
        return "tests"
    return "code"


def write_markdown(title: str, commits: list[dict[str, Any]], save_to: str | None) -> str:
    """Release notes: a heading for each group that has commits, a line for each different subject."""
    authors = {each["commit"]["author"] for each in commits}
    sections = [f"# {_plain(title)}\n"]
    for group, heading in _HEADINGS.items():
        subjects: dict[str, list[dict[str, str]]] = {}
        for each in commits:
            if each["group"] == group:
                subjects.setdefault(each["commit"]["subject"], []).append(each["commit"])
        if subjects:
            lines = [_line(subject, alike, len(authors) > 1) for subject, alike in subjects.items()]
            sections.append(f"## {heading}\n" + "".join(lines))
    if len(sections) == 1:
        sections.append("Nothing has changed.\n")
    markdown = "\n".join(sections)
    if save_to is not None:
        Path(save_to).parent.mkdir(parents=True, exist_ok=True)
        Path(save_to).write_text(markdown, encoding="utf-8")
    return markdown


def _line(subject: str, commits: list[dict[str, str]], with_authors: bool) -> str:
    told = [commit["id"] for commit in commits]
    if with_authors:
        told += dict.fromkeys(_plain(commit["author"]) for commit in commits)
    return f"- {_plain(subject)} ({', '.join(told)})\n"


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
