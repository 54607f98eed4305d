"""Reading the history of a git repository, by a process of git that runs nothing which the repository names."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Sequence

from wfc.compiler.diagnostics.escaping import printable
from wfc.compiler.limits import MAX_BYTES
from wfc.compiler.slotted import dataclass
from wfc.compiler.workspace.sources import PathError

__all__ = ["Repository", "TreeEntry"]

_SAFE = {
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_PAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}
"""No network, no locks, no pager, and messages that can be read."""

_COMMAND = ("git", "--no-pager", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null")
_LINK, _MODULE = "120000", "160000"


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """A file of a commit.

    Args:
        blob: The id of its content; empty for a link, which is not followed.
        is_module: Whether it is a submodule, whose files are not looked at.
    """

    blob: str
    is_module: bool = False


class Repository:
    """A git repository, as seen from a folder in it.

    Args:
        folder: The folder; paths are relative to it.

    Raises:
        PathError: There is no repository, or no git.
    """

    def __init__(self, folder: str = ".") -> None:
        self.folder = folder
        self.prefix = self.run("rev-parse", "--show-prefix").decode(errors="surrogateescape").rstrip("\n")
        self._blobs: dict[str, bytes] = {}

    def commit(self, revision: str) -> str:
        """Return the id of the commit that a revision names.

        Raises:
            PathError: It names none.
        """
        shown = f"`{printable(revision)}`"
        if not revision or revision.startswith("-") or any(ord(each) < 32 for each in revision):
            raise PathError(f"{shown} is no revision")
        done = self.start("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
        if done.returncode == 0:
            return done.stdout.decode().strip()
        if self.start("rev-parse", "--verify", "--quiet", "HEAD").returncode:
            raise PathError("the repository has no commit yet, so there is nothing to compare with")
        if self.start("rev-parse", "--is-shallow-repository").stdout.strip() == b"true":
            more = "the clone is shallow, so fetch more of the history (`git fetch --unshallow`)"
            raise PathError(f"{shown} is no file, and no revision that is here: {more}")
        raise PathError(f"{shown} is no file, no folder and no revision")

    def merge_base(self, one: str, other: str) -> str:
        """Return the commit at which two commits have parted.

        Raises:
            PathError: They have no commit in common.
        """
        done = self.start("merge-base", one, other)
        if done.returncode:
            raise PathError("the two revisions have no commit in common; perhaps the clone is shallow")
        return done.stdout.decode().strip()

    def has(self, commit: str, path: str) -> bool:
        """Return whether a commit has a file or a folder."""
        done = self.start("cat-file", "-e", f"{commit}:./{path}")
        return done.returncode == 0

    def files(self, commit: str) -> dict[str, TreeEntry]:
        """Return all files of a commit, by their path from this folder with ``/``."""
        listed = self.run("ls-tree", "-r", "-z", "--full-tree", commit)
        found: dict[str, TreeEntry] = {}
        for line in listed.split(b"\0")[:-1]:
            about, _, raw = line.partition(b"\t")
            mode, _, blob = about.decode().split()
            path = raw.decode(errors="surrogateescape")
            shown = path.removeprefix(self.prefix) if path.startswith(self.prefix) else self.outside(path)
            found[shown] = TreeEntry("" if mode in (_LINK, _MODULE) else blob, mode == _MODULE)
        return found

    def outside(self, path: str) -> str:
        """Return a path from the repository's top that is not below this folder, as seen from here."""
        here, there = self.prefix.split("/")[:-1], path.split("/")
        common = 0
        while common < len(here) and here[common] == there[common]:
            common += 1
        return "../" * (len(here) - common) + "/".join(there[common:])

    def contents(self, blobs: Iterable[str]) -> dict[str, bytes]:
        """Return contents by their ids; of a large one as much as shows that it is too large.

        Raises:
            PathError: One is not here, as in a clone of a part.
        """
        wanted = [each for each in dict.fromkeys(blobs) if each not in self._blobs]
        if wanted:
            checked = self.run("cat-file", "--batch-check", given=_lines(wanted)).splitlines()
            large = [blob for blob, line in zip(wanted, checked, strict=True) if _size(line) > MAX_BYTES]
            self._blobs |= dict.fromkeys(large, b" " * (MAX_BYTES + 1))
            rest = [each for each in wanted if each not in self._blobs]
            self._read(rest, self.run("cat-file", "--batch", given=_lines(rest)))
        return self._blobs

    def _read(self, wanted: Sequence[str], given: bytes) -> None:
        at = 0
        for blob in wanted:
            end = given.index(b"\n", at)
            said = given[at:end].split()
            if said[1:2] != [b"blob"]:
                raise PathError(f"the content {blob} is not in this clone: fetch it, or clone the whole")
            size = int(said[2])
            self._blobs[blob] = given[end + 1 : end + 1 + size]
            at = end + 1 + size + 1

    def run(self, *arguments: str, given: bytes = b"") -> bytes:
        """Return what a command of git prints.

        Raises:
            PathError: It fails.
        """
        done = self.start(*arguments, given=given)
        if done.returncode:
            said = done.stderr.decode(errors="replace").strip().split("\n")[0].removeprefix("fatal: ")
            raise PathError(f"git says: {printable(said)}")
        return done.stdout

    def start(self, *arguments: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        environment = {name: each for name, each in os.environ.items() if name != "GIT_EXTERNAL_DIFF"}
        try:
            return subprocess.run(  # noqa: S603  a program that the user has, with arguments of ours
                [*_COMMAND, *arguments],
                cwd=self.folder,
                env={**environment, **_SAFE},
                input=given,
                capture_output=True,
                check=False,
            )
        except FileNotFoundError:
            raise PathError("git is not installed, so only files and folders can be compared") from None


def _lines(blobs: Iterable[str]) -> bytes:
    return "".join(f"{each}\n" for each in blobs).encode()


def _size(line: bytes) -> int:
    """Return the size that a line of `cat-file --batch-check` tells; 0 for what is not there."""
    said = line.split()
    return int(said[2]) if said[1:2] == [b"blob"] else 0
