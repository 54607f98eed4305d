"""A model whose replies a test has prepared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from wfc.runtime.calls.host import CallHost
from wfc.runtime.calls.llm import Model
from wfc.runtime.errors import StepError
from wfc.runtime.values.outputs import from_python, plain

if TYPE_CHECKING:
    from wfc.runtime.records import File, Message

__all__ = ["ScriptedModel"]


class ScriptedModel(Model):
    """A substitute for a model in tests of hand-written workflows, which returns its replies in order.

    Args:
        replies: Texts, or values of the requested output type; an exception is raised.

    ``prompts`` holds the prompts, ``histories`` the conversation before each of them, ``files`` what was shown with
    them. Each word counts as a token; a reply that is streamed is one piece. It does not think.
    """

    prompts: list[str]
    histories: list[list[Message]]
    files: list[list[File]]
    _replies: list[object]

    def __init__(self, *replies: object) -> None:
        super().__init__("scripted:model")
        # models are frozen, so that nobody changes one that others share
        object.__setattr__(self, "prompts", [])
        object.__setattr__(self, "histories", [])
        object.__setattr__(self, "files", [])
        object.__setattr__(self, "_replies", list(replies))

    async def ask(
        self,
        host: CallHost,
        prompt: str,
        *,
        system: str | None = None,
        output: Any = None,
        history: Sequence[Message] = (),
        files: Sequence[File] = (),
        stream: bool = False,
        thinking: bool = False,
        partial: bool = False,
    ) -> Any:
        """Return the next reply.

        Raises:
            AssertionError: There is no reply left.
            StepError: ``requirement``.
        """
        host.afford(self.use)
        self.prompts.append(prompt)
        self.histories.append(list(history))
        self.files.append(list(files))
        if not self._replies:
            raise AssertionError(f"the scripted model has no reply left for: {prompt}")
        reply = self._replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        host.spent(self.use, len(prompt.split()), len(str(reply).split()))
        result = from_python(str if output is None else output, reply)
        if stream or partial:
            with host.answering() as tell:
                if stream:
                    tell(result)
                else:
                    tell.partial(plain(result))
        unmet = host.unmet(result)
        if unmet:
            raise StepError("requirement", "; ".join(unmet))
        return result
