"""Keys and kinds of other systems, mapped to those of wfc."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from typing import Any, Final

from wfc.compiler.model.kinds import STEP_KINDS
from wfc.compiler.rules.spelling import apart
from wfc.compiler.schema.in_full import after_the_first, in_full
from wfc.compiler.schema.kind_words import other_kind, plain
from wfc.compiler.types.long_form import can_be_type

__all__ = [
    "NOTES",
    "holds_expressions",
    "is_other_word",
    "kind_key",
    "meanings",
    "other_key",
    "section",
    "step_note",
    "top_note",
]

KEYS: Final[Mapping[str, str]] = {
    "accepts": "on needs depends_on dependson after trigger triggers requires listens waits_for input_event when_event",
    "emit": "next goto then to transitions edges conditional_edges output_event next_step on_success routes",
    "all": "parallel both and fork all_of every concurrently",
    "any": "first_of race",
    "when": "if condition case where cond only_if",
    "event": "then to next goto else otherwise default name type emit",
    "with": "data values fields payload args params parameters arguments kwargs input inputs set",
    "kind": "type uses action run class",
    "tool": "run function func script command python call code uses",
    "args": "with input inputs params parameters arguments kwargs data",
    "output": "outputs returns response_format schema output_schema response_model result format",
    "query": "params query_params querystring qs parameters",
    "body": "json data payload",
    "each": "for_each foreach iterate many",
    "delay": "initial_interval initial_delay interval interval_seconds retry_delay retry_interval wait",
    "backoff": "backoff_coefficient backoff_rate multiplier factor",
    "max_delay": "maximum_interval max_interval",
    "never_on": "non_retryable_error_types non_retryable",
    "max_turns": "max_iter max_iterations max_steps",
    "concurrency": "max_parallel max_concurrency parallelism",
    "prompt": "messages instructions instruction template user user_prompt text content question",
    "system": "system_prompt system_message instructions instruction role persona",
    "model": "llm engine",
    "files": "file images image attachments attachment documents media",
    "thinking": "reasoning thoughts",
    "retry": "retries max_retries attempts max_attempts retry_policy",
    "timeout": "timeout_minutes timeout_seconds max_time time_limit",
    "on_error": "catch on_failure fallback except",
    "description": "name id title label comment doc note notes",
    "form": "options choices buttons fields inputs questions answers schema",
    "show": "message body text content details prompt",
    "title": "question subject name",
    "assign": "assignee assignees approvers approver to users who reviewers",
    "within": "timeout deadline expires expires_in",
    "require": "assert asserts validate guard",
    "max_attempts": "attempts backoff_limit max_retries maximum_attempts retries retry_count times tries",
    "top": "limit k max_results n top_n",
    "fails": "error exception raises throws",
    "emitted": "events emits",
    "calls": "tools tool_calls",
    "after": "duration elapsed took delay latency",
    "removed": "deleted",
    "moved": "renamed",
    "ran": "called executed invocations runs steps visited",
    "on_deadline": "on_timeout",
    "rate": "rate_limit rate_limits requests_per_minute rpm rps throttle quota",
    "at_once": "max_concurrency max_concurrent max_parallel concurrency concurrent parallel parallelism",
    "max_runs": "max_iterations max_loops recursion_limit limit",
    "in": "items list over for_each iterate",
    "do": "steps step action run body",
    "for": "duration seconds delay time ttl expires retention every",
    "keep": "keep_last last max_messages window limit",
    "thread": "memory session conversation conversation_id session_id thread_id",
    "handoffs": "hand_over hand_overs hand_off transfers",
    "openapi": "swagger",
    "base_url": "url server server_url endpoint host",
    "only": "operations include methods",
    "command": "cmd exec program run script shell",
    "start": "on inputs input trigger entry_point entrypoint given start_event starts start_at begin",
    "end": "outputs output returns finish stop end_event ends finish_point result event",
    "workflow": "name id",
    "wfc": "api_version spec_version schema_version language_version",
    "receives": "signals inbox",
    "steps": "nodes jobs tasks stages actions states",
    "state": "variables vars memory context globals",
    "threads": "sessions conversations talks memory memories",
    "config": "env environment settings parameters params",
    "types": "schemas schema definitions models_of_data records data_types",
    "models": "llms llm providers ai_models",
    "tools": "functions actions plugins",
    "events": "messages signals",
    "secrets": "credentials keys api_keys",
    "retries": "retry_policies policies",
    "imports": "include includes import uses",
    "use": "provider model name id",
    "expect": "assert asserts then expected should expects expectation",
    "mock": "mocks stubs fakes mocked",
}
"""Keys here, each with what else it is called; of several that are possible at a place, the first counts."""

NAMES: Final = frozenset({"id", "label", "name", "title"})
"""What names a thing elsewhere."""
SECTIONS_LIKE: Final = frozenset({"agents"})
"""Sections that are written like another system's word for something else."""
PLAIN: Final = frozenset({"description", "title"})
"""Keys of a text, for which nothing can be meant that holds more."""
NUMBERS: Final = frozenset({"at_once", "max_runs", "top"})
"""Keys of a number."""
WORDS_OF_TWO: Final = frozenset({"api_version", "states"})
"""Words of other systems for one section that are as like another one."""
NO_SLIPS: Final = frozenset(
    "backoff_limit callbacks catch_up channels concurrency_group const cost date filter module people person persons "
    "ports race raise return role roles seed servers shown slack sleep task_queue thread_id throw trace try".split()
)
"""Words of other systems that have no key here, and that nobody writes for one that is like them in letters."""
SHORT_WORDS: Final = frozenset({"and", "case", "else", "many", "or", "then"})
"""Words that nobody writes by a slip."""
NOTES: Final[Mapping[str, str]] = {
    "edges": "steps are tied by events: what one step has under `emit`, another one has under `accepts`",
    "comment": "write a comment after `#`, or a `description`",
    "name": "the name is the key under which it stands; for more words there is `description`",
    "id": "the name is the key under which it stands; for more words there is `description`",
    "title": "the name is the key under which it stands; for more words there is `description`",
    "label": "the name is the key under which it stands; for more words there is `description`",
    "when": "a `when` belongs to an entry of `emit`: `emit: [{event: A, when: …}, B]`",
    "if": "a condition is the `when` of an entry of `emit`: `emit: [{event: A, when: …}, B]`",
    "else": "the last entry needs no `when`: write `event`",
    "default": "the last entry needs no `when`: write `event`",
    "otherwise": "the last entry needs no `when`: write `event`",
}
"""What is said instead where that is clearer."""
STEP_NOTES: Final[Mapping[str, str]] = {
    "on_timeout": "where to go after a `timeout` is said by `on_error: {errors: [timeout], event: …}`; after a wait"
    " for a person, an event or a join, by `on_timeout`",
    "within": "an attempt is bounded by `timeout`; how long to wait is said by `within` in steps of kind `agent`,"
    " `human` and `wait`, and in joins",
    "deadline": "an attempt is bounded by `timeout`, a wait by `within`, and the whole run by a `deadline` at the top",
    **dict.fromkeys(
        ["env", "environment"],
        "what the environment gives is declared under `config` at the top: `config.name`, and a key or a password "
        "in `secrets` of what needs it; what a step hands to its "
        "tool stands under `with`",
    ),
    **dict.fromkeys(
        ["assign_to", "register", "result", "save_as", "set", "set_fact", "store"],
        "what a step gives is its `result`: hand it on in an event, or keep it with `save`",
    ),
    **dict.fromkeys(
        ["each", "for_each", "foreach", "items", "iterate", "loop", "matrix", "with_items"],
        "for each item of a list there is the kind `map`, or `emit: {each: …}`",
    ),
    **dict.fromkeys(
        ["after", "dependencies", "depends_on", "needs", "next", "notify", "requires", "then", "wait_for"],
        "steps are tied by events: what one step has under `emit`, another one has under `accepts`",
    ),
    **dict.fromkeys(
        ["allow_failure", "continue_on_error", "ignore_errors"],
        "write `on_error: [A]`, with an event that the next step accepts; `on_error: [nothing]` ends this branch",
    ),
    **dict.fromkeys(["params", "variables", "vars"], "values are fields of events, or of the `state`"),
    **dict.fromkeys(
        ["at_once", "rate", "rate_limit", "requests_per_minute", "rpm", "throttle"],
        "how often something may be called is said where it is declared: `tools: {NAME: {…, rate: 60 per min}}`",
    ),
    **dict.fromkeys(
        ["branch", "branches", "case", "cases", "choice", "choices", "switch"],
        "which way a step leaves is said by the `when` of the entries of its `emit`",
    ),
    "parallel": "steps that accept the same event run side by side",
    "strategy": "steps that accept the same event run side by side; for each item of a list there is the kind `map`",
    **dict.fromkeys(["backoff", "max_delay", "retry_on"], "it belongs to the retry policy: `retry: {…}`"),
    "delay": "between two attempts it is the `delay` of the retry policy; a pause is a step of kind `wait`",
    "until": "until when to wait is said in steps of kind `human` and `wait`; what a result must be, under `require`",
    **{
        f"{key}_file": "a text in a file has a name, `texts: {NAME: {file: ./NAME.md}}` at the top, and is used by it: "
        f"`{key}: {{use: NAME}}`"
        for key in ("prompt", "system")
    },
    "outputs": "what a step gives is its `result`: hand it on in an event, or keep it with `save`",
}
"""What is said of keys of a step for which there is no other key."""
TOP_NOTES: Final[Mapping[str, str]] = {
    **dict.fromkeys(
        ["cron", "on", "schedule", "trigger", "webhook"],
        "what starts runs by itself stands under `triggers`, each with a name: `triggers: {NAME: …}`",
    ),
    "api_version": "which form of the language this is says `wfc: 1`; `version` is the workflow's own",
    "states": "what a run does stands under `steps`, and what it keeps under `state`",
    "finally": "what comes last in every case is an event to which `on_error`, `on_deadline` and `on_cancel` lead too",
    **dict.fromkeys(["author", "tags", "team"], "write it under `labels`"),
    **dict.fromkeys(
        ["arguments", "parameters", "params", "variables", "vars"],
        "values are fields of events, `state`, or `config`",
    ),
    **dict.fromkeys(
        [
            "active_deadline_seconds",
            "execution_timeout",
            "max_time",
            "time_limit",
            "timeout_minutes",
            "timeout_seconds",
        ],
        "how long a run may take is said by `deadline`, such as `deadline: 1h`",
    ),
    **dict.fromkeys(["concurrency"], "write `limits: {concurrent_runs: …}`"),
    **dict.fromkeys(
        ["depends_on", "edges", "needs", "next", "transitions"],
        "steps are tied by events: one emits what the other accepts",
    ),
    **dict.fromkeys(
        ["env", "environment"],
        "what the environment gives is declared with its type under `config`, such as `config: {name: string}`, and "
        "a key or a password by its name under `secrets`",
    ),
    **dict.fromkeys(
        ["attempts", "max_attempts", "max_retries", "retry"],
        "what holds for all steps is said by `defaults: {retry: {max_attempts: …}}`, and else by the `retry` of a step",
    ),
}
"""What is said of sections of a spec for which there is no other section."""


OF_TALK: Final = (
    "a talk that goes on has a name, `threads: {NAME: {…}}` at the top, and is used by it: `thread: NAME`; "
    "whose it is, if it goes on in later runs, says its `key`"
)
OF_ARGS: Final = "what it is given is said where it is called, under `with`; its `args` are names with types"
OF_ATTEMPTS: Final = (
    "all attempts together are bounded by `within`, and each of them by the `timeout` of the step"
)
RETRIES: Final = frozenset({"backoff_limit", "max_retries", "retries", "retry_count"})
"""What counts the attempts after the first."""


MEANT: Final[dict[str, list[str]]] = {}
"""The same the other way round: what a key of another language may be here, the most likely first."""
for _here, _others in KEYS.items():
    for _other in _others.split():
        MEANT.setdefault(_other, []).append(_here)


def other_key(key: str, possible: Container[str], content: Any = None) -> str:
    """Return a hint for a key that has another name here; empty if that is none of the possible ones.

    Args:
        content: What stands under the key, which may be right as it is.
    """
    name = plain(key)
    meant = meanings(name, possible)
    of_name = name in NAMES and isinstance(content, (dict, list))  # it says more than any name
    if name in NOTES and not of_name and (not meant or meant[0] in {"description", "event"}):
        of_entry = name in {"else", "default", "otherwise"}
        if ("fail" in possible or "restart" in possible) if of_entry else "description" in possible:
            return NOTES[name]
    if not meant or (meant[0] == "output" and holds_expressions(content)):
        return ""
    if meant[0] in PLAIN and isinstance(content, (dict, list)):
        return ""
    if meant[0] == "when" and isinstance(content, dict):
        return ""  # no condition
    if meant[0] == "args" and holds_expressions(content):
        return OF_ARGS
    if meant[0] == "args" and isinstance(content, str):
        return ""  # types stand there, each with a name
    if meant[0] in NUMBERS and isinstance(content, (bool, dict, list, str)) and "${{" not in str(content):
        return ""  # such as `limit: 3 days`, which bounds something else
    if meant[0] == "with" and isinstance(content, str) and "prompt" in possible:
        return "what is asked stands under `prompt`"
    if meant[0] == "end" and "with" in possible and isinstance(content, dict):
        return "an event's fields stand under `with`"
    if name in RETRIES and meant[0] in {"max_attempts", "retry"} and not isinstance(content, (str, dict)):
        return after_the_first(meant[0], content)
    if meant[0] == "start" or (meant[0] == "retry" and isinstance(content, (str, dict))):
        return f"write `{meant[0]}`"
    if meant[0] == "output" and isinstance(content, str) and not can_be_type(content):
        return "what comes back is said by `output`, with its type, such as `output: {text: string}`"
    if name == "limit" and meant[0] == "max_runs":
        return "how often a step runs in a loop is bounded by `max_runs`"
    if name in {"expires", "timeout"} and meant[0] == "within" and "max_delay" in possible:
        return OF_ATTEMPTS
    if meant[0] == "keep" and "give" in possible:
        return ""  # of a `map`, whose `keep` is a condition
    if (
        meant[0] == "event"
        and "kind" not in possible
        and not names_event(content)
        and "description" in possible
    ):
        return ""  # at a step
    if meant[0] == "thread" and (
        name.endswith("_id") or not (isinstance(content, str) and content.isidentifier())
    ):
        return OF_TALK
    return f"write `{in_full(name, meant[0], content)}`"


def names_event(content: Any) -> bool:
    """Return whether a value can be the name of an event."""
    return isinstance(content, str) and content[:1].isupper() and content.isidentifier()


def holds_expressions(content: Any) -> bool:
    """Return whether a map has expressions for values, as no type has."""
    return isinstance(content, dict) and any("${{" in str(each) for each in content.values())


def is_other_word(key: str, near: str) -> bool:
    """Return whether a key is another system's name for something, not a typing error."""
    far = apart(key, near)
    if far == 0:
        return False  # but for capitals and `_` it is the very key
    word, is_far = plain(key), far is None or far > 1
    if word in TOP_NOTES and near in SECTIONS_LIKE:
        return is_far
    if word in WORDS_OF_TWO | NO_SLIPS or word in SHORT_WORDS & STEP_NOTES.keys():
        return True
    known = word in MEANT or word in STEP_NOTES
    return known and near not in MEANT.get(word, ()) and (word in SHORT_WORDS or is_far)


def step_note(key: str) -> str:
    """Return a note on a step's key that has no equivalent; often empty."""
    return STEP_NOTES.get(plain(key), "")


def top_note(key: str) -> str:
    """Return a note on a section that has no equivalent; often empty."""
    return TOP_NOTES.get(plain(key), "")


def meanings(name: str, possible: Container[str]) -> list[str]:
    """Return which of the possible keys another system's word may mean, the most likely first."""
    return [here for here in MEANT.get(name, ()) if here in possible]


def section(key: str, value: Any, absent: Sequence[str]) -> str | None:
    """Return the section that an unknown key means, if the content can be that of the section."""
    meant = meanings(plain(key), absent)
    if not meant or meant[0] in {"description", "steps"}:
        return None
    if meant[:1] == ["state"] and "threads" in meant and all_threads(value):
        return "threads"
    if meant[0] in {"start", "end", "workflow"}:
        names = value if isinstance(value, list) else [value]
        steps = any(not isinstance(each, str) or each[:1].islower() for each in names)
        return None if steps and meant[0] != "workflow" else meant[0]
    return meant[0] if isinstance(value, dict) else None


def all_threads(value: Any) -> bool:
    """Return whether all entries of a section are threads."""
    entries = list(value.values()) if isinstance(value, dict) else []
    return bool(entries) and all(isinstance(each, dict) and {"keep", "key"} & each.keys() for each in entries)


def kind_key(step: Mapping[str, Any], strange: Sequence[str]) -> str | None:
    """Return the unknown key that is meant as a step's `kind`."""
    for key in strange:
        value = step[key]
        if (
            plain(key) in KEYS["kind"].split()
            and isinstance(value, str)
            and (value in STEP_KINDS or other_kind(value))
        ):
            return key
    return None
