"""The triggers of a spec: `triggers`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, cast

from wfc.compiler.diagnostics import Place
from wfc.compiler.expressions import Scope
from wfc.compiler.model import Value
from wfc.compiler.model.triggers import Missed, Schedule, Topic, Trigger, Webhook
from wfc.compiler.python.literals import pascal_case
from wfc.compiler.resolve.declarations.requests import secret
from wfc.compiler.resolve.symbols.declarations import Declarations
from wfc.compiler.resolve.symbols.names import check_free_name, check_style
from wfc.compiler.resolve.symbols.tables import Data, entries
from wfc.compiler.resolve.values.durations import duration
from wfc.compiler.resolve.values.reader import ValueReader
from wfc.compiler.resolve.values.scopes import namespace, types_of
from wfc.compiler.rules import fills as fill_problems
from wfc.compiler.rules import names as name_problems
from wfc.compiler.rules import triggers as problems
from wfc.compiler.types import (
    DATETIME,
    STRING,
    UNKNOWN,
    MapOf,
    Record,
    Type,
    assignable,
    parse_type,
    show,
    without_null,
)
from wfc.schemas.cron import BadCronError, parse_cron

__all__ = ["resolve_triggers"]

PATH: Final = re.compile(r"[a-z0-9](?:[a-z0-9_-]{0,62}[a-z0-9])?")
OF_THE_MACHINE: Final = frozenset({"localtime", "posixrules", "Factory"})
"""Files beside those of the zones, which mean something else on each machine."""


def resolve_triggers(data: Data, declared: Declarations) -> tuple[Trigger, ...]:
    """Return the triggers, each held against the start event; those that cannot be read are left out."""
    found: dict[str, Trigger] = {}
    hooks: dict[str, Place] = {}
    for name, content, address in entries(data.get("triggers"), ("triggers",)):
        place = Place(address)
        check_style(name, place.key, "trigger", declared.report)
        if name in found:
            first = Place(found[name].address).key
            declared.report(name_problems.name_declared_twice(place.key, name, first, "a trigger"))
        elif isinstance(content, Mapping):
            trigger = resolve_trigger(name, content, place, declared)
            if trigger is not None:
                found[name] = trigger
                report_shared_hook(trigger, place, hooks, declared)
    if hooks:
        report_hooks_of_others(hooks, declared)
    return tuple(found.values())


def resolve_trigger(name: str, data: Data, place: Place, declared: Declarations) -> Trigger | None:
    source: Schedule | Webhook | Topic | None = None
    if "cron" in data:
        source = schedule(data, place, declared)
    elif "webhook" in data:
        source = webhook(data, place, declared)
    elif "topic" in data:
        source = Topic(str(data["topic"]))
        check_free_name(source.topic, place / "topic", "topic", declared.report)
    body: Type | None = None
    if "cron" not in data:
        body = declared.start.record if declared.start is not None else UNKNOWN
    if body is not None and "body" in data:
        title = f"{pascal_case(name)}Body"
        body = parse_type(data["body"], place / "body", declared.types, declared.report, title)
    if declared.is_broken((*place.address, "body")):
        body = UNKNOWN
    values, given = start_values(data, place, trigger_record(data, body), body, declared)
    return None if source is None else Trigger(name, source, body, values, given, place.address)


def schedule(data: Data, place: Place, declared: Declarations) -> Schedule | None:
    cron, zone = str(data["cron"]), data.get("zone")
    try:
        parse_cron(cron)
    except BadCronError as error:
        declared.report(problems.bad_cron(place / "cron", cron, str(error), error.hint, error.line))
    if not isinstance(zone, str):
        return None
    report_unknown_zone(zone, place / "zone", declared)
    return Schedule(" ".join(cron.split()), zone, cast("Missed", data.get("missed", "once")))


def report_unknown_zone(zone: str, place: Place, declared: Declarations) -> None:
    from zoneinfo import ZoneInfo, available_timezones  # only for a spec with a schedule

    try:
        if zone not in OF_THE_MACHINE:
            ZoneInfo(zone)
            return
    except (ValueError, OSError, KeyError):  # no such file, none that may be asked for, or none of a zone
        pass
    declared.report(problems.unknown_time_zone(place, zone, available_timezones() - OF_THE_MACHINE))


def webhook(data: Data, place: Place, declared: Declarations) -> Webhook | None:
    path, auth = str(data["webhook"]), data.get("auth")
    if not PATH.fullmatch(path):
        declared.report(problems.bad_webhook_name(place / "webhook", path))
    if not isinstance(auth, Mapping):
        return None
    at = place / "auth"
    if "bearer" in auth:
        return Webhook(path, secret(auth["bearer"], at / "bearer", declared).name)
    signed = auth.get("hmac")
    if not isinstance(signed, Mapping):
        return None
    at = at / "hmac"
    within = duration(signed["within"], at / "within", declared.report) if "within" in signed else None
    name = secret(signed.get("secret"), at / "secret", declared).name
    if "header" in signed:
        check_free_name(str(signed["header"]), at / "header", "header", declared.report)
    return Webhook(path, name, str(signed.get("header")), within)


def report_shared_hook(
    trigger: Trigger, place: Place, hooks: dict[str, Place], declared: Declarations
) -> None:
    """Report a webhook whose address an earlier trigger has."""
    if isinstance(trigger.source, Webhook):
        path = trigger.source.path
        if path in hooks:
            declared.report(problems.webhook_twice(place / "webhook", path, hooks[path]))
        hooks.setdefault(path, place / "webhook")


def report_hooks_of_others(hooks: Mapping[str, Place], declared: Declarations) -> None:
    """Report webhooks that triggers of other specs have too, in all of these specs but the first by its path."""
    own = declared.project.path
    for name in () if declared.project.alone else sorted(declared.project.workflows()):
        contract = declared.contract_beside(name)
        for path, at in contract.webhooks.items() if contract is not None else ():
            if path in hooks and at.origin is not None and at.origin < own:
                declared.report(problems.webhook_twice(hooks[path], path, at))


def trigger_record(data: Data, body: Type | None) -> Record:
    """Return what `trigger` is in the expressions of a trigger."""
    if body is None:
        return namespace("trigger", name=STRING, due=DATETIME)
    if "webhook" in data:
        return namespace("trigger", name=STRING, body=body, headers=MapOf(STRING))
    return namespace("trigger", name=STRING, body=body)


def start_values(
    data: Data, place: Place, trigger: Record, body: Type | None, declared: Declarations
) -> tuple[dict[str, object], dict[str, Value]]:
    """Return a value for each field of the start event that gets one: as expressions in texts, and resolved."""
    given = data.get("with")
    with_ = given if isinstance(given, Mapping) else {}
    if declared.start is None or declared.is_broken((*place.address, "with")):
        return {}, {}
    event = declared.start
    names = {"trigger": trigger, "config": declared.record("config")}
    secrets = declared.secrets.nodes
    scope = Scope(names=names, classes=declared.classes, types=types_of(declared), secrets=secrets)
    reader = ValueReader(declared.report)
    values = reader.given(with_, place / "with", event.record.fields, f"`{event.name}`", scope)
    given_names = len(values)
    found: dict[str, object] = {name: with_.get(name) for name in values}
    at = place / "with" if "with" in data else place.key
    missing: list[str] = []
    for name, field in event.record.fields.items():
        there = body.fields.get(name) if isinstance(body, Record) else None
        if name in found:
            continue
        if there is None:
            missing += [name] if field.required and body is not UNKNOWN else []
        elif assignable(there.type, field.type):
            found[name] = f"${{{{ trigger.body.{name} }}}}"
            values[name] = reader.value(found[name], at, field.type, scope)
        else:
            source = f"`trigger.body.{name}`"
            given, wanted = show(there.type), show(field.type)
            declared.report(
                fill_problems.wrong_fill(
                    at, event.name, name, source, given, wanted, "", others=given_names > 0
                )
            )
    if (
        len(missing) > len(with_) - given_names
    ):  # each strange name has been reported, and may be what is missing
        within = holder_of(missing[0], body) if isinstance(body, Record) else ""
        declared.report(
            problems.start_not_filled(at, event.name, missing, has_body=body is not None, within=within)
        )
    return found, values


def holder_of(name: str, body: Record) -> str:
    """Return the field of a body that holds another one, as where all of a body stands in one; empty if none does."""
    inner = {each: without_null(field.type) for each, field in body.fields.items()}
    return next(
        (each for each, type in inner.items() if isinstance(type, Record) and name in type.fields), ""
    )
