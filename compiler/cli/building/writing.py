"""Generated modules and pictures written to files, all or none, with the manifests that list them."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256

import click

from wfc.compiler.cli.building.manifest import MOST_BYTES, Manifest, manifest_text, read_manifest
from wfc.compiler.cli.building.outputs import Output
from wfc.compiler.workspace.detection import workflow_names
from wfc.compiler.workspace.reading import read_file
from wfc.compiler.workspace.sources import MANIFEST, RealPaths, quoted_path
from wfc.compiler.workspace.writing import write_whole

__all__ = ["content_at", "digest_of", "is_generated", "write_all"]

HEADER = re.compile(
    r"^(?P<mark>#|%%|//|<!--) Generated from .+\n"
    r"(?P=mark) sha256:[0-9a-f]{64}, (?:output format [0-9]+|drawn as [a-z]+)(?: -->)?$",
    re.MULTILINE,
)
"""That of modules, and that of pictures in each of their languages."""


def write_all(
    outputs: Sequence[Output],
    specs: Iterable[str],
    *,
    force: bool,
    without: Mapping[str, Sequence[str]] | None = None,
) -> None:
    """Write modules, pictures and each folder's manifest; all are prepared before the first file is replaced.

    Args:
        outputs: Those without a text stand there as they are meant.
        specs: The paths of what is compiled, which is never overwritten.
        force: Whether files are overwritten that wfc did not write, or that somebody has edited since.
        without: The names that no manifest is to list any more, by folder; of these, what wfc has written is deleted.

    Raises:
        click.UsageError: Two modules would be one file, a file there is not ours or has been edited, or a folder cannot
            be written.
    """
    refuse_two_in_one(outputs)
    without = without or {}
    folders = dict.fromkeys([*(output.folder for output in outputs), *without])
    known = {folder: read_manifest(folder, force=force) for folder in folders}
    texts: dict[str, bytes] = {}
    for output in outputs:
        if output.text is None:
            continue
        there = content_at(output.path)
        if digest_of(there) != output.sha256:
            refuse_loss(output, there, known[output.folder], force=force)
            texts[output.path] = output.text.encode()
    here: dict[str, list[Output]] = {folder: [] for folder in folders}
    for output in outputs:
        here[output.folder].append(output)
    for folder, manifest in known.items():
        place = os.path.normpath(os.path.join(folder, MANIFEST))
        written = manifest_text(manifest, folder, here[folder], without.get(folder, ()))
        if content_at(place) != written:
            texts[place] = written
    named = (os.path.join(folder, name) for folder, names in without.items() for name in names)
    deleted = [path for path in named if is_generated(content_at(path) or b"")]
    real = RealPaths()
    read = {real.of(path) for path in {*specs, *(each.origin for each in outputs)}}
    for path in (*texts, *deleted):
        if real.of(path) in read:
            raise click.UsageError(f"{quoted_path(path)} is what is compiled, and would be overwritten")
    write_and_delete(texts, deleted)


def refuse_two_in_one(outputs: Sequence[Output]) -> None:
    owners: dict[str, Output] = {}
    for output in outputs:
        if output.path in owners:
            raise click.UsageError(
                f"what is made of {quoted_path(owners[output.path].origin)} and of {quoted_path(output.origin)} "
                f"would both be written to {quoted_path(output.path)}"
            )
        owners[output.path] = output


def refuse_loss(output: Output, there: bytes | None, known: Manifest, *, force: bool) -> None:
    """Refuse to overwrite what somebody else has written, or what belongs to another spec that is still there.

    Raises:
        click.UsageError: It is not what wfc wrote, or not for this spec.
    """
    if there is None or force:
        return
    path = output.path
    entry = known.entries.get(output.name)
    if not is_generated(there):
        raise click.UsageError(f"{quoted_path(path)} was not written by wfc; `--force` overwrites it")
    if entry is None:
        raise click.UsageError(
            f"{quoted_path(path)} is in no {MANIFEST}, so nobody can tell whether it was edited; "
            "`--force` overwrites it"
        )
    if entry.get("sha256") != digest_of(there):
        raise click.UsageError(
            f"{quoted_path(path)} has been edited since wfc wrote it; bring the change into the spec, or let "
            "`--force` overwrite it"
        )
    made_of = os.path.normpath(os.path.join(output.folder, str(entry.get("source", ""))))
    if not os.path.isfile(made_of) or os.path.samefile(made_of, output.origin):
        return
    if output.form:
        raise click.UsageError(
            f"{quoted_path(path)} is the picture of {quoted_path(made_of)}; `--force` overwrites it"
        )
    if output.workflow and output.workflow in workflow_names([(made_of, content_at(made_of) or b"")]):
        raise click.UsageError(
            f"{quoted_path(path)} is the module of {quoted_path(made_of)}, whose workflow has the name "
            f"`{output.workflow}` as that of {quoted_path(output.origin)} has; rename one of them, or let `--force` "
            "overwrite it"
        )


def write_and_delete(texts: Mapping[str, bytes], deleted: Iterable[str]) -> None:
    try:
        write_whole(texts)
        for path in deleted:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(path)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise click.UsageError(f"cannot write {quoted_path(str(error.filename))}: {reason}") from None


def content_at(path: str) -> bytes | None:
    """Return what is in a file; ``None`` if there is none.

    Raises:
        click.UsageError: It cannot be read.
    """
    try:
        return read_file(path, MOST_BYTES)
    except FileNotFoundError:
        return None
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise click.UsageError(f"cannot write {quoted_path(path)}: {reason}") from None


def digest_of(content: bytes | None) -> str:
    """Return the digest of a generated file, whichever line ends git has given it; of none an empty text."""
    return "" if content is None else sha256(content.replace(b"\r\n", b"\n")).hexdigest()


def is_generated(content: bytes) -> bool:
    """Return whether a file has the header of generated modules, or of pictures."""
    return HEADER.search(content.decode(errors="replace").replace("\r\n", "\n")) is not None
