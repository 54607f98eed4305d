"""The files that are compiled together: each is read and analysed once, and found by those that use it."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, Literal

from wfc.compiler.diagnostics import Finding, Place, Report
from wfc.compiler.limits import MAX_BYTES, MAX_FINDINGS, EnoughError, at_most
from wfc.compiler.resolve import OtherFile, ProjectView, Refused, declare
from wfc.compiler.resolve.symbols.declarations import Declarations
from wfc.compiler.rules import reading as reading_problems
from wfc.compiler.schema import Spec, validate
from wfc.compiler.slotted import dataclass, field
from wfc.compiler.workspace.disk import Disk
from wfc.compiler.workspace.lookups import Files, Lookup, Lookups
from wfc.compiler.workspace.sources import Source
from wfc.compiler.yaml import Document, read

if TYPE_CHECKING:
    from wfc.compiler.resolve.passes import Remembered
    from wfc.compiler.workspace.circles import Circles

__all__ = ["NoFiles", "Project", "Unit", "project_of"]

Kind = Literal["workflow", "declarations", "part", "nothing"]
WORDS: Mapping[Kind, str] = {
    "workflow": "a whole workflow",
    "declarations": "a file of declarations",
    "part": "a part of a workflow",
    "nothing": "no spec",
}


class NoFiles:
    """The files of a text without a project: none."""

    def read(self, path: str) -> Refused:
        """Return that there is no such file."""
        return Refused("missing", "no other file can be read here")

    def given(self) -> Iterable[tuple[str, bytes]]:
        """Return no specs."""
        return ()

    def near(self, path: str) -> Iterable[tuple[str, bytes]]:
        """Return no specs."""
        return ()


@dataclass(slots=True)
class Unit:
    """One file, read and validated against the schema.

    Args:
        findings: What is wrong with it, by itself; grows when its declarations are looked at.
        sha256: Of the file's bytes, in hexadecimal.
        of_reading: How many of the findings, the first ones, are about how the text is written.
        uses: The paths of the files that it mentions, there or not; their findings matter to whoever uses it.
        calls: The names of the workflows that it mentions.
        lookups: What it depends on: kinds of lookups, each with what it is about; see ``Lookups``.
        declared: Its declarations, computed on demand.
        is_text: Whether it was only read as a text, and not as YAML.
    """

    document: Document
    spec: Spec | None
    findings: list[Finding]
    sha256: str = ""
    of_reading: int = 0
    uses: dict[str, None] = field(default_factory=dict)
    calls: dict[str, None] = field(default_factory=dict)
    lookups: dict[tuple[str, str], None] = field(default_factory=dict)
    declared: Declarations | None = None
    is_text: bool = False

    @property
    def kind(self) -> Kind:
        """The kind of the file, determined by its keys."""
        data = self.document.data
        if not isinstance(data, dict):
            return "nothing"
        if "part" in data:
            return "part"
        if "workflow" in data or "steps" in data or "start" in data:
            return "workflow"
        return "declarations" if "wfc" in data else "nothing"


class Project:
    """Files that are checked or compiled together.

    Args:
        files: Their source; without one, other files are unknown, and no missing workflow is reported.
        lookups: The known results of lookups in these files.
    """

    def __init__(self, files: Files | None = None, lookups: Lookups | None = None) -> None:
        self.is_alone = files is None
        self.files = files or NoFiles()
        self.lookups = lookups or Lookups(self.files)
        self.units: dict[str, Unit] = {}
        self.opening: list[str] = []  # files of declarations that wait for those that they import
        self.memory: Remembered | None = None

    def unit(self, path: str, raw: bytes | None = None) -> Unit | Refused:
        """Return a file of the project, reading it once."""
        found = self.units.get(path)
        if found is None or found.is_text:
            content = self.files.read(path) if raw is None else raw
            if isinstance(content, Refused):
                return content
            found = self.units[path] = self.read(path, content)
        return found

    def read(self, path: str, raw: bytes) -> Unit:
        """Read a file, and validate it against the schema."""
        findings: list[Finding] = []
        document = self.document(path, raw, findings.append)
        of_reading = len(findings)
        spec = validate(document, findings.append)
        return Unit(document, spec, findings, sha256(raw).hexdigest(), of_reading)

    def document(self, path: str, raw: bytes, report: Report) -> Document:
        """Return a file as a document."""
        return read(raw, path, report)

    def around(self, path: str) -> ProjectView:
        """Return the project as seen from one of its files."""
        return View(self, path)

    def declared(self, path: str, unit: Unit) -> Declarations | None:
        """Return a file's declarations; findings are added to the unit of a file of declarations."""
        if unit.declared is None and unit.spec is not None:
            own = unit.kind == "declarations"
            self.opening.append(path)
            report = at_most(unit.findings.append) if own else (lambda finding: None)
            try:
                unit.declared = declare(unit.spec, report, self.around(path))
            except EnoughError:
                unit.findings.append(
                    reading_problems.too_many_findings(Place((), "text", 0, 0), MAX_FINDINGS)
                )
                unit.spec = None
            finally:
                self.opening.pop()
        return unit.declared

    @cached_property
    def circles(self) -> Circles:
        """The circles of its imports."""
        from wfc.compiler.workspace.circles import Circles  # most projects import nothing

        return Circles(self.imports_of)

    def imports_of(self, path: str) -> list[str]:
        """Return the files of declarations that another one imports."""
        unit = self.unit(path)
        listed = unit.spec.data.get("imports") if isinstance(unit, Unit) and unit.spec is not None else None
        found = []
        for each in listed if isinstance(listed, list) else ():
            target = resolved(each, path) if isinstance(each, str) else None
            read = self.unit(target) if isinstance(target, str) else None
            if isinstance(target, str) and isinstance(read, Unit) and read.kind == "declarations":
                found.append(target)
        return found

    def path_of(self, name: str, asking: str) -> str | None:
        """Return the path of the spec whose workflow has a name."""
        return self.lookups.given().get(name) or self.lookups.near(posixpath.dirname(asking)).get(name)

    def dependencies(self, path: str) -> tuple[Lookup, ...]:
        """Return the lookups of a file's check, in it or in files that it depends on, and their results."""
        found: dict[Lookup, None] = {}
        seen, waiting = {path}, [path]
        while waiting:
            unit = self.units.get(waiting.pop())
            for kind, about in unit.lookups if unit is not None else ():
                found[kind, about, self.lookups.result(kind, about)] = None
                if kind == "content" and about not in seen:
                    seen.add(about)
                    waiting.append(about)
        return tuple(sorted(found))

    def involved(self, path: str) -> list[Unit]:
        """Return the files whose findings belong to those of a spec: its imports and its parts."""
        seen: dict[str, Unit] = {}
        waiting = [path]
        while waiting:
            unit = self.units.get(waiting.pop())
            for each in unit.uses if unit is not None else ():
                if each not in seen and each != path and each in self.units:
                    seen[each] = self.units[each]
                    waiting.append(each)
        return list(seen.values())


def project_of(sources: Sequence[Source]) -> Project:
    """Return the project of some specs on disk that are compiled together."""
    return Project(Disk(sources))


def resolved(path: str, mentioned_in: str) -> str | Refused:
    """Return a path that a file mentions, as findings show it."""
    if not path or path.startswith(("/", "\\")) or "\\" in path or ":" in path or "\0" in path:
        return Refused("outside", "")
    return posixpath.normpath(posixpath.join(posixpath.dirname(mentioned_in), path))


class View:
    """The project as seen from one of its files; see ``ProjectView``."""

    def __init__(self, project: Project, path: str) -> None:
        self.project = project
        self.path = path

    @property
    def alone(self) -> bool:
        """Return whether no other specs are known."""
        return self.project.is_alone

    @property
    def own(self) -> Unit:
        """The unit of this file in the project."""
        return self.project.units[self.path]

    def use(self, path: str) -> str | Refused:
        """Record that this file mentions another, and return the other's path as findings show it."""
        found = resolved(path, self.path)
        if isinstance(found, str):
            self.own.uses[found] = None
            self.note("content", found)
        return found

    def note(self, kind: str, about: str) -> None:
        """Record that this file depends on the result of a lookup."""
        self.own.lookups[kind, about] = None

    def unit(self, path: str, wanted: Kind) -> tuple[str, Unit] | Refused:
        found = self.use(path)
        if isinstance(found, Refused):
            return found
        unit = self.project.unit(found)
        if isinstance(unit, Refused):
            return unit
        if unit.spec is None:
            return Refused("broken", "")
        return (found, unit) if unit.kind == wanted else Refused("other", WORDS[unit.kind])

    def shared(self, path: str) -> OtherFile | Refused:
        """Return a file of declarations."""
        found = self.unit(path, "declarations")
        if isinstance(found, Refused):
            return found
        shown, unit = found
        is_open = shown in self.project.opening
        declared = None if is_open else self.project.declared(shown, unit)
        way = self.project.circles.way(shown, self.path, is_read=not is_open)
        if way:  # one finding a circle: in the same of its files, whichever was read first
            return (
                Refused("cycle", "\n".join((*way, shown))) if self.path == max(way) else Refused("broken", "")
            )
        return Refused("broken", "") if declared is None else OtherFile(shown, declared)

    def part(self, path: str) -> tuple[str, Spec] | Refused:
        """Return a file with steps."""
        found = self.unit(path, "part")
        if isinstance(found, Refused):
            return found
        shown, unit = found
        assert unit.spec is not None
        return shown, unit.spec

    def text(self, path: str) -> tuple[str, str] | Refused:
        """Return the text of a file."""
        shown = self.use(path)
        if isinstance(shown, Refused):
            return shown
        raw = self.project.files.read(shown)
        if isinstance(raw, Refused):
            return raw
        if len(raw) > MAX_BYTES:
            return Refused("missing", f"it is larger than {MAX_BYTES // 2**20} MB")
        try:
            text = raw.decode("utf-8-sig")
        except UnicodeDecodeError:
            return Refused("missing", "it is no text in UTF-8")
        self.project.units.setdefault(
            shown, Unit(Document(shown, text, None, whole=False), None, [], is_text=True)
        )
        return shown, text

    def workflow(self, name: str, *, mentioned: bool = True) -> OtherFile | None:
        """Return the other spec whose workflow has this name.

        Args:
            mentioned: Whether this spec calls it or sends to it, so that it cannot be run without it.
        """
        if mentioned:
            self.own.calls[name] = None
        path = self.path_of(name)
        if path is None and self.defines(name):
            path = self.path
        unit = self.project.unit(path) if path is not None else None
        if path is None or unit is None or isinstance(unit, Refused):
            return None
        if unit.declared is None and path in self.project.opening:
            return None  # it leads back to a file that is being read, which is told as a call of itself
        declared = self.project.declared(path, unit)
        return None if declared is None else OtherFile(path, declared)

    def path_of(self, name: str) -> str | None:
        """Return the path of the spec whose workflow has a name, and record that this file depends on it."""
        path = self.project.path_of(name, self.path)
        self.note("given", name)
        if name not in self.project.lookups.given():
            self.note("near", f"{posixpath.dirname(self.path)}\n{name}")
        if path is not None:
            self.note("content", path)
        return path

    def defines(self, name: str) -> bool:
        data = self.own.document.data
        return isinstance(data, dict) and data.get("workflow") == name

    def workflows(self) -> Iterable[str]:
        """Return the names of all workflows that are known here."""
        folder = posixpath.dirname(self.path)
        self.note("names", folder)
        return {**self.project.lookups.near(folder), **self.project.lookups.given()}

    def twin(self, name: str) -> str | None:
        """Return another spec of the same name among those that are checked together."""
        self.note("given", name)
        first = self.project.lookups.given().get(name, self.path)
        if first == self.path:
            return None
        self.note("content", first)  # the finding shows where the name stands there
        return None if isinstance(self.project.unit(first), Refused) else first
