"""A comment on a pull request, written once and then brought up to date, on GitHub or GitLab."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from wfc.compiler.slotted import dataclass

__all__ = ["Conversation", "PostingError", "conversation", "post"]

SECONDS: Final = 30
MOST_PAGES: Final = 30
MOST_BYTES: Final = 20_000_000
LONGEST: Final = 60_000
"""How long a comment may be; GitHub refuses more than 65,536 characters."""


class PostingError(Exception):
    """The error for a comment that cannot be written."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """Where the comments of a pull request are.

    Args:
        comments: The address of all comments.
        comment: The address of one, with ``{}`` for its id.
        headers: What gives the right to write them.
        method: By which a comment is changed.
        who: The address that says who writes.
        by: The key of a comment's author, and in it that of the name.
        ask: What is asked there; ``None``: it is only read.
    """

    comments: str
    comment: str
    headers: Mapping[str, str]
    method: str
    who: str
    by: tuple[str, str]
    ask: Mapping[str, str] | None = None


def conversation(environment: Mapping[str, str]) -> Conversation:
    """Return where the comments of the pull request are that a pipeline runs for.

    Raises:
        PostingError: It runs for none, or may not write.
    """
    if environment.get("GITHUB_ACTIONS") == "true":
        return on_github(environment)
    if environment.get("GITLAB_CI") == "true":
        return on_gitlab(environment)
    raise PostingError("this is no pipeline of GitHub or GitLab that is known by its environment")


def on_github(environment: Mapping[str, str]) -> Conversation:
    repository, token = environment.get("GITHUB_REPOSITORY", ""), environment.get("GITHUB_TOKEN", "")
    number = number_of_pull_request(environment.get("GITHUB_EVENT_PATH", ""))
    if not re.fullmatch(r"[\w.-]+/[\w.-]+", repository) or number is None:
        raise PostingError("the pipeline does not run for a pull request")
    if not token:
        raise PostingError(
            "`GITHUB_TOKEN` is not set: give the step `env: {GITHUB_TOKEN: ${{ github.token }}}`"
        )
    root = address(environment.get("GITHUB_API_URL", "https://api.github.com"))
    api = f"{root}/repos/{repository}/issues"
    headers = {"Authorization": f"Bearer {token}", "Accept": "application/vnd.github+json"}
    graph = address(environment.get("GITHUB_GRAPHQL_URL", f"{root.removesuffix('/v3')}/graphql"))
    return Conversation(
        f"{api}/{number}/comments",
        f"{api}/comments/{{}}",
        headers,
        "PATCH",
        graph,
        ("user", "login"),
        {"query": "{ viewer { login } }"},  # the token of a pipeline may not read `/user`
    )


def number_of_pull_request(path: str) -> int | None:
    """Return the number in the description of the event that started the pipeline."""
    try:
        with open(path, encoding="utf-8") as file:
            event = json.load(file)
        number = event["pull_request"]["number"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return number if isinstance(number, int) else None


def on_gitlab(environment: Mapping[str, str]) -> Conversation:
    project, number = environment.get("CI_PROJECT_ID", ""), environment.get("CI_MERGE_REQUEST_IID", "")
    token = environment.get("WFC_GITLAB_TOKEN", "")
    if not project.isdigit() or not number.isdigit():
        raise PostingError("the pipeline does not run for a merge request")
    if not token:
        raise PostingError("`WFC_GITLAB_TOKEN` is not set: a token of the project with the scope `api`")
    base = address(environment.get("CI_API_V4_URL", "https://gitlab.com/api/v4"))
    notes = f"{base}/projects/{quote(project)}/merge_requests/{number}/notes"
    by = ("author", "username")
    return Conversation(notes, f"{notes}/{{}}", {"PRIVATE-TOKEN": token}, "PUT", f"{base}/user", by)


def address(url: str) -> str:
    if urlsplit(url).scheme not in ("https", "http"):
        raise PostingError("the address of the service is none of the web")
    return url.rstrip("/")


def post(text: str, marker: str, where: Conversation) -> str:
    """Write a comment, or bring our own up to date that begins with a marker; return which of the two was done.

    A comment of anybody else is left as it is, whatever it begins with.

    Raises:
        PostingError: The service cannot be reached, or does not let us.
    """
    body = text if len(text) <= LONGEST else f"{text[:LONGEST]}\n```\n\n…\n"
    marked = [each for each in comments(where) if str(each.get("body", "")).startswith(marker)]
    us = writer(where) if marked else ""
    for each in marked:
        if author(each, where) == us and isinstance(each.get("id"), int):
            asked(where.method, where.comment.format(each["id"]), where, {"body": body})
            return "brought up to date"
    asked("POST", where.comments, where, {"body": body})
    return "written"


def writer(where: Conversation) -> str:
    """Return the name under which we write.

    Raises:
        PostingError: The service does not say it.
    """
    found = asked("GET" if where.ask is None else "POST", where.who, where, where.ask)
    for key in ("data", "viewer", where.by[1]) if where.ask is not None else (where.by[1],):
        found = found.get(key) if isinstance(found, dict) else None
    if not isinstance(found, str) or not found:
        raise PostingError("the service does not say under which name the comment would be written")
    return found


def author(comment: Mapping[str, Any], where: Conversation) -> str:
    """Return who has written a comment; empty if that is not said."""
    whole, name = where.by
    found = comment.get(whole)
    return str(found.get(name, "")) if isinstance(found, dict) else ""


def comments(where: Conversation) -> Iterator[dict[str, Any]]:
    for page in range(1, MOST_PAGES + 1):
        found = asked("GET", f"{where.comments}?per_page=100&page={page}", where)
        if not isinstance(found, list):
            raise PostingError("the service does not answer with comments")
        yield from (each for each in found if isinstance(each, dict))
        if len(found) < 100:
            return


class NoRedirects(HTTPRedirectHandler):
    """Follows no redirect, so that a token goes nowhere else."""

    def redirect_request(self, *_: Any) -> None:
        return None


def asked(method: str, url: str, where: Conversation, data: Mapping[str, str] | None = None) -> Any:
    raw = None if data is None else json.dumps(data).encode()
    headers = {**where.headers, "User-Agent": "wfc", "Content-Type": "application/json"}
    request = Request(url, raw, headers, method=method)  # noqa: S310  `address` has looked at the scheme
    host = urlsplit(url).hostname
    try:
        with build_opener(NoRedirects).open(request, timeout=SECONDS) as reply:
            return json.loads(reply.read(MOST_BYTES))
    except HTTPError as error:
        error.close()
        hint = (
            ": does the pipeline have the right to write comments?" if error.code in (401, 403, 404) else ""
        )
        raise PostingError(f"{host} answers {error.code} to {method}{hint}") from error
    except (URLError, OSError, ValueError) as error:
        raise PostingError(f"{host} cannot be asked: {getattr(error, 'reason', error)}") from error
