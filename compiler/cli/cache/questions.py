"""What a check asks of the files around a spec: the questions, and what they are answered today."""

from __future__ import annotations

import posixpath
from hashlib import sha256

from wfc.compiler.cli.cache.answers import Question
from wfc.compiler.cli.disk import Disk
from wfc.compiler.workspace.glance import names_in

__all__ = ["Questions"]


class Questions:
    """Answers questions from the files on disk, each once.

    Which questions there are:

    - ``content`` of a path: a digest, or why it cannot be used;
    - ``together`` of a workflow's name: the path of that one of the given specs that bears it;
    - ``near`` of a folder and a name: the path of the spec in it that bears the name;
    - ``names`` of a folder: a digest of the names of all workflows in it and given.
    """

    def __init__(self, disk: Disk) -> None:
        self.disk = disk
        self.given: dict[str, str] | None = None
        self.nearby: dict[str, dict[str, str]] = {}
        self.answers: dict[tuple[str, str], str] = {}

    def holds(self, question: Question) -> bool:
        """Whether a question is answered as it was."""
        kind, about, answer = question
        return self.ask(kind, about)[2] == answer

    def ask(self, kind: str, about: str) -> Question:
        """A question with its answer."""
        answer = self.answers.get((kind, about))
        if answer is None:
            answer = self.answers[kind, about] = self.answer(kind, about)
        return kind, about, answer

    def answer(self, kind: str, about: str) -> str:
        if kind == "content":
            found = self.disk.content(about)
            return sha256(found).hexdigest() if isinstance(found, bytes) else ": ".join(found)
        if kind == "together":
            return self.together().get(about, "")
        folder, _, name = about.partition("\n")
        if kind == "near":
            return self.near(folder).get(name, "")
        if kind == "names":
            names = sorted({**self.near(folder), **self.together()}.items())
            return sha256(repr(names).encode(errors="surrogatepass")).hexdigest()
        return f"a question of another version: {kind}"

    def together(self) -> dict[str, str]:
        """Names of the given workflows, with their paths."""
        if self.given is None:
            self.given = names_in(self.disk.given())
        return self.given

    def near(self, folder: str) -> dict[str, str]:
        """Names of the workflows in a folder, with their paths."""
        if folder not in self.nearby:
            self.nearby[folder] = names_in(self.disk.near(posixpath.join(folder, "spec")))
        return self.nearby[folder]
