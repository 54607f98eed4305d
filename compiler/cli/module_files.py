"""Generated modules, written to files all or none, and the manifest that lists them."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Any

import click

from wfc.compiler.codegen import OUTPUT_FORMAT
from wfc.compiler.slotted import dataclass, field
from wfc.compiler.workspace.reading import read_file
from wfc.compiler.workspace.sources import quoted_path
from wfc.compiler.workspace.writing import write_whole

__all__ = ["MANIFEST", "Output", "write_all"]

MANIFEST = "wfc-manifest.json"
MOST_BYTES = 2**28
"""How much is read of what is there: a module of the largest spec is smaller by far."""
HEADER = re.compile(r"^# Generated from .+\n# sha256:[0-9a-f]{64}, output format [0-9]+$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Output:
    """A generated module to be written.

    Args:
        folder: The folder to write to.
        name: The file's name.
        workflow: The workflow's name; empty for a module of declarations.
        origin: The spec's path, as the user gave it.
        source: The spec's path, relative to the folder, with ``/``.
        source_sha256: Of the spec's bytes.
        python: The module's text.
        triggers: What starts runs of the workflow, by name, as plain data.
    """

    folder: str
    name: str
    workflow: str
    origin: str
    source: str
    source_sha256: str
    python: str
    triggers: Mapping[str, object] = field(default_factory=dict)

    @property
    def path(self) -> str:
        """The path to which the module is written."""
        return os.path.normpath(os.path.join(self.folder, self.name))


def write_all(outputs: Sequence[Output], specs: Iterable[str], *, force: bool) -> None:
    """Write modules and each folder's manifest; all are prepared before the first file is replaced.

    Args:
        specs: The paths of what is compiled, which is never overwritten.

    Raises:
        click.UsageError: Two modules would be one file, a file there is not ours, or a folder cannot be written.
    """
    texts: dict[str, bytes] = {}
    owners: dict[str, Output] = {}
    for output in outputs:
        if output.path in texts:
            raise click.UsageError(
                f"the modules of {quoted_path(owners[output.path].origin)} and {quoted_path(output.origin)} "
                f"would both be written to {quoted_path(output.path)}"
            )
        texts[output.path] = output.python.encode()
        owners[output.path] = output
    for folder in dict.fromkeys(output.folder for output in outputs):
        here = [output for output in outputs if output.folder == folder]
        texts[os.path.normpath(os.path.join(folder, MANIFEST))] = manifest(folder, here, force)
    read = {os.path.realpath(path) for path in (*specs, *(each.origin for each in outputs))}
    for path in texts:
        if os.path.realpath(path) in read:
            raise click.UsageError(f"{quoted_path(path)} is what is compiled, and would be overwritten")
    try:
        replace(texts, force)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise click.UsageError(f"cannot write {quoted_path(str(error.filename))}: {reason}") from None


def manifest(folder: str, outputs: Sequence[Output], force: bool) -> bytes:
    """Return a folder's manifest: the modules written now, and those of earlier compiles that still exist."""
    modules = {
        name: entry
        for name, entry in earlier(os.path.join(folder, MANIFEST), force).items()
        if os.path.isfile(os.path.join(folder, name))
    }
    for output in outputs:
        modules[output.name] = {
            "workflow": output.workflow,
            "source": output.source,
            "source_sha256": output.source_sha256,
            "sha256": sha256(output.python.encode()).hexdigest(),
            **({"triggers": output.triggers} if output.triggers else {}),
        }
    record = {"output_format": OUTPUT_FORMAT, "modules": dict(sorted(modules.items()))}
    # the name of a file need not be a text; as JSON writes it, it comes back as it was
    return (json.dumps(record, indent=2, ensure_ascii=False) + "\n").encode(errors="backslashreplace")


def earlier(path: str, force: bool) -> dict[str, Any]:
    """Return the modules of the existing manifest; none if there is no manifest."""
    try:
        record = json.loads(read_file(path, MOST_BYTES))
    except OSError:
        return {}  # none there; or none can be, which the writing will say
    except (ValueError, RecursionError):
        record = None
    if isinstance(record, dict) and "output_format" in record and isinstance(record.get("modules"), dict):
        return {name: entry for name, entry in record["modules"].items() if is_entry(name, entry)}
    if force:
        return {}
    raise click.UsageError(f"{quoted_path(path)} is not a manifest of wfc; `--force` overwrites it")


def is_entry(name: str, entry: object) -> bool:
    return (
        os.path.basename(name) == name
        and isinstance(entry, dict)
        and all(isinstance(value, dict if key == "triggers" else str) for key, value in entry.items())
    )


def replace(texts: dict[str, bytes], force: bool) -> None:
    changed = {path: raw for path, raw in texts.items() if existing(path) != raw}
    for path in changed:
        if not (force or os.path.basename(path) == MANIFEST or is_ours(existing(path))):
            raise click.UsageError(f"{quoted_path(path)} was not written by wfc; `--force` overwrites it")
    write_whole(changed)


def existing(path: str) -> bytes | None:
    try:
        return read_file(path, MOST_BYTES)
    except FileNotFoundError:
        return None


def is_ours(raw: bytes | None) -> bool:
    return raw is None or HEADER.search(raw.decode(errors="replace")) is not None
