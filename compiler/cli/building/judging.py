"""The state of generated modules and pictures: current, or else why not, and what to do about it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, Literal

from wfc.compiler.cli.building.manifest import Manifest, entry_of
from wfc.compiler.cli.building.outputs import Output
from wfc.compiler.cli.building.writing import content_at, digest_of, is_generated
from wfc.compiler.codegen import OUTPUT_FORMAT
from wfc.compiler.slotted import dataclass
from wfc.compiler.workspace.sources import MANIFEST, quoted_path

__all__ = [
    "MENDED",
    "ModuleState",
    "State",
    "advice",
    "counted_current",
    "judge",
    "manifests_below",
    "orphans",
]

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
    "orphaned": "`wfc verify --write` deletes it",
    "broken": "`wfc check` says what is wrong",
}
OF_PICTURES: Final[dict[State, str]] = {
    "missing": f"`wfc verify --write` draws it; if it is not wanted any more, delete its entry in {MANIFEST}",
    "stale": "`wfc verify --write` draws it anew",
    "other-release": "`wfc verify --write` draws it with this one",
    "edited": "draw what you want in a file of your own; `wfc verify --write --force` overwrites it",
    "foreign": "move it away; `wfc verify --write --force` overwrites it",
}
"""What to do about pictures, where it is not the same."""

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
        is_picture: Whether it is a picture.
    """

    path: str
    state: State
    spec: str = ""
    because: str = ""
    edited: bool = False
    entry: str = ""
    is_picture: bool = False


def advice(state: ModuleState) -> str:
    """Return what to do about a file that is not current."""
    if state.state == "orphaned" and state.edited:
        return "keep what you want of it elsewhere; `wfc verify --write --force` deletes it"
    return (state.is_picture and OF_PICTURES.get(state.state)) or ADVICE[state.state]


def counted_current(states: Iterable[ModuleState]) -> str:
    """Return how many files are current, in words: modules, and pictures if there are any."""
    listed = [*states]
    now = [each for each in listed if each.state == "current"]
    pictures = sum(each.is_picture for each in now)
    drawn_alone = bool(listed) and all(each.is_picture for each in listed)
    counts = [] if drawn_alone else [(len(now) - pictures, "module")]
    counts += [(pictures, "picture")] if any(each.is_picture for each in listed) else []
    return " and ".join(f"{count} {word}{'' if count == 1 else 's'}" for count, word in counts)


def judge(output: Output, manifest: Manifest) -> ModuleState:
    """Return the state of the file at which a module belongs.

    Args:
        manifest: That of its folder.
    """
    there = content_at(output.path)
    found = digest_of(there)
    entry = manifest.entries.get(output.name)
    if there is None:
        what = "picture" if output.form else "module"
        return state_of(output, "missing", f"the {what} is not there")
    if found == output.sha256:
        return unlike_its_entry(output, manifest)
    if not is_generated(there):
        return state_of(output, "foreign", "wfc did not write this file", edited=True)
    if entry is None:
        why = f"it is in no {MANIFEST}, so nobody can tell whether it was edited"
        return state_of(output, "unlisted", why, edited=True)
    if entry.get("sha256") != found:
        return state_of(output, "edited", "somebody has edited it since wfc wrote it", edited=True)
    return unlike_its_source(output, manifest)


def state_of(output: Output, state: State, why: str = "", *, edited: bool = False) -> ModuleState:
    return ModuleState(output.path, state, output.origin, why, edited, is_picture=bool(output.form))


def unlike_its_entry(output: Output, manifest: Manifest) -> ModuleState:
    """Return the state of a module that is as it should be, of which the manifest may say something else."""
    entry, wanted = manifest.entries.get(output.name), entry_of(output)
    if entry is not None and without_uses(entry) == without_uses(wanted):
        return state_of(output, "current")
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
    entry = manifest.entries[output.name]
    if entry.get("source") != output.source:
        return state_of(output, "stale", f"its workflow is in {quoted_path(output.origin)} now")
    if entry.get("source_sha256") != output.source_sha256:
        return state_of(output, "stale", f"{quoted_path(output.origin)} has changed since")
    known = entry.get("uses", {})
    for path in sorted({*known, *output.uses}):
        if known.get(path) != output.uses.get(path):
            why = f"{quoted_path(path)}, which the spec uses, has changed since"
            return state_of(output, "stale", why)
    if output.form:
        return state_of(output, "other-release", "another release of wfc drew it")
    why = "another release of wfc wrote it"
    if manifest.output_format != OUTPUT_FORMAT:
        why += f", in output format {manifest.output_format}"
    return state_of(output, "other-release", why)


def orphans(folder: str, outputs: Sequence[Output], manifest: Manifest) -> Iterator[ModuleState]:
    """Yield the modules and pictures of a folder's manifest of which there is no spec any more.

    Args:
        outputs: What the specs that were given ask for.
        manifest: That of the folder.
    """
    wanted = {output.path for output in outputs}
    names = {output.name for output in outputs}
    real: set[str] = set()
    given: set[str] = set()
    for name, entry in manifest.entries.items():
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
        elif "form" in entry:
            continue  # of a spec that was not asked about, or that has errors
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
    return ModuleState(path, "orphaned", source, why, edited, name, "form" in entry)


def manifests_below(folder: str) -> Iterator[str]:
    """Yield the folders in a folder and below it that have a manifest; links and hidden folders are not followed."""
    for top, names, files in os.walk(folder):
        names[:] = sorted(name for name in names if not name.startswith(".") and name != "node_modules")
        if MANIFEST in files:
            yield top
