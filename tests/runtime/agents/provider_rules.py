"""The rules that three providers have for what they are sent: which transcripts they take."""

from __future__ import annotations

from typing import Any

__all__ = ["JUDGES"]


def judge_openai(body: Any) -> None:
    said = [each for each in body["messages"] if each["role"] != "system"]
    assert said[0]["role"] == "user"
    assert said[-1]["role"] in {"user", "tool"}
    open_calls: list[str] = []
    for one in said:
        if one["role"] == "tool":
            assert one["tool_call_id"] == open_calls.pop(0)
            continue
        assert not open_calls, "every call is answered before anything else is said"
        open_calls = [each["id"] for each in one.get("tool_calls", [])]
        assert open_calls or one["content"]
        assert not open_calls or body["tools"]
    assert not open_calls


def judge_anthropic(body: Any) -> None:
    said = body["messages"]
    assert (said[0]["role"], said[-1]["role"]) == ("user", "user")
    wanted: list[str] = []
    for one in said:
        blocks = (
            one["content"] if isinstance(one["content"], list) else [{"type": "text", "text": one["content"]}]
        )
        told = [each["tool_use_id"] for each in blocks if each["type"] == "tool_result"]
        assert told == wanted
        assert [each["type"] for each in blocks[: len(told)]] == ["tool_result"] * len(told)
        assert all(each["text"].strip() for each in blocks if each["type"] == "text")
        wanted = [each["id"] for each in blocks if each["type"] == "tool_use"]
        assert not wanted or body["tools"]
    assert not wanted


def judge_google(body: Any) -> None:
    said = body["contents"]
    assert (said[0]["role"], said[-1]["role"]) == ("user", "user")
    wanted: list[str] = []
    for one in said:
        told = [each["functionResponse"]["name"] for each in one["parts"] if "functionResponse" in each]
        assert told == wanted
        assert all(each["text"].strip() for each in one["parts"] if "text" in each)
        wanted = [each["functionCall"]["name"] for each in one["parts"] if "functionCall" in each]
        assert not wanted or body["tools"]
    assert not wanted


JUDGES = {"openai": judge_openai, "anthropic": judge_anthropic, "google": judge_google}
