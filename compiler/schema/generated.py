"""Whether data fits the schema; printed by `python -m wfc.compiler.schema.generator`, not to be edited."""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

__all__ = ["CHECKS", "fits"]

Check = Callable[[Any], bool]


def anything(v: Any) -> bool:
    return True


def not_yet(v: Any) -> bool:
    return False


def text(v: Any) -> bool:
    return isinstance(v, str)


def integer(v: Any) -> bool:
    return isinstance(v, int) and not isinstance(v, bool)


def number(v: Any) -> bool:
    return isinstance(v, (int, float)) and not isinstance(v, bool)


def boolean(v: Any) -> bool:
    return isinstance(v, bool)


def array(v: Any) -> bool:
    return isinstance(v, list)


def is_prompt_then(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    if not ("use" in v):
        return False
    for key, value in v.items():
        check = PROMPT_THEN_KEYS.get(key)
        if check is None or not check(value):
            return False
    return True


def is_prompt(v: Any) -> bool:
    if not ((isinstance(v, dict) or isinstance(v, str))):
        return False
    if isinstance(v, dict):
        return is_prompt_then(v)
    return True


def is_values(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    return all(map(anything, v.values()))


def is_names(v: Any) -> bool:
    if not (isinstance(v, list)):
        return False
    return all(map(text, v))


def is_count(v: Any) -> bool:
    if not integer(v):
        return False
    return not number(v) or v >= 1


def is_secret(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    if not ("secret" in v):
        return False
    for key, value in v.items():
        check = SECRET_KEYS.get(key)
        if check is None or not check(value):
            return False
    return True


def is_event_names(v: Any) -> bool:
    if not (isinstance(v, list)):
        return False
    if not (len(v) >= 1):
        return False
    return all(map(text, v))


def is_type_in_full_if(v: Any) -> bool:
    return isinstance(v, dict) and (((("type" in v or "enum" in v or "one_of" in v)) and ((v.keys() <= {"type", "enum", "one_of", "default", "description", "merge", "format", "min", "max", "min_length", "max_length", "pattern", "min_items", "max_items"} or ("enum" in v and isinstance(v["enum"], list)) or ("one_of" in v and isinstance(v["one_of"], list))))) or ("min" in v and number(v["min"])) or ("max" in v and number(v["max"])) or ("min_length" in v and number(v["min_length"])) or ("max_length" in v and number(v["max_length"])) or ("min_items" in v and number(v["min_items"])) or ("max_items" in v and number(v["max_items"])))


def is_long_type_one_of(v: Any) -> bool:
    if not (isinstance(v, list)):
        return False
    return all(map(is_type, v))


def is_long_type_min(v: Any) -> bool:
    return (number(v) or isinstance(v, str))


def is_long_type(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    for key, value in v.items():
        if not LONG_TYPE_KEYS.get(key, anything)(value):
            return False
    return ((not isinstance(v, dict) or "type" in v) or (not isinstance(v, dict) or "enum" in v) or (not isinstance(v, dict) or "one_of" in v))


def is_record(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    return all(map(is_type, v.values()))


def is_type_in_full(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    if is_type_in_full_if(v):
        return is_long_type(v)
    return is_record(v)


def is_type(v: Any) -> bool:
    if not ((isinstance(v, str) or isinstance(v, dict))):
        return False
    if isinstance(v, dict):
        return is_type_in_full(v)
    return True


def is_merge_then(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    if not ("by" in v):
        return False
    for key, value in v.items():
        check = MERGE_THEN_KEYS.get(key)
        if check is None or not check(value):
            return False
    return True


def is_merge_else_then(v: Any) -> bool:
    return isinstance(v, str) and v in {"append", "last"}


def is_merge_else(v: Any) -> bool:
    if isinstance(v, str):
        return is_merge_else_then(v)
    return True


def is_merge(v: Any) -> bool:
    if not ((isinstance(v, dict) or isinstance(v, str))):
        return False
    if isinstance(v, dict):
        return is_merge_then(v)
    return is_merge_else(v)


def is_long_state_field(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    for key, value in v.items():
        if not LONG_STATE_FIELD_KEYS.get(key, anything)(value):
            return False
    return ((not isinstance(v, dict) or "type" in v) or (not isinstance(v, dict) or "enum" in v) or (not isinstance(v, dict) or "one_of" in v))


def is_state_field_then(v: Any) -> bool:
    if is_type_in_full_if(v):
        return is_long_state_field(v)
    return is_record(v)


def is_state_field(v: Any) -> bool:
    if not ((isinstance(v, str) or isinstance(v, dict))):
        return False
    if isinstance(v, dict):
        return is_state_field_then(v)
    return True


def is_type_declaration(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    if is_type_in_full_if(v):
        return is_long_type(v)
    return is_record(v)


def is_event(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    for key, value in v.items():
        if not EVENT_KEYS.get(key, is_type)(value):
            return False
    return True


def is_save_then(v: Any) -> bool:
    if not (not isinstance(v, list) or len(v) >= 1):
        return False
    return not isinstance(v, list) or all(map(text, v))


def is_save_else(v: Any) -> bool:
    if isinstance(v, dict):
        return is_values(v)
    return True


def is_save(v: Any) -> bool:
    if not ((isinstance(v, list) or isinstance(v, dict))):
        return False
    if isinstance(v, list):
        return is_save_then(v)
    return is_save_else(v)


def is_batch(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    if not ("in" in v and "as" in v and "event" in v and "max" in v):
        return False
    for key, value in v.items():
        check = BATCH_KEYS.get(key)
        if check is None or not check(value):
            return False
    return True


def is_plain_entry(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    if not ("event" in v):
        return False
    for key, value in v.items():
        check = PLAIN_ENTRY_KEYS.get(key)
        if check is None or not check(value):
            return False
    return True


def is_batch_entry(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    if not ("each" in v):
        return False
    for key, value in v.items():
        check = BATCH_ENTRY_KEYS.get(key)
        if check is None or not check(value):
            return False
    return True


def is_part_entry_then_else_else(v: Any) -> bool:
    if not isinstance(v, dict):
        return True
    for key, value in v.items():
        check = PART_ENTRY_THEN_ELSE_ELSE_KEYS.get(key)
        if check is None or not check(value):
            return False
    return ((not isinstance(v, dict) or "event" in v) or (not isinstance(v, dict) or "each" in v))


def is_part_entry_then_else(v: Any) -> bool:
    if isinstance(v, dict) and "each" in v:
        return is_batch_entry(v)
    return is_part_entry_then_else_else(v)


def is_part_entry_then(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    if isinstance(v, dict) and "event" in v:
        return is_plain_entry(v)
    return is_part_entry_then_else(v)


def is_part_entry(v: Any) -> bool:
    if not ((isinstance(v, dict) or isinstance(v, str))):
        return False
    if isinstance(v, dict):
        return is_part_entry_then(v)
    return True


def is_restart(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    for key, value in v.items():
        check = RESTART_KEYS.get(key)
        if check is None or not check(value):
            return False
    return True


def is_event_entry(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    if not ("event" in v):
        return False
    for key, value in v.items():
        check = EVENT_ENTRY_KEYS.get(key)
        if check is None or not check(value):
            return False
    return True


def is_all_entry_all(v: Any) -> bool:
    if not (isinstance(v, list)):
        return False
    if not (len(v) >= 1):
        return False
    return all(map(is_part_entry, v))


def is_all_entry(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    if not ("all" in v):
        return False
    for key, value in v.items():
        check = ALL_ENTRY_KEYS.get(key)
        if check is None or not check(value):
            return False
    return True


def is_each_entry(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    if not ("each" in v):
        return False
    for key, value in v.items():
        check = EACH_ENTRY_KEYS.get(key)
        if check is None or not check(value):
            return False
    return True


def is_fail_entry(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    if not ("fail" in v):
        return False
    for key, value in v.items():
        check = FAIL_ENTRY_KEYS.get(key)
        if check is None or not check(value):
            return False
    return True


def is_restart_entry(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    if not ("restart" in v):
        return False
    for key, value in v.items():
        check = RESTART_ENTRY_KEYS.get(key)
        if check is None or not check(value):
            return False
    return True


def is_entry_then_else_else_else_else_else(v: Any) -> bool:
    if not isinstance(v, dict):
        return True
    for key, value in v.items():
        check = ENTRY_THEN_ELSE_ELSE_ELSE_ELSE_ELSE_KEYS.get(key)
        if check is None or not check(value):
            return False
    return ((not isinstance(v, dict) or "event" in v) or (not isinstance(v, dict) or "all" in v) or (not isinstance(v, dict) or "each" in v) or (not isinstance(v, dict) or "fail" in v) or (not isinstance(v, dict) or "restart" in v))


def is_entry_then_else_else_else_else(v: Any) -> bool:
    if isinstance(v, dict) and "restart" in v:
        return is_restart_entry(v)
    return is_entry_then_else_else_else_else_else(v)


def is_entry_then_else_else_else(v: Any) -> bool:
    if isinstance(v, dict) and "fail" in v:
        return is_fail_entry(v)
    return is_entry_then_else_else_else_else(v)


def is_entry_then_else_else(v: Any) -> bool:
    if isinstance(v, dict) and "each" in v:
        return is_each_entry(v)
    return is_entry_then_else_else_else(v)


def is_entry_then_else(v: Any) -> bool:
    if isinstance(v, dict) and "all" in v:
        return is_all_entry(v)
    return is_entry_then_else_else(v)


def is_entry_then(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    if isinstance(v, dict) and "event" in v:
        return is_event_entry(v)
    return is_entry_then_else(v)


def is_entry(v: Any) -> bool:
    if not ((isinstance(v, str) or isinstance(v, dict))):
        return False
    if isinstance(v, dict):
        return is_entry_then(v)
    return True


def is_error_event_entry_errors(v: Any) -> bool:
    if not (isinstance(v, list)):
        return False
    if not (len(v) >= 1):
        return False
    return all(map(text, v))


def is_error_event_entry(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    if not ("event" in v):
        return False
    for key, value in v.items():
        check = ERROR_EVENT_ENTRY_KEYS.get(key)
        if check is None or not check(value):
            return False
    return True


def is_error_all_entry(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    if not ("all" in v):
        return False
    for key, value in v.items():
        check = ERROR_ALL_ENTRY_KEYS.get(key)
        if check is None or not check(value):
            return False
    return True


def is_error_each_entry(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    if not ("each" in v):
        return False
    for key, value in v.items():
        check = ERROR_EACH_ENTRY_KEYS.get(key)
        if check is None or not check(value):
            return False
    return True


def is_error_fail_entry(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    if not ("fail" in v):
        return False
    for key, value in v.items():
        check = ERROR_FAIL_ENTRY_KEYS.get(key)
        if check is None or not check(value):
            return False
    return True


def is_error_restart_entry(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    if not ("restart" in v):
        return False
    for key, value in v.items():
        check = ERROR_RESTART_ENTRY_KEYS.get(key)
        if check is None or not check(value):
            return False
    return True


def is_error_entry_then_else_else_else_else_else(v: Any) -> bool:
    if not isinstance(v, dict):
        return True
    for key, value in v.items():
        check = ERROR_ENTRY_THEN_ELSE_ELSE_ELSE_ELSE_ELSE_KEYS.get(key)
        if check is None or not check(value):
            return False
    return ((not isinstance(v, dict) or "event" in v) or (not isinstance(v, dict) or "all" in v) or (not isinstance(v, dict) or "each" in v) or (not isinstance(v, dict) or "fail" in v) or (not isinstance(v, dict) or "restart" in v))


def is_error_entry_then_else_else_else_else(v: Any) -> bool:
    if isinstance(v, dict) and "restart" in v:
        return is_error_restart_entry(v)
    return is_error_entry_then_else_else_else_else_else(v)


def is_error_entry_then_else_else_else(v: Any) -> bool:
    if isinstance(v, dict) and "fail" in v:
        return is_error_fail_entry(v)
    return is_error_entry_then_else_else_else_else(v)


def is_error_entry_then_else_else(v: Any) -> bool:
    if isinstance(v, dict) and "each" in v:
        return is_error_each_entry(v)
    return is_error_entry_then_else_else_else(v)


def is_error_entry_then_else(v: Any) -> bool:
    if isinstance(v, dict) and "all" in v:
        return is_error_all_entry(v)
    return is_error_entry_then_else_else(v)


def is_error_entry_then(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    if isinstance(v, dict) and "event" in v:
        return is_error_event_entry(v)
    return is_error_entry_then_else(v)


def is_error_entry(v: Any) -> bool:
    if not ((isinstance(v, str) or isinstance(v, dict))):
        return False
    if isinstance(v, dict):
        return is_error_entry_then(v)
    return True


def is_exit_then(v: Any) -> bool:
    if not (not isinstance(v, list) or len(v) >= 1):
        return False
    return not isinstance(v, list) or all(map(is_entry, v))


def is_exit_else(v: Any) -> bool:
    if isinstance(v, dict):
        return is_entry(v)
    return True


def is_exit(v: Any) -> bool:
    if not ((isinstance(v, list) or isinstance(v, dict) or isinstance(v, str))):
        return False
    if isinstance(v, list):
        return is_exit_then(v)
    return is_exit_else(v)


def is_error_exit(v: Any) -> bool:
    if not (isinstance(v, list)):
        return False
    if not (len(v) >= 1):
        return False
    return all(map(is_error_entry, v))


def is_join_timeout(v: Any) -> bool:
    if not ((isinstance(v, list) or isinstance(v, dict) or isinstance(v, str))):
        return False
    if isinstance(v, list):
        return is_exit_then(v)
    return is_exit_else(v)


def is_join_all(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    if not ("all" in v):
        return False
    for key, value in v.items():
        check = JOIN_ALL_KEYS.get(key)
        if check is None or not check(value):
            return False
    return True


def is_join_any_rest(v: Any) -> bool:
    return isinstance(v, str) and v in {"finish", "cancel"}


def is_join_any(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    if not ("any" in v):
        return False
    for key, value in v.items():
        check = JOIN_ANY_KEYS.get(key)
        if check is None or not check(value):
            return False
    return True


def is_at_least(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    if not ("count" in v and "of" in v):
        return False
    for key, value in v.items():
        check = AT_LEAST_KEYS.get(key)
        if check is None or not check(value):
            return False
    return True


def is_join_at_least(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    if not ("at_least" in v):
        return False
    for key, value in v.items():
        check = JOIN_AT_LEAST_KEYS.get(key)
        if check is None or not check(value):
            return False
    return True


def is_join_each_each(v: Any) -> bool:
    if not ((isinstance(v, list) or isinstance(v, str))):
        return False
    if isinstance(v, list):
        return is_event_names(v)
    return True


def is_join_each(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    if not ("each" in v):
        return False
    for key, value in v.items():
        check = JOIN_EACH_KEYS.get(key)
        if check is None or not check(value):
            return False
    return True


def is_accepts_else_then_else_else_else_else(v: Any) -> bool:
    if not isinstance(v, dict):
        return True
    for key, value in v.items():
        check = ACCEPTS_ELSE_THEN_ELSE_ELSE_ELSE_ELSE_KEYS.get(key)
        if check is None or not check(value):
            return False
    return ((not isinstance(v, dict) or "all" in v) or (not isinstance(v, dict) or "any" in v) or (not isinstance(v, dict) or "at_least" in v) or (not isinstance(v, dict) or "each" in v))


def is_accepts_else_then_else_else_else(v: Any) -> bool:
    if isinstance(v, dict) and "each" in v:
        return is_join_each(v)
    return is_accepts_else_then_else_else_else_else(v)


def is_accepts_else_then_else_else(v: Any) -> bool:
    if isinstance(v, dict) and "at_least" in v:
        return is_join_at_least(v)
    return is_accepts_else_then_else_else_else(v)


def is_accepts_else_then_else(v: Any) -> bool:
    if isinstance(v, dict) and "any" in v:
        return is_join_any(v)
    return is_accepts_else_then_else_else(v)


def is_accepts_else_then(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    if isinstance(v, dict) and "all" in v:
        return is_join_all(v)
    return is_accepts_else_then_else(v)


def is_accepts_else(v: Any) -> bool:
    if isinstance(v, dict):
        return is_accepts_else_then(v)
    return True


def is_accepts(v: Any) -> bool:
    if not ((isinstance(v, list) or isinstance(v, dict) or isinstance(v, str))):
        return False
    if isinstance(v, list):
        return is_event_names(v)
    return is_accepts_else(v)


def is_retry_policy_backoff(v: Any) -> bool:
    if not number(v):
        return False
    return not number(v) or v >= 1


def is_retry_policy(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    if not ("max_attempts" in v):
        return False
    for key, value in v.items():
        check = RETRY_POLICY_KEYS.get(key)
        if check is None or not check(value):
            return False
    return True


def is_retry(v: Any) -> bool:
    if not ((isinstance(v, dict) or isinstance(v, str))):
        return False
    if isinstance(v, dict):
        return is_retry_policy(v)
    return True


def is_header(v: Any) -> bool:
    if not ((isinstance(v, dict) or isinstance(v, str))):
        return False
    if isinstance(v, dict):
        return is_secret(v)
    return True


def is_basic(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    if not ("user" in v and "password" in v):
        return False
    for key, value in v.items():
        check = BASIC_KEYS.get(key)
        if check is None or not check(value):
            return False
    return True


def is_bearer_auth(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    if not ("bearer" in v):
        return False
    for key, value in v.items():
        check = BEARER_AUTH_KEYS.get(key)
        if check is None or not check(value):
            return False
    return True


def is_basic_auth(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    if not ("basic" in v):
        return False
    for key, value in v.items():
        check = BASIC_AUTH_KEYS.get(key)
        if check is None or not check(value):
            return False
    return True


def is_auth_else_else(v: Any) -> bool:
    if not isinstance(v, dict):
        return True
    for key, value in v.items():
        check = AUTH_ELSE_ELSE_KEYS.get(key)
        if check is None or not check(value):
            return False
    return ((not isinstance(v, dict) or "bearer" in v) or (not isinstance(v, dict) or "basic" in v))


def is_auth_else(v: Any) -> bool:
    if isinstance(v, dict) and "basic" in v:
        return is_basic_auth(v)
    return is_auth_else_else(v)


def is_auth(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    if isinstance(v, dict) and "bearer" in v:
        return is_bearer_auth(v)
    return is_auth_else(v)


def is_request_method(v: Any) -> bool:
    return isinstance(v, str) and v in {"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"}


def is_request_headers(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    return all(map(is_header, v.values()))


def is_request(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    if not ("method" in v and "url" in v):
        return False
    for key, value in v.items():
        check = REQUEST_KEYS.get(key)
        if check is None or not check(value):
            return False
    return True


def is_model_temperature(v: Any) -> bool:
    if not number(v):
        return False
    return not number(v) or v >= 0


def is_model_top_p(v: Any) -> bool:
    if not number(v):
        return False
    if not (not number(v) or v >= 0):
        return False
    return not number(v) or v <= 1


def is_model(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    if not ("use" in v):
        return False
    for key, value in v.items():
        check = MODEL_KEYS.get(key)
        if check is None or not check(value):
            return False
    return True


def is_python_tool_secrets(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    return all(map(is_secret, v.values()))


def is_python_tool(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    if not ("python" in v):
        return False
    for key, value in v.items():
        check = PYTHON_TOOL_KEYS.get(key)
        if check is None or not check(value):
            return False
    return True


def is_http_tool(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    if not ("http" in v):
        return False
    for key, value in v.items():
        check = HTTP_TOOL_KEYS.get(key)
        if check is None or not check(value):
            return False
    return True


def is_openapi_tool(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    if not ("openapi" in v):
        return False
    for key, value in v.items():
        check = OPENAPI_TOOL_KEYS.get(key)
        if check is None or not check(value):
            return False
    return True


def is_mcp_server(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    for key, value in v.items():
        check = MCP_SERVER_KEYS.get(key)
        if check is None or not check(value):
            return False
    return True


def is_mcp_tool(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    if not ("mcp" in v):
        return False
    for key, value in v.items():
        check = MCP_TOOL_KEYS.get(key)
        if check is None or not check(value):
            return False
    return True


def is_workflow_tool(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    if not ("workflow" in v):
        return False
    for key, value in v.items():
        check = WORKFLOW_TOOL_KEYS.get(key)
        if check is None or not check(value):
            return False
    return True


def is_tool_binding_else_else_else_else_else(v: Any) -> bool:
    if not isinstance(v, dict):
        return True
    for key, value in v.items():
        check = TOOL_BINDING_ELSE_ELSE_ELSE_ELSE_ELSE_KEYS.get(key)
        if check is None or not check(value):
            return False
    return ((not isinstance(v, dict) or "python" in v) or (not isinstance(v, dict) or "http" in v) or (not isinstance(v, dict) or "openapi" in v) or (not isinstance(v, dict) or "mcp" in v) or (not isinstance(v, dict) or "workflow" in v))


def is_tool_binding_else_else_else_else(v: Any) -> bool:
    if isinstance(v, dict) and "workflow" in v:
        return is_workflow_tool(v)
    return is_tool_binding_else_else_else_else_else(v)


def is_tool_binding_else_else_else(v: Any) -> bool:
    if isinstance(v, dict) and "mcp" in v:
        return is_mcp_tool(v)
    return is_tool_binding_else_else_else_else(v)


def is_tool_binding_else_else(v: Any) -> bool:
    if isinstance(v, dict) and "openapi" in v:
        return is_openapi_tool(v)
    return is_tool_binding_else_else_else(v)


def is_tool_binding_else(v: Any) -> bool:
    if isinstance(v, dict) and "http" in v:
        return is_http_tool(v)
    return is_tool_binding_else_else(v)


def is_tool_binding(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    if isinstance(v, dict) and "python" in v:
        return is_python_tool(v)
    return is_tool_binding_else(v)


def is_agent_binding_style(v: Any) -> bool:
    return isinstance(v, str) and v in {"function", "react", "code"}


def is_agent_binding(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    if not ("model" in v):
        return False
    for key, value in v.items():
        check = AGENT_BINDING_KEYS.get(key)
        if check is None or not check(value):
            return False
    return True


def is_knowledge_binding_files(v: Any) -> bool:
    if not ((isinstance(v, list) or isinstance(v, str))):
        return False
    if isinstance(v, list):
        return is_save_then(v)
    return True


def is_knowledge_binding_index(v: Any) -> bool:
    return isinstance(v, str) and v in {"keyword", "vector"}


def is_knowledge_binding(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    if not ("files" in v):
        return False
    for key, value in v.items():
        check = KNOWLEDGE_BINDING_KEYS.get(key)
        if check is None or not check(value):
            return False
    return True


def is_resource_per(v: Any) -> bool:
    return isinstance(v, str) and v in {"run", "process"}


def is_resource(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    if not ("python" in v):
        return False
    for key, value in v.items():
        check = RESOURCE_KEYS.get(key)
        if check is None or not check(value):
            return False
    return True


def is_prompt_text_then(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    if not ("file" in v):
        return False
    for key, value in v.items():
        check = PROMPT_TEXT_THEN_KEYS.get(key)
        if check is None or not check(value):
            return False
    return True


def is_prompt_text(v: Any) -> bool:
    if not ((isinstance(v, dict) or isinstance(v, str))):
        return False
    if isinstance(v, dict):
        return is_prompt_text_then(v)
    return True


def is_max_runs(v: Any) -> bool:
    if not ((integer(v) or isinstance(v, str))):
        return False
    return not number(v) or v >= 1


def is_requirement(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    if not ("that" in v and "say" in v):
        return False
    for key, value in v.items():
        check = REQUIREMENT_KEYS.get(key)
        if check is None or not check(value):
            return False
    return True


def is_stream_after(v: Any) -> bool:
    if not ((isinstance(v, dict) or isinstance(v, str))):
        return False
    if isinstance(v, dict):
        return is_plain_entry(v)
    return True


def is_stream(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    for key, value in v.items():
        check = STREAM_KEYS.get(key)
        if check is None or not check(value):
            return False
    return True


def is_cache_then(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    for key, value in v.items():
        check = CACHE_THEN_KEYS.get(key)
        if check is None or not check(value):
            return False
    return True


def is_cache(v: Any) -> bool:
    if not ((isinstance(v, dict) or isinstance(v, bool))):
        return False
    if isinstance(v, dict):
        return is_cache_then(v)
    return True


def is_llm_step_kind(v: Any) -> bool:
    return v == "llm"


def is_llm_step_require(v: Any) -> bool:
    if not (isinstance(v, list)):
        return False
    if not (len(v) >= 1):
        return False
    return all(map(is_requirement, v))


def is_llm_step(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    if not ("kind" in v and "accepts" in v and "prompt" in v and "emit" in v):
        return False
    for key, value in v.items():
        check = LLM_STEP_KEYS.get(key)
        if check is None or not check(value):
            return False
    return True


def is_agent_step_kind(v: Any) -> bool:
    return v == "agent"


def is_agent_step(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    if not ("kind" in v and "accepts" in v and "emit" in v):
        return False
    for key, value in v.items():
        check = AGENT_STEP_KEYS.get(key)
        if check is None or not check(value):
            return False
    return True


def is_tool_step_kind(v: Any) -> bool:
    return v == "tool"


def is_tool_step_tool(v: Any) -> bool:
    if not ((isinstance(v, dict) or isinstance(v, str))):
        return False
    if isinstance(v, dict):
        return is_tool_binding(v)
    return True


def is_tool_step(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    if not ("kind" in v and "accepts" in v and "tool" in v and "emit" in v):
        return False
    for key, value in v.items():
        check = TOOL_STEP_KEYS.get(key)
        if check is None or not check(value):
            return False
    return True


def is_http_step_kind(v: Any) -> bool:
    return v == "http"


def is_http_step(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    if not ("kind" in v and "accepts" in v and "method" in v and "url" in v and "emit" in v):
        return False
    for key, value in v.items():
        check = HTTP_STEP_KEYS.get(key)
        if check is None or not check(value):
            return False
    return True


def is_human_step_kind(v: Any) -> bool:
    return v == "human"


def is_human_step_assign(v: Any) -> bool:
    if not (isinstance(v, list)):
        return False
    if not (len(v) >= 1):
        return False
    return all(map(text, v))


def is_human_step(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    if not ("kind" in v and "accepts" in v and "title" in v and "within" in v and "on_timeout" in v and "emit" in v):
        return False
    for key, value in v.items():
        check = HUMAN_STEP_KEYS.get(key)
        if check is None or not check(value):
            return False
    return True


def is_workflow_step_kind(v: Any) -> bool:
    return v == "workflow"


def is_workflow_step(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    if not ("kind" in v and "accepts" in v and "workflow" in v and "emit" in v):
        return False
    for key, value in v.items():
        check = WORKFLOW_STEP_KEYS.get(key)
        if check is None or not check(value):
            return False
    return True


def is_transform_step_kind(v: Any) -> bool:
    return v == "transform"


def is_transform_step(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    if not ("kind" in v and "accepts" in v and "emit" in v):
        return False
    for key, value in v.items():
        check = TRANSFORM_STEP_KEYS.get(key)
        if check is None or not check(value):
            return False
    return True


def is_map_step_kind(v: Any) -> bool:
    return v == "map"


def is_map_action_kind(v: Any) -> bool:
    return isinstance(v, str) and v in {"llm", "agent", "tool", "http", "workflow", "retrieve"}


def is_llm_action(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    if not ("kind" in v and "prompt" in v):
        return False
    for key, value in v.items():
        check = LLM_ACTION_KEYS.get(key)
        if check is None or not check(value):
            return False
    return True


def is_agent_action(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    if not ("kind" in v):
        return False
    for key, value in v.items():
        check = AGENT_ACTION_KEYS.get(key)
        if check is None or not check(value):
            return False
    return True


def is_tool_action(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    if not ("kind" in v and "tool" in v):
        return False
    for key, value in v.items():
        check = TOOL_ACTION_KEYS.get(key)
        if check is None or not check(value):
            return False
    return True


def is_http_action(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    if not ("kind" in v and "method" in v and "url" in v):
        return False
    for key, value in v.items():
        check = HTTP_ACTION_KEYS.get(key)
        if check is None or not check(value):
            return False
    return True


def is_workflow_action(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    if not ("kind" in v and "workflow" in v):
        return False
    for key, value in v.items():
        check = WORKFLOW_ACTION_KEYS.get(key)
        if check is None or not check(value):
            return False
    return True


def is_retrieve_action_kind(v: Any) -> bool:
    return v == "retrieve"


def is_retrieve_action(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    if not ("kind" in v and "from" in v and "query" in v):
        return False
    for key, value in v.items():
        check = RETRIEVE_ACTION_KEYS.get(key)
        if check is None or not check(value):
            return False
    return True


def is_map_action(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    if not ("kind" in v):
        return False
    for key, value in v.items():
        if not MAP_ACTION_KEYS.get(key, anything)(value):
            return False
    return MAP_ACTION_KINDS.get(v["kind"], anything)(v)


def is_map_step_on_item_error(v: Any) -> bool:
    return (v is None or (isinstance(v, str) and v in {"fail", "skip", "null"}))


def is_map_step(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    if not ("kind" in v and "accepts" in v and "in" in v and "as" in v and "max" in v and "emit" in v):
        return False
    for key, value in v.items():
        check = MAP_STEP_KEYS.get(key)
        if check is None or not check(value):
            return False
    return True


def is_wait_step_kind(v: Any) -> bool:
    return v == "wait"


def is_wait_step(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    if not ("kind" in v and "accepts" in v and "emit" in v):
        return False
    for key, value in v.items():
        check = WAIT_STEP_KEYS.get(key)
        if check is None or not check(value):
            return False
    return True


def is_send_step_kind(v: Any) -> bool:
    return v == "send"


def is_send_step_if_absent_then(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    if not ("keep" in v):
        return False
    for key, value in v.items():
        check = SEND_STEP_IF_ABSENT_THEN_KEYS.get(key)
        if check is None or not check(value):
            return False
    return True


def is_send_step_if_absent_else_then(v: Any) -> bool:
    return isinstance(v, str) and v in {"start"}


def is_send_step_if_absent_else(v: Any) -> bool:
    if isinstance(v, str):
        return is_send_step_if_absent_else_then(v)
    return True


def is_send_step_if_absent(v: Any) -> bool:
    if not ((isinstance(v, dict) or isinstance(v, str))):
        return False
    if isinstance(v, dict):
        return is_send_step_if_absent_then(v)
    return is_send_step_if_absent_else(v)


def is_send_step(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    if not ("kind" in v and "accepts" in v and "event" in v and "emit" in v):
        return False
    for key, value in v.items():
        check = SEND_STEP_KEYS.get(key)
        if check is None or not check(value):
            return False
    return True


def is_retrieve_step(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    if not ("kind" in v and "accepts" in v and "from" in v and "query" in v and "emit" in v):
        return False
    for key, value in v.items():
        check = RETRIEVE_STEP_KEYS.get(key)
        if check is None or not check(value):
            return False
    return True


def is_step_kind(v: Any) -> bool:
    return isinstance(v, str) and v in {"llm", "agent", "tool", "http", "human", "workflow", "transform", "map", "wait", "send", "retrieve"}


def is_step(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    if not ("kind" in v):
        return False
    for key, value in v.items():
        if not STEP_KEYS.get(key, anything)(value):
            return False
    return STEP_KINDS.get(v["kind"], anything)(v)


def is_expect_ran_entry(v: Any) -> bool:
    if not integer(v):
        return False
    return not number(v) or v >= 0


def is_expect_ran(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    return all(map(is_expect_ran_entry, v.values()))


def is_expect_streamed(v: Any) -> bool:
    if not (isinstance(v, list)):
        return False
    return all(map(anything, v))


def is_expect(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    for key, value in v.items():
        check = EXPECT_KEYS.get(key)
        if check is None or not check(value):
            return False
    return True


def is_delivery(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    if not ("event" in v):
        return False
    for key, value in v.items():
        check = DELIVERY_KEYS.get(key)
        if check is None or not check(value):
            return False
    return True


def is_test_deliver(v: Any) -> bool:
    if not (isinstance(v, list)):
        return False
    return all(map(is_delivery, v))


def is_test(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    if not ("name" in v and "expect" in v):
        return False
    for key, value in v.items():
        check = TEST_KEYS.get(key)
        if check is None or not check(value):
            return False
    return True


def is_received(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    for key, value in v.items():
        check = RECEIVED_KEYS.get(key)
        if check is None or not check(value):
            return False
    return True


def is_limits(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    for key, value in v.items():
        check = LIMITS_KEYS.get(key)
        if check is None or not check(value):
            return False
    return True


def is_defaults(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    for key, value in v.items():
        check = DEFAULTS_KEYS.get(key)
        if check is None or not check(value):
            return False
    return True


def is_spec_wfc(v: Any) -> bool:
    return integer(v) and v == 1


def is_spec_labels(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    return all(map(text, v.values()))


def is_spec_secrets(v: Any) -> bool:
    if not (isinstance(v, list)):
        return False
    return all(map(text, v))


def is_spec_models(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    return all(map(is_model, v.values()))


def is_spec_types(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    return all(map(is_type_declaration, v.values()))


def is_spec_events(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    return all(map(is_event, v.values()))


def is_spec_state(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    return all(map(is_state_field, v.values()))


def is_spec_tools(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    return all(map(is_tool_binding, v.values()))


def is_spec_retries(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    return all(map(is_retry_policy, v.values()))


def is_spec_prompts(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    return all(map(is_prompt_text, v.values()))


def is_spec_agents(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    return all(map(is_agent_binding, v.values()))


def is_spec_knowledge(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    return all(map(is_knowledge_binding, v.values()))


def is_spec_resources(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    return all(map(is_resource, v.values()))


def is_spec_receives(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    return all(map(is_received, v.values()))


def is_spec_when_running(v: Any) -> bool:
    return isinstance(v, str) and v in {"reject", "queue", "replace", "join", "parallel"}


def is_spec_steps(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    if not (len(v) >= 1):
        return False
    return all(map(is_step, v.values()))


def is_spec_tests(v: Any) -> bool:
    if not (isinstance(v, list)):
        return False
    return all(map(is_test, v))


def is_spec(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    if not ("wfc" in v and "workflow" in v and "start" in v and "end" in v and "events" in v and "steps" in v):
        return False
    for key, value in v.items():
        check = SPEC_KEYS.get(key)
        if check is None or not check(value):
            return False
    return True


def is_part(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    if not ("wfc" in v and "part" in v and "accepts" in v and "emits" in v and "steps" in v):
        return False
    for key, value in v.items():
        check = PART_KEYS.get(key)
        if check is None or not check(value):
            return False
    return True


def is_shared(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    if not ("wfc" in v):
        return False
    for key, value in v.items():
        check = SHARED_KEYS.get(key)
        if check is None or not check(value):
            return False
    return True


def fits_else_if(v: Any) -> bool:
    return isinstance(v, dict) and "wfc" in v and (("imports" in v or "types" in v or "events" in v or "prompts" in v or "models" in v or "tools" in v or "agents" in v or "knowledge" in v or "retries" in v or "resources" in v or "secrets" in v or "config" in v)) and v.keys() <= {"wfc", "description", "imports", "types", "events", "prompts", "models", "tools", "agents", "knowledge", "retries", "resources", "secrets", "config"}


def fits_else(v: Any) -> bool:
    if fits_else_if(v):
        return is_shared(v)
    return is_spec(v)


def fits(v: Any) -> bool:
    if not (isinstance(v, dict)):
        return False
    if isinstance(v, dict) and "part" in v:
        return is_part(v)
    return fits_else(v)


PROMPT_THEN_KEYS: Final[Mapping[str, Check]] = {
    "use": text,
}
SECRET_KEYS: Final[Mapping[str, Check]] = {
    "secret": text,
}
LONG_TYPE_KEYS: Final[Mapping[str, Check]] = {
    "type": is_type,
    "enum": array,
    "one_of": is_long_type_one_of,
    "default": anything,
    "description": text,
    "format": text,
    "min": is_long_type_min,
    "max": is_long_type_min,
    "min_length": integer,
    "max_length": integer,
    "pattern": text,
    "min_items": integer,
    "max_items": integer,
}
MERGE_THEN_KEYS: Final[Mapping[str, Check]] = {
    "by": text,
}
LONG_STATE_FIELD_KEYS: Final[Mapping[str, Check]] = {
    "type": is_type,
    "enum": array,
    "one_of": is_long_type_one_of,
    "default": anything,
    "description": text,
    "format": text,
    "min": is_long_type_min,
    "max": is_long_type_min,
    "min_length": integer,
    "max_length": integer,
    "pattern": text,
    "min_items": integer,
    "max_items": integer,
    "merge": is_merge,
}
EVENT_KEYS: Final[Mapping[str, Check]] = {
    "extends": text,
}
BATCH_KEYS: Final[Mapping[str, Check]] = {
    "in": text,
    "as": text,
    "event": text,
    "with": is_values,
    "max": is_count,
}
PLAIN_ENTRY_KEYS: Final[Mapping[str, Check]] = {
    "event": text,
    "with": is_values,
}
BATCH_ENTRY_KEYS: Final[Mapping[str, Check]] = {
    "each": is_batch,
}
PART_ENTRY_THEN_ELSE_ELSE_KEYS: Final[Mapping[str, Check]] = {
    "event": anything,
    "with": anything,
    "each": anything,
}
RESTART_KEYS: Final[Mapping[str, Check]] = {
    "with": is_values,
}
EVENT_ENTRY_KEYS: Final[Mapping[str, Check]] = {
    "when": text,
    "event": text,
    "with": is_values,
    "save": is_save,
}
ALL_ENTRY_KEYS: Final[Mapping[str, Check]] = {
    "when": text,
    "all": is_all_entry_all,
    "save": is_save,
}
EACH_ENTRY_KEYS: Final[Mapping[str, Check]] = {
    "when": text,
    "each": is_batch,
    "save": is_save,
}
FAIL_ENTRY_KEYS: Final[Mapping[str, Check]] = {
    "when": text,
    "fail": text,
}
RESTART_ENTRY_KEYS: Final[Mapping[str, Check]] = {
    "when": text,
    "restart": is_restart,
}
ENTRY_THEN_ELSE_ELSE_ELSE_ELSE_ELSE_KEYS: Final[Mapping[str, Check]] = {
    "when": anything,
    "event": anything,
    "with": anything,
    "save": anything,
    "all": anything,
    "each": anything,
    "fail": anything,
    "restart": anything,
}
ERROR_EVENT_ENTRY_KEYS: Final[Mapping[str, Check]] = {
    "errors": is_error_event_entry_errors,
    "when": text,
    "event": text,
    "with": is_values,
    "save": is_save,
}
ERROR_ALL_ENTRY_KEYS: Final[Mapping[str, Check]] = {
    "errors": is_error_event_entry_errors,
    "when": text,
    "all": is_all_entry_all,
    "save": is_save,
}
ERROR_EACH_ENTRY_KEYS: Final[Mapping[str, Check]] = {
    "errors": is_error_event_entry_errors,
    "when": text,
    "each": is_batch,
    "save": is_save,
}
ERROR_FAIL_ENTRY_KEYS: Final[Mapping[str, Check]] = {
    "errors": is_error_event_entry_errors,
    "when": text,
    "fail": text,
}
ERROR_RESTART_ENTRY_KEYS: Final[Mapping[str, Check]] = {
    "errors": is_error_event_entry_errors,
    "when": text,
    "restart": is_restart,
}
ERROR_ENTRY_THEN_ELSE_ELSE_ELSE_ELSE_ELSE_KEYS: Final[Mapping[str, Check]] = {
    "errors": anything,
    "when": anything,
    "event": anything,
    "with": anything,
    "save": anything,
    "all": anything,
    "each": anything,
    "fail": anything,
    "restart": anything,
}
JOIN_ALL_KEYS: Final[Mapping[str, Check]] = {
    "all": is_event_names,
    "within": text,
    "on_timeout": is_join_timeout,
    "match_by": text,
}
JOIN_ANY_KEYS: Final[Mapping[str, Check]] = {
    "any": is_event_names,
    "rest": is_join_any_rest,
    "within": text,
    "on_timeout": is_join_timeout,
    "match_by": text,
}
AT_LEAST_KEYS: Final[Mapping[str, Check]] = {
    "count": is_count,
    "of": is_event_names,
}
JOIN_AT_LEAST_KEYS: Final[Mapping[str, Check]] = {
    "at_least": is_at_least,
    "rest": is_join_any_rest,
    "within": text,
    "on_timeout": is_join_timeout,
    "match_by": text,
}
JOIN_EACH_KEYS: Final[Mapping[str, Check]] = {
    "each": is_join_each_each,
    "within": text,
    "on_timeout": is_join_timeout,
    "match_by": text,
}
ACCEPTS_ELSE_THEN_ELSE_ELSE_ELSE_ELSE_KEYS: Final[Mapping[str, Check]] = {
    "all": anything,
    "within": anything,
    "on_timeout": anything,
    "match_by": anything,
    "any": anything,
    "rest": anything,
    "at_least": anything,
    "each": anything,
}
RETRY_POLICY_KEYS: Final[Mapping[str, Check]] = {
    "max_attempts": is_count,
    "delay": text,
    "backoff": is_retry_policy_backoff,
    "max_delay": text,
    "jitter": text,
    "total_timeout": text,
    "retry_on": is_names,
    "never_on": is_names,
}
BASIC_KEYS: Final[Mapping[str, Check]] = {
    "user": text,
    "password": text,
}
BEARER_AUTH_KEYS: Final[Mapping[str, Check]] = {
    "bearer": text,
}
BASIC_AUTH_KEYS: Final[Mapping[str, Check]] = {
    "basic": is_basic,
}
AUTH_ELSE_ELSE_KEYS: Final[Mapping[str, Check]] = {
    "bearer": anything,
    "basic": anything,
}
REQUEST_KEYS: Final[Mapping[str, Check]] = {
    "method": is_request_method,
    "url": text,
    "query": is_values,
    "headers": is_request_headers,
    "auth": is_auth,
    "body": anything,
}
MODEL_KEYS: Final[Mapping[str, Check]] = {
    "use": text,
    "base_url": text,
    "api_key": text,
    "temperature": is_model_temperature,
    "max_tokens": is_count,
    "top_p": is_model_top_p,
    "seed": integer,
    "timeout": text,
    "fallback": is_names,
    "settings": is_values,
}
PYTHON_TOOL_KEYS: Final[Mapping[str, Check]] = {
    "python": text,
    "args": is_record,
    "output": is_type,
    "secrets": is_python_tool_secrets,
    "read_only": boolean,
    "description": text,
}
HTTP_TOOL_KEYS: Final[Mapping[str, Check]] = {
    "http": is_request,
    "args": is_record,
    "output": is_type,
    "read_only": boolean,
    "description": text,
}
OPENAPI_TOOL_KEYS: Final[Mapping[str, Check]] = {
    "openapi": not_yet,
    "only": is_names,
    "auth": is_auth,
    "headers": is_request_headers,
    "base_url": text,
    "description": text,
}
MCP_SERVER_KEYS: Final[Mapping[str, Check]] = {
    "command": is_names,
    "env": is_request_headers,
    "url": text,
    "headers": is_request_headers,
    "auth": is_auth,
}
MCP_TOOL_KEYS: Final[Mapping[str, Check]] = {
    "mcp": not_yet,
    "only": is_names,
    "args": is_record,
    "output": is_type,
    "read_only": boolean,
    "description": text,
}
WORKFLOW_TOOL_KEYS: Final[Mapping[str, Check]] = {
    "workflow": text,
    "description": text,
}
TOOL_BINDING_ELSE_ELSE_ELSE_ELSE_ELSE_KEYS: Final[Mapping[str, Check]] = {
    "python": anything,
    "args": anything,
    "output": anything,
    "secrets": anything,
    "read_only": anything,
    "description": anything,
    "http": anything,
    "openapi": anything,
    "only": anything,
    "auth": anything,
    "headers": anything,
    "base_url": anything,
    "mcp": anything,
    "workflow": anything,
}
AGENT_BINDING_KEYS: Final[Mapping[str, Check]] = {
    "model": text,
    "system": is_prompt,
    "tools": is_names,
    "output": is_type,
    "style": is_agent_binding_style,
    "max_turns": is_count,
    "handoffs": is_names,
    "approve": is_names,
    "history": anything,
    "memory": anything,
    "description": text,
}
KNOWLEDGE_BINDING_KEYS: Final[Mapping[str, Check]] = {
    "files": is_knowledge_binding_files,
    "index": is_knowledge_binding_index,
    "model": text,
    "description": text,
}
RESOURCE_KEYS: Final[Mapping[str, Check]] = {
    "python": text,
    "per": is_resource_per,
}
PROMPT_TEXT_THEN_KEYS: Final[Mapping[str, Check]] = {
    "file": text,
}
REQUIREMENT_KEYS: Final[Mapping[str, Check]] = {
    "that": text,
    "say": text,
}
STREAM_KEYS: Final[Mapping[str, Check]] = {
    "tokens": boolean,
    "before": text,
    "after": is_stream_after,
}
CACHE_THEN_KEYS: Final[Mapping[str, Check]] = {
    "for": text,
}
LLM_STEP_KEYS: Final[Mapping[str, Check]] = {
    "kind": is_llm_step_kind,
    "accepts": is_accepts,
    "model": text,
    "prompt": is_prompt,
    "system": is_prompt,
    "output": is_type,
    "history": anything,
    "emit": is_exit,
    "description": text,
    "retry": is_retry,
    "timeout": text,
    "concurrency": is_count,
    "max_runs": is_max_runs,
    "on_limit": is_exit,
    "on_error": is_error_exit,
    "require": is_llm_step_require,
    "save": is_save,
    "stream": is_stream,
    "cache": is_cache,
    "idempotency_key": text,
}
AGENT_STEP_KEYS: Final[Mapping[str, Check]] = {
    "kind": is_agent_step_kind,
    "accepts": is_accepts,
    "agent": text,
    "model": text,
    "system": is_prompt,
    "tools": is_names,
    "output": is_type,
    "style": is_agent_binding_style,
    "max_turns": is_count,
    "handoffs": is_names,
    "approve": is_names,
    "history": anything,
    "memory": anything,
    "prompt": is_prompt,
    "emit": is_exit,
    "description": text,
    "retry": is_retry,
    "timeout": text,
    "concurrency": is_count,
    "max_runs": is_max_runs,
    "on_limit": is_exit,
    "on_error": is_error_exit,
    "require": is_llm_step_require,
    "save": is_save,
    "stream": is_stream,
    "cache": is_cache,
    "idempotency_key": text,
}
TOOL_STEP_KEYS: Final[Mapping[str, Check]] = {
    "kind": is_tool_step_kind,
    "accepts": is_accepts,
    "tool": is_tool_step_tool,
    "args": is_values,
    "output": is_type,
    "emit": is_exit,
    "description": text,
    "retry": is_retry,
    "timeout": text,
    "concurrency": is_count,
    "max_runs": is_max_runs,
    "on_limit": is_exit,
    "on_error": is_error_exit,
    "require": is_llm_step_require,
    "save": is_save,
    "stream": is_stream,
    "cache": is_cache,
    "idempotency_key": text,
}
HTTP_STEP_KEYS: Final[Mapping[str, Check]] = {
    "kind": is_http_step_kind,
    "accepts": is_accepts,
    "method": is_request_method,
    "url": text,
    "query": is_values,
    "headers": is_request_headers,
    "auth": is_auth,
    "body": anything,
    "output": is_type,
    "emit": is_exit,
    "description": text,
    "retry": is_retry,
    "timeout": text,
    "concurrency": is_count,
    "max_runs": is_max_runs,
    "on_limit": is_exit,
    "on_error": is_error_exit,
    "require": is_llm_step_require,
    "save": is_save,
    "stream": is_stream,
    "cache": is_cache,
    "idempotency_key": text,
}
HUMAN_STEP_KEYS: Final[Mapping[str, Check]] = {
    "kind": is_human_step_kind,
    "accepts": is_accepts,
    "title": text,
    "show": is_prompt,
    "form": is_record,
    "prefill": is_values,
    "assign": is_human_step_assign,
    "within": text,
    "on_timeout": is_exit,
    "quorum": is_count,
    "emit": is_exit,
    "description": text,
    "retry": is_retry,
    "timeout": text,
    "concurrency": is_count,
    "max_runs": is_max_runs,
    "on_limit": is_exit,
    "on_error": is_error_exit,
    "require": is_llm_step_require,
    "save": is_save,
    "stream": is_stream,
    "cache": is_cache,
    "idempotency_key": text,
}
WORKFLOW_STEP_KEYS: Final[Mapping[str, Check]] = {
    "kind": is_workflow_step_kind,
    "accepts": is_accepts,
    "workflow": text,
    "with": is_values,
    "detach": boolean,
    "emit": is_exit,
    "description": text,
    "retry": is_retry,
    "timeout": text,
    "concurrency": is_count,
    "max_runs": is_max_runs,
    "on_limit": is_exit,
    "on_error": is_error_exit,
    "require": is_llm_step_require,
    "save": is_save,
    "stream": is_stream,
    "cache": is_cache,
    "idempotency_key": text,
}
TRANSFORM_STEP_KEYS: Final[Mapping[str, Check]] = {
    "kind": is_transform_step_kind,
    "accepts": is_accepts,
    "emit": is_exit,
    "description": text,
    "retry": is_retry,
    "timeout": text,
    "concurrency": is_count,
    "max_runs": is_max_runs,
    "on_limit": is_exit,
    "on_error": is_error_exit,
    "require": is_llm_step_require,
    "save": is_save,
    "stream": is_stream,
    "cache": is_cache,
    "idempotency_key": text,
}
MAP_ACTION_KEYS: Final[Mapping[str, Check]] = {
    "kind": is_map_action_kind,
}
LLM_ACTION_KEYS: Final[Mapping[str, Check]] = {
    "kind": is_llm_step_kind,
    "model": text,
    "prompt": is_prompt,
    "system": is_prompt,
    "output": is_type,
    "history": anything,
}
AGENT_ACTION_KEYS: Final[Mapping[str, Check]] = {
    "kind": is_agent_step_kind,
    "agent": text,
    "model": text,
    "system": is_prompt,
    "tools": is_names,
    "output": is_type,
    "style": is_agent_binding_style,
    "max_turns": is_count,
    "handoffs": is_names,
    "approve": is_names,
    "history": anything,
    "memory": anything,
    "prompt": is_prompt,
}
TOOL_ACTION_KEYS: Final[Mapping[str, Check]] = {
    "kind": is_tool_step_kind,
    "tool": is_tool_step_tool,
    "args": is_values,
    "output": is_type,
}
HTTP_ACTION_KEYS: Final[Mapping[str, Check]] = {
    "kind": is_http_step_kind,
    "method": is_request_method,
    "url": text,
    "query": is_values,
    "headers": is_request_headers,
    "auth": is_auth,
    "body": anything,
    "output": is_type,
}
WORKFLOW_ACTION_KEYS: Final[Mapping[str, Check]] = {
    "kind": is_workflow_step_kind,
    "workflow": text,
    "with": is_values,
    "detach": boolean,
}
RETRIEVE_ACTION_KEYS: Final[Mapping[str, Check]] = {
    "kind": is_retrieve_action_kind,
    "from": text,
    "query": text,
    "top": is_count,
    "that": text,
    "rerank": text,
}
MAP_ACTION_KINDS: Final[Mapping[str, Check]] = {
    "llm": is_llm_action,
    "agent": is_agent_action,
    "tool": is_tool_action,
    "http": is_http_action,
    "workflow": is_workflow_action,
    "retrieve": is_retrieve_action,
}
MAP_STEP_KEYS: Final[Mapping[str, Check]] = {
    "kind": is_map_step_kind,
    "accepts": is_accepts,
    "in": text,
    "as": text,
    "do": is_map_action,
    "keep": text,
    "give": anything,
    "max": is_count,
    "on_item_error": is_map_step_on_item_error,
    "emit": is_exit,
    "description": text,
    "retry": is_retry,
    "timeout": text,
    "concurrency": is_count,
    "max_runs": is_max_runs,
    "on_limit": is_exit,
    "on_error": is_error_exit,
    "require": is_llm_step_require,
    "save": is_save,
    "stream": is_stream,
    "cache": is_cache,
    "idempotency_key": text,
}
WAIT_STEP_KEYS: Final[Mapping[str, Check]] = {
    "kind": is_wait_step_kind,
    "accepts": is_accepts,
    "for": text,
    "until": text,
    "event": text,
    "that": text,
    "within": text,
    "on_timeout": is_exit,
    "emit": is_exit,
    "description": text,
    "retry": is_retry,
    "timeout": text,
    "concurrency": is_count,
    "max_runs": is_max_runs,
    "on_limit": is_exit,
    "on_error": is_error_exit,
    "require": is_llm_step_require,
    "save": is_save,
    "stream": is_stream,
    "cache": is_cache,
    "idempotency_key": text,
}
SEND_STEP_IF_ABSENT_THEN_KEYS: Final[Mapping[str, Check]] = {
    "keep": text,
}
SEND_STEP_KEYS: Final[Mapping[str, Check]] = {
    "kind": is_send_step_kind,
    "accepts": is_accepts,
    "to": text,
    "to_key": text,
    "event": text,
    "with": is_values,
    "if_absent": is_send_step_if_absent,
    "topic": text,
    "emit": is_exit,
    "description": text,
    "retry": is_retry,
    "timeout": text,
    "concurrency": is_count,
    "max_runs": is_max_runs,
    "on_limit": is_exit,
    "on_error": is_error_exit,
    "require": is_llm_step_require,
    "save": is_save,
    "stream": is_stream,
    "cache": is_cache,
    "idempotency_key": text,
}
RETRIEVE_STEP_KEYS: Final[Mapping[str, Check]] = {
    "kind": is_retrieve_action_kind,
    "accepts": is_accepts,
    "from": text,
    "query": text,
    "top": is_count,
    "that": text,
    "rerank": text,
    "emit": is_exit,
    "description": text,
    "retry": is_retry,
    "timeout": text,
    "concurrency": is_count,
    "max_runs": is_max_runs,
    "on_limit": is_exit,
    "on_error": is_error_exit,
    "require": is_llm_step_require,
    "save": is_save,
    "stream": is_stream,
    "cache": is_cache,
    "idempotency_key": text,
}
STEP_KEYS: Final[Mapping[str, Check]] = {
    "kind": is_step_kind,
}
STEP_KINDS: Final[Mapping[str, Check]] = {
    "llm": is_llm_step,
    "agent": is_agent_step,
    "tool": is_tool_step,
    "http": is_http_step,
    "human": is_human_step,
    "workflow": is_workflow_step,
    "transform": is_transform_step,
    "map": is_map_step,
    "wait": is_wait_step,
    "send": is_send_step,
    "retrieve": is_retrieve_step,
}
EXPECT_KEYS: Final[Mapping[str, Check]] = {
    "end": text,
    "with": is_values,
    "ran": is_expect_ran,
    "never_ran": is_names,
    "emitted": is_names,
    "state": is_values,
    "streamed": is_expect_streamed,
    "fails": text,
}
DELIVERY_KEYS: Final[Mapping[str, Check]] = {
    "event": text,
    "with": is_values,
    "after": text,
}
TEST_KEYS: Final[Mapping[str, Check]] = {
    "name": text,
    "start": is_values,
    "mock": is_values,
    "real": is_names,
    "clock": text,
    "deliver": is_test_deliver,
    "expect": is_expect,
}
RECEIVED_KEYS: Final[Mapping[str, Check]] = {
    "key": text,
    "topic": text,
}
LIMITS_KEYS: Final[Mapping[str, Check]] = {
    "steps": is_count,
    "tokens": is_count,
    "cost_usd": is_model_temperature,
    "concurrent_runs": is_count,
    "per": text,
}
DEFAULTS_KEYS: Final[Mapping[str, Check]] = {
    "model": text,
    "retry": is_retry,
    "timeout": text,
}
SPEC_KEYS: Final[Mapping[str, Check]] = {
    "wfc": is_spec_wfc,
    "workflow": text,
    "version": text,
    "description": text,
    "labels": is_spec_labels,
    "start": text,
    "end": is_join_each_each,
    "imports": is_names,
    "parts": is_names,
    "secrets": is_spec_secrets,
    "config": is_record,
    "deadline": text,
    "models": is_spec_models,
    "types": is_spec_types,
    "events": is_spec_events,
    "state": is_spec_state,
    "tools": is_spec_tools,
    "retries": is_spec_retries,
    "prompts": is_spec_prompts,
    "agents": is_spec_agents,
    "knowledge": is_spec_knowledge,
    "resources": is_spec_resources,
    "defaults": is_defaults,
    "receives": is_spec_receives,
    "key": text,
    "when_running": is_spec_when_running,
    "limits": is_limits,
    "on_error": is_error_exit,
    "on_deadline": is_exit,
    "on_cancel": is_exit,
    "steps": is_spec_steps,
    "moved": is_spec_labels,
    "removed": is_names,
    "tests": is_spec_tests,
}
PART_KEYS: Final[Mapping[str, Check]] = {
    "wfc": is_spec_wfc,
    "part": text,
    "description": text,
    "accepts": is_join_each_each,
    "emits": is_join_each_each,
    "steps": is_spec_steps,
}
SHARED_KEYS: Final[Mapping[str, Check]] = {
    "wfc": is_spec_wfc,
    "description": text,
    "imports": is_names,
    "types": is_spec_types,
    "events": is_spec_events,
    "prompts": is_spec_prompts,
    "models": is_spec_models,
    "tools": is_spec_tools,
    "agents": is_spec_agents,
    "knowledge": is_spec_knowledge,
    "retries": is_spec_retries,
    "resources": is_spec_resources,
    "secrets": is_spec_secrets,
    "config": is_record,
}
CHECKS: Final[Mapping[str, Check]] = {
    "text": text,
    "template": text,
    "prompt": is_prompt,
    "condition": text,
    "expression": text,
    "duration": text,
    "value": anything,
    "values": is_values,
    "names": is_names,
    "count": is_count,
    "secret_name": text,
    "secret": is_secret,
    "event_name": text,
    "event_names": is_event_names,
    "type": is_type,
    "type_in_full": is_type_in_full,
    "long_type": is_long_type,
    "record": is_record,
    "state_field": is_state_field,
    "merge": is_merge,
    "long_state_field": is_long_state_field,
    "type_declaration": is_type_declaration,
    "event": is_event,
    "save": is_save,
    "batch": is_batch,
    "plain_entry": is_plain_entry,
    "batch_entry": is_batch_entry,
    "part_entry": is_part_entry,
    "restart": is_restart,
    "event_entry": is_event_entry,
    "all_entry": is_all_entry,
    "each_entry": is_each_entry,
    "fail_entry": is_fail_entry,
    "restart_entry": is_restart_entry,
    "entry": is_entry,
    "error_event_entry": is_error_event_entry,
    "error_all_entry": is_error_all_entry,
    "error_each_entry": is_error_each_entry,
    "error_fail_entry": is_error_fail_entry,
    "error_restart_entry": is_error_restart_entry,
    "error_entry": is_error_entry,
    "exit": is_exit,
    "error_exit": is_error_exit,
    "join_timeout": is_join_timeout,
    "join_all": is_join_all,
    "join_any": is_join_any,
    "at_least": is_at_least,
    "join_at_least": is_join_at_least,
    "join_each": is_join_each,
    "accepts": is_accepts,
    "retry_policy": is_retry_policy,
    "retry": is_retry,
    "header": is_header,
    "basic": is_basic,
    "bearer_auth": is_bearer_auth,
    "basic_auth": is_basic_auth,
    "auth": is_auth,
    "request": is_request,
    "model": is_model,
    "python_tool": is_python_tool,
    "http_tool": is_http_tool,
    "openapi_tool": is_openapi_tool,
    "mcp_server": is_mcp_server,
    "mcp_tool": is_mcp_tool,
    "workflow_tool": is_workflow_tool,
    "tool_binding": is_tool_binding,
    "agent_binding": is_agent_binding,
    "knowledge_binding": is_knowledge_binding,
    "resource": is_resource,
    "prompt_text": is_prompt_text,
    "max_runs": is_max_runs,
    "requirement": is_requirement,
    "stream_after": is_stream_after,
    "stream": is_stream,
    "cache": is_cache,
    "llm_step": is_llm_step,
    "agent_step": is_agent_step,
    "tool_step": is_tool_step,
    "http_step": is_http_step,
    "human_step": is_human_step,
    "workflow_step": is_workflow_step,
    "transform_step": is_transform_step,
    "map_step": is_map_step,
    "wait_step": is_wait_step,
    "send_step": is_send_step,
    "retrieve_step": is_retrieve_step,
    "llm_action": is_llm_action,
    "agent_action": is_agent_action,
    "tool_action": is_tool_action,
    "http_action": is_http_action,
    "workflow_action": is_workflow_action,
    "retrieve_action": is_retrieve_action,
    "step": is_step,
    "map_action": is_map_action,
    "expect": is_expect,
    "delivery": is_delivery,
    "test": is_test,
    "received": is_received,
    "limits": is_limits,
    "defaults": is_defaults,
    "spec": is_spec,
    "part": is_part,
    "shared": is_shared,
}
"""Each named shape of the schema."""
