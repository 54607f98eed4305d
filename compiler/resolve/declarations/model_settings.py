"""The settings that providers of models take, and the check of a model's `settings` against them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from wfc.compiler.diagnostics import Place, Report
from wfc.compiler.rules import bindings as problems

__all__ = ["COMMON", "OWN", "check_settings"]

COMMON: Final = frozenset(
    """
    cache citations extra_body extra_headers first_event_timeout framing_announcement frequency_penalty logit_bias
    max_retries max_tokens parallel_tool_calls presence_penalty request_timeout seed service_tier stop_sequences
    temperature thinking timeout tool_choice top_k top_p
    """.split()
)
"""The settings of all providers; each takes those that it knows. A test compares them with the installed library."""

OWN: Final[Mapping[str, frozenset[str]]] = {
    "anthropic": frozenset(
        """
        anthropic_betas anthropic_cache anthropic_cache_diagnostics anthropic_cache_instructions
        anthropic_cache_messages anthropic_cache_tool_definitions anthropic_code_execution_tool_version
        anthropic_container anthropic_context_management anthropic_eager_input_streaming anthropic_effort
        anthropic_metadata anthropic_service_tier anthropic_speed anthropic_task_budget anthropic_thinking
        anthropic_web_tools_allowed_callers
        """.split()
    ),
    "google": frozenset(
        """
        google_cached_content google_cloud_service_tier google_labels google_logprobs google_model_armor_config
        google_safety_settings google_thinking_config google_top_logprobs google_video_resolution
        """.split()
    ),
    "openai": frozenset(
        """
        openai_background openai_cache_instructions openai_context_management openai_continuous_usage_stats
        openai_conversation_id openai_include_code_execution_outputs openai_include_file_search_results
        openai_include_raw_annotations openai_include_unmapped_response_data openai_include_web_search_sources
        openai_logprobs openai_moderation openai_native_tools openai_prediction openai_previous_response_id
        openai_prompt_cache_diagnostics openai_prompt_cache_key openai_prompt_cache_options
        openai_prompt_cache_retention openai_reasoning_context openai_reasoning_effort openai_reasoning_mode
        openai_reasoning_summary openai_send_reasoning_ids openai_service_tier openai_store openai_text_verbosity
        openai_top_logprobs openai_transport openai_truncation openai_user
        """.split()
    ),
}
"""The settings of single providers, by the beginning of their names."""

FAMILIES: Final = {
    "anthropic": "anthropic",
    "google": "google",
    "openai": "openai",
    "openai-chat": "openai",
    "openai-responses": "openai",
}
"""Whose settings a provider takes, where those are all that it takes; others may take more than one kind."""


def check_settings(provider: str, given: Mapping[str, object], place: Place, report: Report) -> None:
    """Report settings that nobody reads, or not this provider.

    Args:
        provider: As the model's `use` has it; only those of ``FAMILIES`` are looked at.
        place: Of the `settings`.
    """
    family = FAMILIES.get(provider)
    if family is None:
        return
    known = COMMON | OWN[family]
    for name in given:
        at = (place / name).key
        if name == "max_retries":
            report(problems.unread_setting(at, name, "the step's `retry` says how often it is tried"))
        elif name not in known:
            report(problems.unknown_setting(at, name, provider, known))
