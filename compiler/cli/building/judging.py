"""The state of generated modules: current, or else why not, and what to do about it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Literal

from wfc.compiler.cli.building.manifest import Manifest, entry_of
from wfc.compiler.cli.building.outputs import Output
from wfc.compiler.cli.building.writing import content_at, digest_of, is_generated
from wfc.compiler.codegen import OUTPUT_FORMAT
from wfc.compiler.slotted import dataclass
from wfc.compiler.workspace.sources import MANIFEST, quoted_path

__all__ = ["ADVICE", "MENDED", "ModuleState", "State", "judge", "manifests_below", "orphans"]

State = Literal[
    "current", "missing", "stale", "other-release", "edited", "unlisted", "foreign", "orphaned", "broken"
]

ADVICE: Final[dict[State, str]] = {
    "missing": "`wfc verify --write` writes it",
    "stale": "`wfc verify --write` makes it anew",
    "other-release": "`wfc verify --write` compiles it with this one",
    "edited": "bring the change into the spec; `wfc verify --write --force` overwrites it",
    "unlisted": "look at it; `wfc verify --write --force` overwrites it",
    "foreign": "move it away, or rename the workflow",
    "orphaned": "`wfc verify --write` deletes it, unless somebody has edited it",
    "broken": "`wfc check` says what is wrong",
}

MENDED: Final[frozenset[State]] = frozenset({"missing", "stale", "other-release", "orphaned"})
"""What may be mended without asking: nothing that a person has written is lost."""


@dataclass(frozen=True, slots=True)
class ModuleState:
    """The state of one generated file.

    Args:
        path: The module's, or the manifest's.
        spec: The spec that it belongs to; empty if that is not known.
        because: Why it is not current, as a part of a sentence.
        edited: Whether somebody has changed the file since it was written.
        entry: The name under which a manifest lists a module that there is no more, or that is no module.
    """

    path: str
    state: State
    spec: str = ""
    because: str = ""
    edited: bool = False
    entry: str = ""


def judge(output: Output, manifest: Manifest) -> ModuleState:
    """Return the state of the file at which a module belongs.

    Args:
        manifest: That of its folder.
    """
    there = content_at(output.path)
    found = digest_of(there)
    entry = manifest.modules.get(output.name)
    if there is None:
        return ModuleState(output.path, "missing", output.origin, "the module is not there")
    if found == output.sha256:
        return unlike_its_entry(output, manifest)
    if not is_generated(there):
        return ModuleState(output.path, "foreign", output.origin, "wfc did not write this file", edited=True)
    if entry is None:
        why = f"it is in no {MANIFEST}, so nobody can tell whether it was edited"
        return ModuleState(output.path, "unlisted", output.origin, why, edited=True)
    if entry.get("sha256") != found:
        why = "somebody has edited it since wfc wrote it"
        return ModuleState(output.path, "edited", output.origin, why, edited=True)
    return unlike_its_source(output, manifest)


def unlike_its_entry(output: Output, manifest: Manifest) -> ModuleState:
    """Return the state of a module that is as it should be, of which the manifest may say something else."""
    entry, wanted = manifest.modules.get(output.name), entry_of(output)
    if entry is not None and without_uses(entry) == without_uses(wanted):
        return ModuleState(output.path, "current", output.origin)
    path = os.path.normpath(os.path.join(output.folder, MANIFEST))
    why = (
        f"it does not list {quoted_path(output.name)}"
        if entry is None
        else f"its entry of {output.name} is old"
    )
    return ModuleState(path, "stale", output.origin, why)


def without_uses(entry: Mapping[str, object]) -> dict[str, object]:
    return {key: value for key, value in entry.items() if key != "uses"}


def unlike_its_source(output: Output, manifest: Manifest) -> ModuleState:
    """Return why a module that nobody has edited is not what its spec would be compiled to."""
    entry = manifest.modules[output.name]
    if entry.get("source_sha256") != output.source_sha256:
        return ModuleState(
            output.path, "stale", output.origin, f"{quoted_path(output.origin)} has changed since"
        )
    known = entry.get("uses", {})
    for path in sorted({*known, *output.uses}):
        if known.get(path) != output.uses.get(path):
            why = f"{quoted_path(path)}, which the spec uses, has changed since"
            return ModuleState(output.path, "stale", output.origin, why)
    why = "another release of wfc wrote it"
    if manifest.output_format != OUTPUT_FORMAT:
        why += f", in output format {manifest.output_format}"
    return ModuleState(output.path, "other-release", output.origin, why)


def orphans(folder: str, outputs: Sequence[Output], manifest: Manifest) -> Iterator[ModuleState]:
    """Yield the modules of a folder's manifest that no spec asks for any more.

    Args:
        outputs: What the specs that were given ask for.
        manifest: That of the folder.
    """
    wanted = {output.path for output in outputs}
    names = {output.name for output in outputs}
    real: set[str] = set()
    given: set[str] = set()
    for name, entry in manifest.modules.items():
        path = os.path.normpath(os.path.join(folder, name))
        source = str(entry.get("source", ""))
        spec = os.path.normpath(os.path.join(folder, source))
        if path in wanted:
            continue
        if name in names:  # it may be one of them by another path
            real = real or {os.path.realpath(each) for each in wanted}
            if os.path.realpath(path) in real:
                continue
        given = given or {os.path.realpath(output.origin) for output in outputs}
        if not os.path.exists(spec):
            why = f"its spec {quoted_path(spec)} is not there"
        elif os.path.realpath(spec) in given:
            why = f"{quoted_path(spec)} is compiled to another module now"
        else:
            continue  # of a spec that was not asked about
        yield orphan(path, source, why, entry)


def orphan(path: str, source: str, why: str, entry: Mapping[str, object]) -> ModuleState:
    """Return the state of a file that a manifest lists and that no spec asks for; who writes manifests may lie."""
    folder, name = os.path.split(path)
    there = content_at(path)
    if there is None or not is_generated(there):
        what = "is not there" if there is None else "wfc did not write"
        because = f"it lists {quoted_path(name)}, which {what}"
        return ModuleState(os.path.join(folder, MANIFEST), "stale", source, because, entry=name)
    edited = digest_of(there) != entry.get("sha256")
    why += ", and somebody has edited it" if edited else ""
    return ModuleState(path, "orphaned", source, why, edited, name)


def manifests_below(folder: str) -> Iterator[str]:
    """Yield the folders in a folder and below it that have a manifest; links and hidden folders are not followed."""
    for top, names, files in os.walk(folder):
        names[:] = sorted(name for name in names if not name.startswith(".") and name != "node_modules")
        if MANIFEST in files:
            yield top
