"""What a call asks of the step that makes it, for tests in which it may do all that it wants."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager, contextmanager, nullcontext
from typing import Any

__all__ = ["Host"]


class Host:
    """A context that lets everything pass, and keeps nothing."""

    def unmet(self, result: object) -> list[str]:
        return []

    def in_turn(self, limit: object, url: str | None = None) -> AbstractAsyncContextManager[None]:
        return nullcontext()

    def afford(self, model: str, *, own_server: bool = False) -> None:
        pass

    def spent(self, model: str, tokens_in: int, tokens_out: int, **more: object) -> None:
        pass

    def choose_model(self, count: int) -> int:
        return 0

    @contextmanager
    def answering(self) -> Iterator[Any]:
        yield lambda _text: None
