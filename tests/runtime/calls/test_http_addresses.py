"""Where requests may go: the server that a spec names, the addresses that it lists, the public internet."""

from __future__ import annotations

import asyncio
import socket
import ssl
import threading
from collections.abc import Callable
from ipaddress import ip_address
from typing import Any

import pytest
from http_service import Reply, Service, ask, gives

from wfc.runtime.calls.bindings import Bearer, Secret
from wfc.runtime.calls.http import call_http
from wfc.runtime.calls.http.addresses import rule_for
from wfc.runtime.calls.http.public import is_public
from wfc.runtime.calls.secrets import Revealed
from wfc.runtime.errors import StepError

PUBLIC = "93.184.216.34"


def refused(method: str, url: str, **options: Any) -> StepError:
    with pytest.raises(StepError) as caught:
        ask(method, url, **options)
    return caught.value


# --- the server that the spec names


@pytest.mark.parametrize(
    ("head", "rest"),
    [
        ("{url}", "@127.0.0.1:1/x"),
        ("{url}", ".evil.example/x"),
        ("{url}", "0/x"),
        ("http:/", "/127.0.0.1/x"),
        ("http:", "//127.0.0.1/x"),
        ("http://me@127.0.0.1", "/x"),
    ],
)
def test_nothing_is_sent_to_another_server_than_the_head_names(
    service: Service, head: str, rest: str
) -> None:
    head = head.format(url=service.url)
    whole = head + rest if "me@" not in head else service.url + rest
    assert refused("GET", whole, server=head).name == "http.invalid_request"
    assert not service.asked


def test_the_named_server_is_asked(service: Service) -> None:
    ask("GET", f"{service.url}/x?a=http://evil.example", server=service.url)
    ask("GET", f"{service.url}/@evil.example", server=f"{service.url}/v1")
    assert [each.path for each in service.asked] == ["/x", "/@evil.example"]


# --- listed addresses


def listed(url: str, *prefixes: str) -> str:
    return str(rule_for(None, prefixes or ("https://api.example/v1",), Revealed()).first(url, Revealed()))


@pytest.mark.parametrize(
    "url",
    [
        "https://api.example.evil.org/v1",
        "https://api.example/v1/../admin",
        "https://api.example:8443/v1",
        "https://u@api.example/v1",
        "https://u:p@api.example/v1",
        "http://api.example/v1",
        "https://api.example/v10",
        "https://api.example/",
        "https://api.example/v1/%2e%2e/admin",
        "https://api.example/v1/%2E./admin",
        "https://api.example/v1/..%2fadmin",
        "https://api.example/v1/x%2f..%2f..%2fadmin",
        "https://api.example/v1/..%5cadmin",
        "https://api.example/v1/..;/admin",
        "https://api.example/v1/..;a=1/admin",
        "https://api.example/v1/%2e%2e;/admin",
        "https://api.example/v1/%252e%252e/admin",
        "https://api.example/v1/%252e%252e%252fadmin",
        "https://api.example/v1/..%3f/admin",
        "https://api.example/v1/..%23/admin",
        "https://api.example/v1/..%20/admin",
        "https://api.example/v1/..%c2%a0/admin",
        "https://api.example/v1/..%ff/admin",
        "https://api.example/v1/.%ff./admin",
        "https://api.example/v1/..%u002fadmin",
        "https://api.example/v1/%u002e%u002e/admin",
        "https://api.example/v1/%252525252e%252525252e/admin",
        "https://api.example/v1/%25252525252e%25252525252e/admin",
        "https://api.example/v1/%2525252525252e%2525252525252e/admin",
        "https://api.example/v1/%c0%ae%c0%ae/admin",
        "https://api.example/v1/%c0%2e%c0%2e/admin",
        "https://api.example/v1/%c0%25ae%c0%25ae/admin",
        "https://api.example/v1/x%c1%9cadmin",
        "https://api.example/v1/%f0%80%80%ae./admin",
        "https://api.example/v1/%f8%80%80%80%ae./admin",
        "https://api.example/v1/%fc%80%80%80%80%ae./admin",
        "https://api.example/v1/%E0%80%AE./admin",
        "https://api.example/v1/.%00./admin",
        "https://api.example/v1/x%0d%0aHost:evil",
        "https://api.example\\@evil.org/v1",
        "https://api.example/v1\\..\\admin",
        "https://evil.org\\.api.example/v1",
        "https:/api.example/v1",
        "https:api.example/v1",
        "//evil.org/v1",
        "/v2",
        "../admin",
        "..",
        "https://api.example./v1",
        "https://api.example/V1",
        "https://api.example/v1 ",
        " https://api.example/v1",
        "https://api.example/v1\n",
        "https://api.example/v1/\x00",
        "https://аpi.example/v1",  # the first letter is Cyrillic
        "javascript:alert(1)",
        "file:///etc/passwd",
        "",
        "https://",
        "https://api.example:99999/v1",
        "https://[::1]/v1",
        "https://api.example@evil.org/v1",
        "https://api.example%2f@evil.org/v1",
    ],
)
def test_what_is_not_below_a_listed_address_is_refused(url: str) -> None:
    with pytest.raises(StepError) as caught:
        listed(url)
    assert caught.value.name == "http.invalid_request"


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("x%0d%0aHost:evil", "x%0D%0AHost:evil has"),
        ("%E2%80%AEx%00", "%E2%80%AEx%00 has"),
        ("%C3%BC/..%3b", "ü/..; has"),
    ],
)
def test_a_refused_address_is_told_in_a_line(path: str, told: str) -> None:
    with pytest.raises(StepError) as caught:
        listed(f"https://api.example/v1/{path}")
    assert f"https://api.example/v1/{told} a path" in str(caught.value)


@pytest.mark.parametrize(
    ("url", "sent"),
    [
        ("https://api.example/v1/items?page=2", "https://api.example/v1/items?page=2"),
        ("https://api.example/v1", "https://api.example/v1"),
        ("https://api.example/v1/", "https://api.example/v1/"),
        ("https://api.example:443/v1/x", "https://api.example/v1/x"),
        ("HTTPS://API.example/v1/x", "https://api.example/v1/x"),
        ("https://api.example/v1/a/../b", "https://api.example/v1/b"),
        ("https://api.example/v1/a/%2e%2e/b/%2e", "https://api.example/v1/b/"),
        ("https://api.example/v1?u=https://evil.org/../x", "https://api.example/v1?u=https://evil.org/../x"),
        ("https://api.example/v1/a;b=../c..;d/50%25", "https://api.example/v1/a;b=../c..;d/50%25"),
        ("https://api.example/v1/a%252Fb/%E9/%C3%A0", "https://api.example/v1/a%252Fb/%E9/%C3%A0"),
        ("https://api.example/v1/%C0/%C1%E1/%E0%80", "https://api.example/v1/%C0/%C1%E1/%E0%80"),
        ("https://api.example/v1/.%E9/a..%3f/...", "https://api.example/v1/.%E9/a..%3f/..."),
        ("https://api.example/v1/%25252541", "https://api.example/v1/%25252541"),
        ("https://api.example/v1/%u00e9", "https://api.example/v1/%u00e9"),
        ("/v1/items/3", "https://api.example/v1/items/3"),
        ("items/3?x=y", "https://api.example/v1/items/3?x=y"),
        ("//api.example/v1/x", "https://api.example/v1/x"),
        ("https://api.example/v1/a%2Fb/ü", "https://api.example/v1/a%2Fb/%C3%BC"),
    ],
)
def test_what_is_below_a_listed_address_is_sent(url: str, sent: str) -> None:
    assert listed(url) == sent


def test_hosts_are_compared_as_they_are_called() -> None:
    assert (
        listed("https://xn--bcher-kva.example/a", "https://BÜCHER.example")
        == "https://xn--bcher-kva.example/a"
    )
    assert (
        listed("https://bücher.example/a", "https://xn--bcher-kva.example")
        == "https://xn--bcher-kva.example/a"
    )


def test_a_listed_address_is_asked_with_its_secret(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DESK_TOKEN", "x" * 20)
    ask(
        "GET", f"{service.url}/v1/items?page=2", only=[f"{service.url}/v1"], auth=Bearer(Secret("DESK_TOKEN"))
    )
    assert (service.last.path, service.last.query) == ("/v1/items", [("page", "2")])
    assert service.last.headers["authorization"] == "Bearer " + "x" * 20


@pytest.mark.parametrize(
    "where",
    ["/v2", "{other}/v1", "/v1/%2e%2e/v2", "http://127.0.0.1:1/v1", "file:///v1", "http://u@{host}/v1/x"],
)
def test_each_redirect_must_be_listed_too(start: Callable[[], Service], where: str) -> None:
    service, other = start(), start()
    host = service.url.removeprefix("http://")
    gives(service, Reply(302, headers={"Location": where.format(other=other.url, host=host)}), Reply())
    assert refused("GET", f"{service.url}/v1", only=[f"{service.url}/v1"]).name in {
        "http.redirect",
        "http.invalid_request",
    }
    assert (len(service.asked), other.asked) == (1, [])


def test_a_listed_redirect_is_followed(start: Callable[[], Service]) -> None:
    service, other = start(), start()
    gives(service, Reply(302, headers={"Location": f"{other.url}/jobs/a/../3"}))
    gives(other, Reply(body=b'"there"'))
    result, _ = ask("GET", f"{service.url}/v1", only=[f"{service.url}/v1", f"{other.url}/jobs"])
    assert (result, other.last.path) == ("there", "/jobs/3")


# --- the public internet: the names and the wires are the event loop's, of which these tests have their own


class Net:
    """What names stand for, and which servers here stand for addresses there."""

    def __init__(self, names: dict[str, list[list[str]]], servers: dict[str, str]) -> None:
        self.names = names
        self.servers = servers
        self.reached: list[str] = []

    async def getaddrinfo(self, host: str, port: int, **_: Any) -> list[Any]:
        answers = self.names.get(host)
        if answers is None:
            try:
                found = [str(ip_address(host))]
            except ValueError:
                raise socket.gaierror(-2, "Name or service not known") from None
        else:
            found = answers.pop(0) if len(answers) > 1 else answers[0]
        return [
            (socket.AF_INET6 if ":" in each else socket.AF_INET, 1, 6, "", (each, port)) for each in found
        ]

    async def fetch(self, url: str, **options: Any) -> Any:
        loop = asyncio.get_running_loop()
        connect = loop.create_connection

        async def create_connection(factory: Any, host: str = "", port: int = 0, **more: Any) -> Any:
            host = next((each for each in self.servers if ip_address(each) == ip_address(host)), host)
            self.reached.append(host)
            if host not in self.servers:
                raise ConnectionRefusedError
            there = self.servers[host].removeprefix("http://")
            return await connect(factory, there.split(":")[0], int(there.split(":")[1]), **more)

        loop.getaddrinfo = self.getaddrinfo  # type: ignore[method-assign]
        loop.create_connection = create_connection  # type: ignore[assignment]
        return await call_http("GET", url, only="public", **options)


def through(net: Net, url: str, **options: Any) -> Any:
    return asyncio.run(net.fetch(url, **options))[0]


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)


PRIVATE = [
    "127.0.0.1",
    "10.0.0.5",
    "169.254.169.254",
    "::ffff:10.0.0.1",
    "64:ff9b::a9fe:a9fe",
    "64:ff9b:1::a00:1",
    "2002:7f00:1::",
    "0.0.0.0",  # noqa: S104 - nothing is bound
    "100.64.0.1",
    "192.168.1.1",
    "172.16.0.1",
    "224.0.0.1",
    "255.255.255.255",
    "192.0.0.8",
    "198.18.0.1",
    "::",
    "::1",
    "::7f00:1",
    "fe80::1",
    "fe80::1%eth0",
    "fc00::1",
    "ff02::1",
    "2001:0:5ef5:79fd::1",
    "2001:db8::1",
    "fec0::1",
]


@pytest.mark.parametrize("address", PRIVATE)
def test_nothing_private_is_reached(service: Service, address: str) -> None:
    assert not is_public(address)
    for found in ([address], [PUBLIC, address], [address, PUBLIC]):
        net = Net({"name.example": [found]}, {address: service.url, PUBLIC: service.url})
        with pytest.raises(StepError) as caught:
            through(net, "http://name.example/x")
        assert (caught.value.name, net.reached, service.asked) == ("http.invalid_request", [], [])


@pytest.mark.parametrize(
    "address", [PUBLIC, "8.8.8.8", "2606:4700::1111", "64:ff9b::808:808", "::ffff:8.8.8.8"]
)
def test_what_is_public_is_reached(service: Service, address: str) -> None:
    assert is_public(address)
    gives(service, Reply(body=b'"hello"'))
    net = Net({"name.example": [[address]]}, {address: service.url})
    assert through(net, "http://name.example/x") == "hello"
    assert (net.reached, service.last.headers["host"], service.last.path) == ([address], "name.example", "/x")


def test_a_name_that_changes_its_meaning_gains_nothing(service: Service) -> None:
    # looked up once, and the connection goes to what was checked
    net = Net({"name.example": [[PUBLIC], ["127.0.0.1"]]}, {PUBLIC: service.url, "127.0.0.1": service.url})
    through(net, "http://name.example/x")
    assert net.reached == [PUBLIC]
    gives(service, Reply(302, headers={"Location": "http://name.example/y"}), Reply())
    net = Net({"name.example": [[PUBLIC], ["127.0.0.1"]]}, {PUBLIC: service.url, "127.0.0.1": service.url})
    with pytest.raises(StepError, match="not on the public internet"):
        through(net, "http://name.example/x")
    assert net.reached == [PUBLIC]


def test_another_address_of_a_name_is_tried(service: Service) -> None:
    net = Net({"name.example": [["8.8.8.8", PUBLIC]]}, {PUBLIC: service.url})
    through(net, "http://name.example/x")
    assert net.reached == ["8.8.8.8", PUBLIC]


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1/x",
        "http://[::1]/x",
        "http://[::ffff:127.0.0.1]/x",
        "http://name.example:8080/x",
        "http://u@name.example/x",
        "ftp://name.example/x",
        "/x",
        "//name.example/x",
        "http://name.example\\@127.0.0.1/",
        "http:///x",
        "",
    ],
)
def test_what_no_public_address_looks_like_is_refused(service: Service, url: str) -> None:
    net = Net({"name.example": [[PUBLIC]]}, {PUBLIC: service.url, "127.0.0.1": service.url})
    with pytest.raises(StepError) as caught:
        through(net, url)
    assert (caught.value.name, net.reached) == ("http.invalid_request", [])


def test_redirects_stay_on_the_host_and_end(service: Service) -> None:
    net = Net({"name.example": [[PUBLIC]], "other.example": [[PUBLIC]]}, {PUBLIC: service.url})
    for where in (
        "http://other.example/",
        "http://name.example:8080/",
        "http://127.0.0.1/",
        "http://name.example/x",
    ):
        service.asked.clear()
        gives(service, Reply(302, headers={"Location": where}))
        with pytest.raises(StepError) as caught:
            through(net, "http://name.example/x")
        assert caught.value.name == "http.redirect"
        assert len(service.asked) == (6 if where.endswith("/x") else 1)


def test_a_proxy_a_secret_and_an_unknown_name(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    net = Net({"name.example": [[PUBLIC]]}, {PUBLIC: service.url})
    monkeypatch.setenv("DESK_TOKEN", "x" * 20)
    with pytest.raises(StepError, match="secret") as caught:
        through(net, "http://name.example/x", auth=Bearer(Secret("DESK_TOKEN")))
    assert caught.value.name == "http.invalid_request"
    with pytest.raises(StepError) as caught:
        through(net, "http://nobody.example/x")
    assert caught.value.name == "connection"
    monkeypatch.setenv("http_proxy", service.url)
    with pytest.raises(StepError, match="proxy") as caught:
        through(net, "http://name.example/x")
    assert (caught.value.name, service.asked) == ("http.invalid_request", [])


def test_the_certificate_must_be_that_of_the_name(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str | bytes | None] = []
    wrap = ssl.SSLContext.wrap_bio

    def wrap_bio(self: ssl.SSLContext, *args: Any, **named: Any) -> Any:
        seen.append(named.get("server_hostname"))
        return wrap(self, *args, **named)

    monkeypatch.setattr(ssl.SSLContext, "wrap_bio", wrap_bio)
    with socket.create_server(("127.0.0.1", 0)) as server:
        net = Net({"name.example": [[PUBLIC]]}, {PUBLIC: f"http://127.0.0.1:{server.getsockname()[1]}"})

        def hang_up() -> None:
            server.accept()[0].close()

        hanging_up = threading.Thread(target=hang_up, daemon=True)
        hanging_up.start()
        with pytest.raises(StepError) as caught:
            through(net, "https://name.example/x")
        hanging_up.join(240)
    assert caught.value.name == "connection"
    assert {name.decode() if isinstance(name, bytes) else name for name in seen} == {"name.example"}
