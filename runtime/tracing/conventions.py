"""Names of span attributes: those of OpenTelemetry's GenAI conventions, as string constants, and our own.

The conventions still change. Their names are only in this file, so that a change affects nothing else.
"""

from __future__ import annotations

from typing import Final

__all__ = [
    "ATTEMPT",
    "ATTEMPTS",
    "CANCELLED",
    "CHAT",
    "CONTENT",
    "EMITTED",
    "ERROR_TYPE",
    "EVENT",
    "EXECUTE_TOOL",
    "HTTP_METHOD",
    "HTTP_STATUS",
    "INPUT_MESSAGES",
    "INVOKE_WORKFLOW",
    "MAX_TOKENS",
    "OPERATION",
    "OUTPUT_MESSAGES",
    "OUTPUT_TYPE",
    "PROVIDER",
    "REQUEST_MODEL",
    "RESPONSE_ID",
    "RESPONSE_MODEL",
    "RUN_ID",
    "SEED",
    "SERVER_ADDRESS",
    "SERVER_PORT",
    "STEP",
    "STEP_RUN",
    "STOP_REASONS",
    "SYSTEM_INSTRUCTIONS",
    "TAG",
    "TEMPERATURE",
    "TOKENS_IN",
    "TOKENS_OUT",
    "TOOL_ARGUMENTS",
    "TOOL_NAME",
    "TOOL_RESULT",
    "TOOL_TYPE",
    "TOP_P",
    "WORKFLOW",
]

OPERATION: Final = "gen_ai.operation.name"
INVOKE_WORKFLOW: Final = "invoke_workflow"
CHAT: Final = "chat"
EXECUTE_TOOL: Final = "execute_tool"
WORKFLOW: Final = "gen_ai.workflow.name"
PROVIDER: Final = "gen_ai.provider.name"
REQUEST_MODEL: Final = "gen_ai.request.model"
TEMPERATURE: Final = "gen_ai.request.temperature"
MAX_TOKENS: Final = "gen_ai.request.max_tokens"
TOP_P: Final = "gen_ai.request.top_p"
SEED: Final = "gen_ai.request.seed"
OUTPUT_TYPE: Final = "gen_ai.output.type"
RESPONSE_MODEL: Final = "gen_ai.response.model"
RESPONSE_ID: Final = "gen_ai.response.id"
STOP_REASONS: Final = "gen_ai.response.finish_reasons"
TOKENS_IN: Final = "gen_ai.usage.input_tokens"
TOKENS_OUT: Final = "gen_ai.usage.output_tokens"
TOOL_NAME: Final = "gen_ai.tool.name"
TOOL_TYPE: Final = "gen_ai.tool.type"

# messages, arguments of tools and the like: recorded only if a handler is configured to record content
SYSTEM_INSTRUCTIONS: Final = "gen_ai.system_instructions"
INPUT_MESSAGES: Final = "gen_ai.input.messages"
OUTPUT_MESSAGES: Final = "gen_ai.output.messages"
TOOL_ARGUMENTS: Final = "gen_ai.tool.call.arguments"
TOOL_RESULT: Final = "gen_ai.tool.call.result"

ERROR_TYPE: Final = "error.type"
HTTP_METHOD: Final = "http.request.method"
HTTP_STATUS: Final = "http.response.status_code"
SERVER_ADDRESS: Final = "server.address"
SERVER_PORT: Final = "server.port"

# our own names, where the conventions have none
RUN_ID: Final = "wfc.run.id"
STEP: Final = "wfc.step.name"
PLACE: Final = "wfc.place"
STEP_RUN: Final = "wfc.step.run"
EVENT: Final = "wfc.step.event"
EMITTED: Final = "wfc.step.emitted"
ATTEMPT: Final = "wfc.attempt"
ATTEMPTS: Final = "wfc.step.attempts"
CANCELLED: Final = "wfc.cancelled"
TAG: Final = "wfc.tag."
CONTENT: Final = "wfc.content."
