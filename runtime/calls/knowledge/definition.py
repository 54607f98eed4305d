"""A collection of texts, as plain data: what it is made of, how it is cut into passages, and how it is searched."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, cast

if TYPE_CHECKING:
    from wfc.runtime.calls.bindings import ModelOptions, PythonTool
    from wfc.runtime.calls.llm import Model
    from wfc.runtime.calls.secrets import Secret

__all__ = ["Knowledge", "TextBound", "UnreadableError"]

MOST_TEXT: Final = 100_000_000
"""How many characters of text a file may give; a small file may say the same ones again and again."""


LOADED: Final = "\0loaded"
"""What stands for the ending of a file where a loader of one's own gives texts; no name of a file ends so."""


class UnreadableError(Exception):
    """A file of a collection is left out; the message says why."""


class TextBound:
    """How many characters one file may still give."""

    def __init__(self) -> None:
        self._left = MOST_TEXT

    def take(self, length: int) -> None:
        """Note that so many characters come.

        Raises:
            UnreadableError: There are too many.
        """
        self._left -= length
        if self._left < 0:
            raise UnreadableError(f"it gives more than {MOST_TEXT // 1_000_000} million characters of text")


@dataclass(frozen=True, slots=True)
class Knowledge:
    """A collection of texts that can be searched by their words, by their meaning, or by both.

    Args:
        name: What it is called in the spec.
        files: Paths with wildcards, relative to the folder of ``beside``: ``*`` and ``?`` within a name, ``**`` for
            folders, ``{word}`` for a name that is noted as ``about``.
        beside: A file in the folder that holds them, or the folder.
        by: How texts are cut: everywhere by ``size``, into sentences, along headings as in ``markdown``, or along the
            blocks of ``code``; ``None``: as a file's ending says.
        size: How many characters a passage has at most.
        overlap: How many of them it shares with the one before.
        parent: How many characters the larger parts have at most of which passages are cut; 0: there are none.
        index: By what it is searched.
        model: What turns texts into numbers, where it is searched by meaning: an embedding model, or a function that
            takes ``texts`` and returns a list of numbers for each. Of a ``tree`` the model that sums up and chooses, of
            a ``keyword_table`` the one that gives keywords, or a function that returns a list of them for each text.
        max_calls: How many calls of that model one update may make at most.
        about: The types of what is said about texts, by name; a text of which that cannot be said is left out.
        urls: Addresses whose texts belong to it.
        sql: Queries: the path of an SQLite file, or the secret that has the address of a PostgreSQL database, and the
            query. Each row is a text.
        loader: A function that yields texts, as ``module:function``.
        python: A function that takes ``query`` and ``top`` and finds passages itself, or an object with the method of
            another library's retriever: nothing is indexed then.
        kept_as: Where runs write it: what it is called in their store; empty: they do not.
        entries: How many entries a key has at most; the oldest go.
        seconds: How old these may be.
        key: Whose part of it is meant, of one that runs write.
    """

    name: str
    files: Sequence[str] = ()
    beside: str | Path = "."
    by: Literal["size", "sentence", "markdown", "code"] | None = None
    size: int = 800
    overlap: int = 0
    parent: int = 0
    index: Literal["keyword", "vector", "hybrid", "list", "tree", "keyword_table"] = "keyword"
    model: Model | PythonTool[list[list[float]]] | PythonTool[list[list[str]]] | None = None
    max_calls: int = 0
    about: Mapping[str, Any] = field(default_factory=dict)
    urls: Sequence[str] = ()
    sql: Sequence[tuple[str | Secret, str]] = ()
    loader: str = ""
    python: str = ""
    kept_as: str = ""
    entries: int | None = None
    seconds: float | None = None
    key: str | None = None

    def of(self, key: str) -> Knowledge:
        """Return the part of the collection that belongs to a key, such as a user."""
        return replace(self, key=key)

    @property
    def folder(self) -> Path:
        """The folder that the paths are relative to."""
        path = Path(self.beside).resolve()
        return path if path.is_dir() else path.parent

    @property
    def has_words(self) -> bool:
        """Whether it is searched by the words of its passages."""
        return self.index in {"keyword", "hybrid"}

    @property
    def has_vectors(self) -> bool:
        """Whether it is searched by meaning."""
        return self.index in {"vector", "hybrid"}

    @property
    def is_written(self) -> bool:
        """Whether a model builds its index."""
        return self.index in {"tree", "keyword_table"}

    def cut(self) -> str:
        """Return a text that differs where passages would: texts that were cut otherwise are cut anew."""
        about = ",".join(f"{name}={type_}" for name, type_ in self.about.items())
        return (
            f"{self.by or ''} {self.size} {self.overlap} {self.parent} {self.index} {self.embedder()} {about}"
        )

    def searched_by(self) -> str:
        """Return a text that differs where an index would have to be searched otherwise, however texts are cut."""
        return f"{self.index} {self.embedder()}"

    def embedding(self) -> ModelOptions | PythonTool[list[list[float]]]:
        """Return what turns texts into numbers, of a collection that is searched by meaning."""
        assert self.model is not None
        return cast("ModelOptions | PythonTool[list[list[float]]]", self.model)

    def embedder(self) -> str:
        """Return a text that differs where the numbers would that a text is turned into."""
        from wfc.runtime.calls.bindings import ModelOptions

        if self.model is None:
            return ""
        if isinstance(self.model, ModelOptions):
            settings = sorted((name, str(value)) for name, value in self.model.settings.items())
            return f"{self.model.use} {self.model.base_url or ''} {settings or ''}".strip()
        return f"python {self.model.function}"

    def made_of(self) -> str:
        """Return its name and its sources as a text; of another folder they are others."""
        loaders = [f"\n{self.loader}"] if self.loader else []
        queries = (f"{getattr(where, 'name', where)}\n{query}" for where, query in self.sql)
        return "\n".join((self.name, *self.files, *self.urls, *queries, *loaders))

    def index_name(self) -> str:
        """Return the name of the file with the index, the same for the same collection of the same folder."""
        told = f"{self.folder}\n{self.made_of()}"
        return f"{self.name}-{hashlib.sha256(told.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}.db"
