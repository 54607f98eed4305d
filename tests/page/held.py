"""Requests of a page that reach the server when a test wants it."""

from __future__ import annotations

from typing import Any


class Held:
    """Requests that reach the server once they are let go."""

    def __init__(self, page: Any, asked: str, method: str) -> None:
        self.page = page
        self.method = method
        self.held: list[Any] = []
        self.is_over = False
        page.route(asked, self.meet)

    def meet(self, route: Any) -> None:
        if self.is_over or route.request.method != self.method:
            route.continue_()
        else:
            self.held.append(route)

    def let_go(self) -> None:
        for _ in range(1800):  # a route is met while the page is asked something
            if self.held:
                break
            self.page.wait_for_timeout(100)
        self.is_over = True
        for route in self.held:
            route.continue_()
