"""The manifest of a folder: which generated modules and pictures are in it, and what each was made from."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from wfc.compiler.codegen import OUTPUT_FORMAT
from wfc.compiler.limits import MAX_BYTES
from wfc.compiler.workspace.paths import relative_path
from wfc.compiler.workspace.reading import read_file
from wfc.compiler.workspace.sources import MANIFEST, PathError, Source, quoted_path

if TYPE_CHECKING:
    from wfc.compiler.cli.building.outputs import Output

__all__ = [
    "MOST_BYTES",
    "Manifest",
    "entry_of",
    "manifest_text",
    "read_manifest",
    "source_changed",
    "stale_beside",
]

MOST_BYTES = 2**28
"""How much is read of what is there: a module of the largest spec is smaller by far."""
RECORDS = ("triggers", "uses")


class Manifest:
    """A manifest that was read.

    Args:
        modules: What it says of each module, by the file's name.
        output_format: The format of these modules; 0 where there is no manifest.
        pictures: What it says of each picture, in the same way.
    """

    def __init__(
        self,
        modules: Mapping[str, Mapping[str, Any]],
        output_format: int = 0,
        pictures: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> None:
        self.modules = modules
        self.output_format = output_format
        self.pictures = pictures or {}

    @property
    def entries(self) -> dict[str, Mapping[str, Any]]:
        """What it says of all files; a picture's name ends otherwise than a module's."""
        return {**self.modules, **self.pictures}


def read_manifest(folder: str, *, force: bool = False) -> Manifest:
    """Return a folder's manifest; an empty one if there is none.

    Args:
        force: Whether a file that is no manifest counts as none.

    Raises:
        PathError: What is there is no manifest.
    """
    path = os.path.join(folder, MANIFEST)
    try:
        record = json.loads(read_file(path, MOST_BYTES))
    except OSError:
        return Manifest({})  # none there; or none can be, which the writing will say
    except (ValueError, RecursionError):
        record = None
    if isinstance(record, dict) and "output_format" in record and isinstance(record.get("modules"), dict):
        found = {name: entry for name, entry in record["modules"].items() if is_entry(name, entry)}
        drawn = record.get("pictures")
        pictures = drawn.items() if isinstance(drawn, dict) else ()
        written = record["output_format"]
        return Manifest(
            found,
            written if isinstance(written, int) else 0,
            {name: entry for name, entry in pictures if is_entry(name, entry) and "form" in entry},
        )
    if force:
        return Manifest({})
    raise PathError(f"{quoted_path(path)} is not a manifest of wfc; `--force` overwrites it")


def is_entry(name: str, entry: object) -> bool:
    return (
        os.path.basename(name) == name
        and isinstance(entry, dict)
        and all(isinstance(value, dict if key in RECORDS else str) for key, value in entry.items())
    )


def entry_of(output: Output) -> dict[str, object]:
    """Return what a manifest says of a module, or of a picture."""
    return {
        "workflow": output.workflow,
        **({"form": output.form} if output.form else {}),
        "source": output.source,
        "source_sha256": output.source_sha256,
        "sha256": output.sha256,
        **({"uses": dict(sorted(output.uses.items()))} if output.uses else {}),
        **({"triggers": output.triggers} if output.triggers else {}),
    }


def manifest_text(
    known: Manifest, folder: str, outputs: Iterable[Output], without: Iterable[str] = ()
) -> bytes:
    """Return a folder's manifest as text: the modules written now, and those of earlier compiles that still exist.

    A picture stays until it is deleted here: no spec says that there is one, so it could not be missed otherwise.

    Args:
        without: The names of files that are deleted.
    """
    gone = set(without)
    modules: dict[str, Any] = {
        name: entry
        for name, entry in known.modules.items()
        if name not in gone and os.path.isfile(os.path.join(folder, name))
    }
    pictures: dict[str, Any] = {name: each for name, each in known.pictures.items() if name not in gone}
    for output in outputs:
        (pictures if output.form else modules)[output.name] = entry_of(output)
    record: dict[str, object] = {"output_format": OUTPUT_FORMAT, "modules": dict(sorted(modules.items()))}
    if pictures:
        record["pictures"] = dict(sorted(pictures.items()))
    # the name of a file need not be a text; as JSON writes it, it comes back as it was
    return (json.dumps(record, indent=2, ensure_ascii=False) + "\n").encode(errors="backslashreplace")


def stale_beside(sources: Iterable[Source]) -> list[tuple[str, str]]:
    """Return the modules and pictures beside specs that were made from earlier texts, each with its spec's path."""
    found: list[tuple[str, str]] = []
    manifests: dict[str, Manifest] = {}
    for source in sources:
        folder = os.path.dirname(source.path) or "."
        if folder not in manifests:
            manifests[folder] = known_manifest(folder)
        for name, entry in manifests[folder].entries.items():
            if entry.get("source") == os.path.basename(source.path) and is_older(
                folder, name, entry, source.raw
            ):
                found.append((os.path.normpath(os.path.join(folder, name)), source.path))
    return found


def source_changed(module: str) -> str:
    """Return the path of a module's spec if it has changed since the module was made; else an empty text."""
    folder = os.path.dirname(module) or "."
    entry = known_manifest(folder).modules.get(os.path.basename(module), {})
    spec = os.path.normpath(os.path.join(folder, str(entry.get("source", ""))))
    if not os.path.isfile(spec):  # a manifest may name whatever it likes, also what never ends
        return ""
    try:
        raw = read_file(spec, MAX_BYTES + 1)
    except (OSError, ValueError):
        return ""
    shown = relative_path(spec, ".")
    return shown if entry and is_older(folder, os.path.basename(module), entry, raw) else ""


def known_manifest(folder: str) -> Manifest:
    try:
        return read_manifest(folder)
    except PathError:
        return Manifest({})


def is_older(folder: str, name: str, entry: Mapping[str, Any], raw: bytes) -> bool:
    return entry.get("source_sha256") != sha256(raw).hexdigest() and os.path.isfile(
        os.path.join(folder, name)
    )
