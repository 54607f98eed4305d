"""Errors of model calls, in our own words: what the library raises, and replies that are no answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pydantic_ai import exceptions, messages

from wfc.runtime.calls.bindings import ModelOptions
from wfc.runtime.calls.http.bounded import LARGEST_BODY, too_large
from wfc.runtime.calls.model_messages import text_of
from wfc.runtime.calls.secrets import Revealed
from wfc.runtime.errors import SettingsError, StepError, WorkflowError

if TYPE_CHECKING:
    from wfc.runtime.records import File

__all__ = ["failure", "refuse_what_is_no_answer", "refuse_what_is_too_large"]

_LONGEST_SHOWN = 300


def refuse_what_is_no_answer(reply: messages.ModelResponse, model: ModelOptions, revealed: Revealed) -> None:
    """Check that a reply is an answer.

    Raises:
        StepError: ``model.refused`` or ``model.cut_off``.
    """
    if reply.finish_reason == "content_filter":
        said = (reply.provider_details or {}).get("refusal") or text_of(reply)
        shown = f": {revealed.hide(str(said))[:_LONGEST_SHOWN]}" if said else ""
        raise StepError("model.refused", f"the model `{model.use}` refused to answer{shown}")
    if reply.finish_reason == "length":
        bound = f" of {model.max_tokens} tokens" if model.max_tokens is not None else ""
        raise StepError(
            "model.cut_off", f"the answer of the model `{model.use}` was cut off at its limit{bound}"
        )


def refuse_what_is_too_large(reply: messages.ModelResponse) -> None:
    """Check the size of a reply, which some providers' clients read as a stream whoever asks.

    Raises:
        StepError: ``model.too_large``.
    """
    size = sum(
        len(part.args_as_json_str()) if isinstance(part, messages.ToolCallPart) else len(part.content)
        for part in reply.parts
        if isinstance(part, messages.ToolCallPart | messages.TextPart | messages.ThinkingPart)
    )
    if size > LARGEST_BODY:
        raise too_large(LARGEST_BODY)


def failure(
    error: Exception, model: ModelOptions, revealed: Revealed, files: Sequence[File] = ()
) -> WorkflowError:
    """Return an exception of the library as an error of ours, without the values of secrets.

    Args:
        files: What the model was to be shown.
    """
    who = f"the model `{model.use}`"
    if (ours := _ours_in(error)) is not None:
        return StepError(ours.name, f"{who}: {ours.message}")
    said = revealed.hide(str(error))[:_LONGEST_SHOWN] or type(error).__name__
    match error:
        case exceptions.ContentFilterError():
            return StepError("model.refused", f"{who} refused to answer: {said}")
        case exceptions.ModelHTTPError():
            return _http_failure(error, who, revealed)
        case exceptions.ModelTimeoutError() | exceptions.ModelRequestTimeout():
            return StepError("timeout", f"{who} gave no answer in time: {said}")
        case exceptions.ModelConnectionError():
            return StepError("connection", f"{who} could not be reached: {said}")
        case exceptions.ModelAPIError():
            return StepError("model", f"{who} failed: {said}", body=revealed.hide_in(error.body))
        case exceptions.UnexpectedModelBehavior():
            return StepError("model.invalid_output", f"{who} gave no usable answer: {said}")
        case exceptions.UserError():
            return SettingsError(f"{who} cannot be used so: {said}")
        case NotImplementedError() | RuntimeError() if files:  # so the library says which it cannot send
            shown = ", ".join(f"`{file.name}` ({file.media_type})" for file in files)
            return StepError("model.unsupported", f"{who} cannot be shown {shown}: {said}")
        case _:
            return StepError("model", f"{who} failed: {type(error).__name__}: {said}")


def _ours_in(error: BaseException) -> StepError | None:
    """Return the error of ours that a client has met while it read a reply, whatever it has made of it."""
    found: BaseException | None = error
    while found is not None and not isinstance(found, StepError):
        found = found.__cause__ or found.__context__
    return found


def _http_failure(error: exceptions.ModelHTTPError, who: str, revealed: Revealed) -> StepError:
    body = revealed.hide_in(error.body)
    said = body
    while isinstance(said, dict):  # some say `{"message": …}`, some `{"error": {"message": …}}`
        said = said.get("message") or said.get("error")
    shown = f": {str(said)[:_LONGEST_SHOWN]}" if said else ""
    return StepError(
        f"http.{error.status_code}",
        f"{who} replied {error.status_code}{shown}",
        status=error.status_code,
        body=body,
        retry_after=error.retry_after,
        also=("model.too_long",)
        if isinstance(error, exceptions.ModelContextWindowExceededError)
        else ("model",),
    )
