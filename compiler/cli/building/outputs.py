"""The modules that specs ask for, compiled now or known from an earlier compile; pictures are such files, too."""

from __future__ import annotations

import json
import os
import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING

from wfc.compiler.slotted import dataclass, field
from wfc.compiler.workspace.cache import Cache, CheckResult
from wfc.compiler.workspace.disk import Disk
from wfc.compiler.workspace.lookups import Lookup, Lookups
from wfc.compiler.workspace.paths import folders_seen_from, relative_path
from wfc.compiler.workspace.severity import with_severities
from wfc.compiler.workspace.sources import Source

if TYPE_CHECKING:
    from wfc.compiler.workspace.compiled import Compiled
    from wfc.compiler.workspace.project import Project

__all__ = ["Build", "Built", "Output", "digest", "read_output", "uses"]

DIGEST = re.compile("[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Output:
    """A generated file: a module, or a picture.

    Args:
        folder: The folder that it belongs to.
        name: The file's name.
        workflow: The workflow's name; empty for a module of declarations.
        origin: The spec's path, as the user gave it.
        source: The spec's path, relative to the folder, with ``/``.
        source_sha256: Of the spec's bytes.
        sha256: Of the file's bytes.
        triggers: What starts runs of the workflow, by name, as plain data.
        uses: The digests of the other files that the spec depends on, by their paths relative to the folder.
        text: The file's text; ``None`` if it is known from an earlier compile, of which only the digest is kept.
        form: How a picture is drawn, such as ``mermaid``; empty for a module.
    """

    folder: str
    name: str
    workflow: str
    origin: str
    source: str
    source_sha256: str
    sha256: str
    triggers: Mapping[str, object] = field(default_factory=dict)
    uses: Mapping[str, str] = field(default_factory=dict)
    text: str | None = None
    form: str = ""

    @property
    def path(self) -> str:
        """The path at which the file belongs; the folder's is normal, and a name holds no folder."""
        return self.name if self.folder == os.curdir else os.path.join(self.folder, self.name)

    def as_texts(self) -> tuple[str, ...]:
        """Return all but the folder and the text, for the cache."""
        parts = (self.name, self.workflow, self.origin, self.source, self.source_sha256, self.sha256)
        return (*parts, json.dumps(self.triggers), json.dumps(self.uses), self.form)


@dataclass(frozen=True, slots=True)
class Built:
    """A spec's findings, and its modules; none if it has errors, or declarations alone."""

    findings: CheckResult
    outputs: tuple[Output, ...]


class Build:
    """The compiling of some specs together.

    Args:
        output: The folder to which modules go; by default each goes beside its spec.
        cache: Where results are looked for and kept.
    """

    def __init__(self, sources: Sequence[Source], output: str | None, cache: Cache | None) -> None:
        self.sources = sources
        self.output = output
        self.cache = cache
        self.disk = Disk(sources)
        self.lookups = Lookups(self.disk)
        self.places: dict[tuple[str, str], tuple[str, str]] = {}

    @cached_property
    def project(self) -> Project:
        """The specs and the files around them."""
        from wfc.compiler.workspace.project import (
            Project,  # loads all passes: for what the cache does not know
        )

        return Project(self.disk, self.lookups)

    def folder_for(self, source: Source) -> str:
        """Return the folder that a spec's modules belong to."""
        return os.path.normpath(os.path.dirname(source.path) if self.output is None else self.output)

    def known(self, source: Source) -> Built | None:
        """Return what an earlier compile of the same files gave, without texts; ``None`` if there is none."""
        if self.cache is None:
            return None
        folder = self.folder_for(source)
        found = self.cache.find(
            source.path, source.raw, self.lookups.still_holds, self.purpose(source, folder)
        )
        return (
            None
            if found is None
            else Built(found, tuple(read_output(folder, each) for each in found.modules))
        )

    def purpose(self, source: Source, folder: str) -> str:
        """Return what a module depends on besides the contents of files: where it is, as seen from its spec."""
        if os.path.islink(source.path):
            return f"{relative_path(source.path, folder)}\n{self.place(folder, folder)[1]}"
        specs, name = os.path.split(source.path)
        return f"{name}\n{self.place(specs or os.curdir, folder)[1]}"

    def place(self, specs: str, folder: str) -> tuple[str, str]:
        """Return where a folder of specs is, as seen from a folder for modules, and all that matters of both.

        It is worked out once: each takes a dozen questions to the disk.
        """
        found = self.places.get((specs, folder))
        if found is None:
            seen = relative_path(specs, folder)
            found = seen, f"{seen}\n{os.path.realpath(folder)}\n{is_package(folder)}"
            self.places[specs, folder] = found
        return found

    def shown(self, source: Source, folder: str) -> str:
        """Return a spec's path, relative to the folder for its modules."""
        specs, name = os.path.split(source.path)
        if name in ("", os.curdir, os.pardir) or os.path.islink(source.path):
            return relative_path(source.path, folder)
        return posixpath.normpath(posixpath.join(self.place(specs or os.curdir, folder)[0], name))

    def compiled(self, source: Source) -> Built:
        """Compile a spec now, with the texts of its modules."""
        from wfc.compiler.passes import compile_text

        folder = self.folder_for(source)
        shown = self.shown(source, folder)
        compiled = compile_text(
            source.raw,
            source.path,
            source=shown,
            folder_of=folders_seen_from(folder),
            project=self.project,
            in_package=is_package(folder),
        )
        levelled = with_severities(compiled)
        outputs = () if levelled.failed else tuple(self.outputs(compiled, folder, shown))
        lookups = self.project.dependencies(source.path)
        parts = (
            compiled.path,
            compiled.text,
            compiled.diagnostics,
            lookups,
            compiled.suppressed,
            compiled.texts,
        )
        result = CheckResult(*parts, tuple(each.as_texts() for each in outputs))
        if self.cache is not None and not levelled.failed:
            self.cache.keep(source.raw, result, self.purpose(source, folder))
        return Built(result, outputs)

    def outputs(self, compiled: Compiled, folder: str, shown: str) -> Iterator[Output]:
        """Yield the modules of the files that a spec imports, and its own.

        Args:
            shown: The spec's path relative to the folder.
        """
        from wfc.compiler.cli.trigger_data import as_data
        from wfc.compiler.passes import compile_shared

        workflow = compiled.workflow
        if workflow is None:
            return
        for each in workflow.imports:
            source = relative_path(each.path, folder)
            python = compile_shared(each.path, self.project, source=source, in_package=is_package(folder))
            yield Output(
                folder=folder,
                name=f"{each.module}.py",
                workflow="",
                origin=each.path,
                source=source,
                source_sha256=self.project.units[each.path].sha256,
                sha256=digest(python),
                uses=uses(self.project.dependencies(each.path), folder),
                text=python,
            )
        yield Output(
            folder=folder,
            name=f"{workflow.name}_workflow.py",
            workflow=workflow.name,
            origin=compiled.path,
            source=shown,
            source_sha256=compiled.sha256,
            sha256=digest(compiled.python),
            triggers={each.name: as_data(each) for each in workflow.triggers},
            uses=uses(self.project.dependencies(compiled.path), folder),
            text=compiled.python,
        )


def digest(python: str) -> str:
    return sha256(python.encode()).hexdigest()


def uses(lookups: Sequence[Lookup], folder: str) -> dict[str, str]:
    """Return the digests of the files that were looked at, by their paths relative to a folder."""
    return {
        relative_path(about, folder): found
        for kind, about, found in lookups
        if kind == "content" and DIGEST.fullmatch(found)
    }


def is_package(folder: str) -> bool:
    return os.path.exists(os.path.join(folder, "__init__.py"))


def read_output(folder: str, texts: Sequence[str]) -> Output:
    """Return an output from its texts in the cache.

    Raises:
        ValueError, TypeError: They are not those of an output.
    """
    name, workflow, origin, source, source_sha256, sha, triggers, used, form = texts
    if os.path.basename(name) != name:
        raise ValueError(name)
    files = {str(path): str(each) for path, each in dict(json.loads(used)).items()}
    started = dict(json.loads(triggers))
    return Output(folder, name, workflow, origin, source, source_sha256, sha, started, files, form=form)
