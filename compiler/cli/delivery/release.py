"""The files of a git revision, as they are brought to an installation: read from git, written anew, run by nobody."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import click

from wfc.compiler.cli.delivery.environment import Environment
from wfc.compiler.cli.findings import note, show
from wfc.compiler.cli.programs import compiled_here
from wfc.compiler.cli.reviewing.git import Repository
from wfc.compiler.diagnostics.escaping import printable
from wfc.compiler.limits import MAX_BYTES
from wfc.compiler.workspace.project import project_of
from wfc.compiler.workspace.severity import with_severities
from wfc.compiler.workspace.sources import find_specs

__all__ = ["Release", "commit_of", "written_release"]

MOST: Final = 20_000
"""How many files a revision has at most."""


@dataclass(frozen=True)
class Release:
    """The files of a revision, or of a part of it, in a folder.

    Args:
        name: What the release is known by in its installation.
        folder: Where the files are.
    """

    name: str
    folder: str

    def is_good(self) -> bool:
        """Return whether all its specs can be compiled; what is wrong is shown."""
        sources = find_specs([self.folder], note)
        project = project_of(sources)
        checked = [with_severities(compiled_here(one.raw, one.path, project)) for one in sources]
        show(checked, on_error_stream=True)
        return not any(one.failed for one in checked)


def commit_of(revision: str) -> str:
    """Return the id of the commit that a revision names."""
    return Repository().commit(revision)


@contextlib.contextmanager
def written_release(environment: Environment, commit: str, within: str) -> Iterator[Release]:
    """Give the files of a commit in a folder of the installation, which is gone afterwards unless it was kept.

    Raises:
        click.ClickException: There are none, or too many.
    """
    within = os.path.normpath(within).replace(os.sep, "/")
    name = commit if within == "." else f"{commit}-{hashlib.sha256(os.fsencode(within)).hexdigest()[:16]}"
    folder = environment.release(name)
    if os.path.isdir(folder):
        yield Release(name, folder)
        return
    folder = tempfile.mkdtemp(prefix=".new-", dir=os.path.dirname(folder))
    try:
        os.chmod(folder, 0o755)  # noqa: S103 - servers may be another user's
        _write(Repository(), commit, within, folder)
        yield Release(name, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _write(repository: Repository, commit: str, within: str, folder: str) -> None:
    prefix = "" if within == "." else f"{within}/"
    files = {
        path.removeprefix(prefix): entry.blob
        for path, entry in repository.files(commit).items()
        if entry.blob and path.startswith(prefix) and _is_plain(path.removeprefix(prefix))
    }
    if not files or len(files) > MOST:
        told = f"{commit[:12]} has {len(files)} files in {within}: at least one is wanted, and {MOST} at most"
        raise click.ClickException(printable(told))
    contents = repository.contents(files.values())
    for path, blob in files.items():
        if len(contents[blob]) > MAX_BYTES:
            note(printable(f"{path} is too large, and left out"))
            continue
        place = os.path.join(folder, *path.split("/"))
        os.makedirs(os.path.dirname(place), exist_ok=True)
        with open(place, "xb") as file:
            file.write(contents[blob])


def _is_plain(path: str) -> bool:
    """Return whether a path leads to a file below the folder that is not hidden."""
    parts = path.split("/")
    return all(one and not one.startswith(".") and "\\" not in one and "\0" not in one for one in parts)
