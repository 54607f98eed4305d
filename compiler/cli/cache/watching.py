"""A project that notes, for each of its files, what it asks of others: what a check of it depends on."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable

from wfc.compiler.cli.around import OnDisk
from wfc.compiler.cli.cache.answers import Question
from wfc.compiler.cli.cache.questions import Questions
from wfc.compiler.resolve import OtherFile, ProjectView, Refused
from wfc.compiler.schema import Spec
from wfc.compiler.workspace.project import Project, View

__all__ = ["Watched"]


class Watched(Project):
    """A project under observation."""

    def __init__(self, questions: Questions) -> None:
        super().__init__(OnDisk(questions.disk))
        self.questions = questions
        self.asked: dict[str, dict[Question, None]] = {}
        self.mentioned: dict[str, dict[str, None]] = {}

    def around(self, path: str) -> ProjectView:
        """The project as one of its files sees it, and is seen to see it."""
        return WatchedView(self, path)

    def note(self, path: str, kind: str, about: str) -> str:
        """One file asks a question; its answer."""
        question = self.questions.ask(kind, about)
        self.asked.setdefault(path, {})[question] = None
        return question[2]

    def note_content(self, path: str, other: str) -> None:
        """One file depends on another, and on all that this depends on."""
        self.note(path, "content", other)
        self.mentioned.setdefault(path, {})[other] = None

    def asked_for(self, path: str) -> tuple[Question, ...]:
        """All questions of one file, and of those that it mentions; once it is checked."""
        found: dict[Question, None] = {}
        seen, waiting = {path}, [path]
        while waiting:
            each = waiting.pop()
            found |= self.asked.get(each, {})
            others = [other for other in self.mentioned.get(each, ()) if other not in seen]
            seen.update(others)
            waiting += others
        return tuple(sorted(found))


class WatchedView(View):
    """What one file sees. Whatever it is told, the question is noted first."""

    project: Watched

    def shared(self, path: str) -> OtherFile | Refused:
        """A file of declarations."""
        self.look_at(path)
        return super().shared(path)

    def part(self, path: str) -> tuple[str, Spec] | Refused:
        """A file with steps."""
        self.look_at(path)
        return super().part(path)

    def text(self, path: str) -> tuple[str, str] | Refused:
        """The text of a file."""
        self.look_at(path)
        return super().text(path)

    def workflow(self, name: str) -> OtherFile | None:
        """The other spec whose workflow has this name."""
        path = self.project.note(self.path, "together", name)
        if not path:
            path = self.project.note(self.path, "near", f"{posixpath.dirname(self.path)}\n{name}")
        if path:
            self.project.note_content(self.path, path)
        return super().workflow(name)

    def workflows(self) -> Iterable[str]:
        """The names of all workflows around."""
        self.project.note(self.path, "names", posixpath.dirname(self.path))
        return super().workflows()

    def twin(self, name: str) -> str | None:
        """Another spec of the same name, of those that are looked at together."""
        path = self.project.note(self.path, "together", name)
        if path not in ("", self.path):
            self.project.note(self.path, "content", path)  # the finding shows where the name stands there
        return super().twin(name)

    def look_at(self, path: str) -> None:
        found = self.at(path)
        if isinstance(found, str):
            self.project.note_content(self.path, found)
