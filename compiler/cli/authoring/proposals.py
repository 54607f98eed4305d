"""Changes of specs proposed as branches of git, for others to review; the working tree stays, and no hook runs."""

from __future__ import annotations

import re
import subprocess
import uuid
from collections.abc import Mapping
from typing import Any, Final

from wfc.compiler.cli.reviewing.git import Repository
from wfc.compiler.workspace.sources import PathError
from wfc.runtime.server.calls import Problem

__all__ = ["BRANCHES", "Proposals"]

BRANCHES: Final = "proposals/"
_NAME: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,59}")
_NOTHING: Final = "0" * 40
_TOLD: Final = (
    "%(refname:strip=3)%00%(objectname)%00%(authorname)%00%(committerdate:iso-strict)%00%(contents:subject)"
)


class Proposals:
    """The proposals of the repository in which a folder of specs is.

    Args:
        root: The folder.
    """

    def __init__(self, root: str) -> None:
        self._root = root

    def _repository(self) -> Repository:
        try:
            return Repository(self._root)
        except PathError:
            raise Problem(409, "proposal.no_git", "the specs are in no git repository") from None

    def head(self) -> str:
        """Return the commit that proposals begin from.

        Raises:
            Problem: There is none.
        """
        try:
            return self._repository().commit("HEAD")
        except PathError as error:
            raise Problem(409, "proposal.no_git", str(error)) from None

    def make(self, files: Mapping[str, str], about: str, by: str) -> str:
        """Make a commit of changed files upon `HEAD`, which no branch has yet, and return its id.

        Raises:
            Problem: It cannot be made.
        """
        repository, onto = self._repository(), self.head()
        kept = f"refs/wfc/{uuid.uuid4().hex}"
        who = re.sub(r"[<>\x00-\x1f]", "", by).strip() or "somebody"
        message = about.encode()
        parts = [f"commit {kept}\ncommitter {who} <{who}> now\ndata {len(message)}\n".encode(), message]
        parts.append(f"\nfrom {onto}\n".encode())
        for path, text in files.items():
            raw = text.encode()
            parts += [f"M 100644 inline {repository.prefix}{path}\ndata {len(raw)}\n".encode(), raw, b"\n"]
        try:
            repository.run("fast-import", "--quiet", "--date-format=now", given=b"".join([*parts, b"done\n"]))
            made = repository.commit(kept)
            repository.run("update-ref", "-d", kept)
        except PathError as error:
            raise Problem(409, "proposal.git", str(error)) from None
        return made

    def keep(self, name: str, commit: str) -> str:
        """Give a commit a new branch, and return the name of that.

        Raises:
            Problem: There is such a branch, or it is no name.
        """
        if not _NAME.fullmatch(name):
            raise Problem(
                422, "proposal.name", "a proposal's name has small letters, digits and `-`, 60 at most"
            )
        try:
            self._repository().run("update-ref", f"refs/heads/{BRANCHES}{name}", commit, _NOTHING)
        except PathError:
            raise Problem(409, "proposal.exists", f"there is a proposal `{name}`") from None
        return BRANCHES + name

    def all(self) -> list[dict[str, Any]]:
        """Return all proposals, the newest first."""
        try:
            listed = self._repository().run(
                "for-each-ref",
                "--sort=-committerdate",
                "--count=200",
                f"--format={_TOLD}",
                f"refs/heads/{BRANCHES}",
            )
        except (PathError, subprocess.SubprocessError) as error:
            raise Problem(409, "proposal.git", str(error)) from None
        names = ("name", "commit", "by", "at", "about")
        lines = listed.decode("utf-8", "replace").splitlines()
        return [dict(zip(names, line.split("\0"), strict=True)) for line in lines]
