"""Keeps stored texts text, and the pages on this machine.

datasette-dashboards puts the cells of its table charts into the page as HTML: queries there pass every text from
outside through the SQL function html(). The header forbids requests to anywhere else.
"""

from __future__ import annotations

import html
from collections.abc import Awaitable, Callable
from typing import Any

from datasette import hookimpl

# Datasette's own pages and Vega need inline scripts and eval.
POLICY = (
    b"default-src 'self' 'unsafe-inline' 'unsafe-eval'; img-src 'self' data:; object-src 'none'; "
    b"base-uri 'none'; form-action 'self'; frame-ancestors 'self'"
)
MOST_CHARACTERS = 200


def html_text(value: object) -> str:
    text = "" if value is None else str(value)
    return html.escape(text if len(text) <= MOST_CHARACTERS else text[: MOST_CHARACTERS - 1] + "…")


@hookimpl
def prepare_connection(conn: Any) -> None:
    conn.create_function("html", 1, html_text, deterministic=True)


@hookimpl
def asgi_wrapper(datasette: Any) -> Callable[[Any], Any]:
    del datasette

    def wrap(app: Any) -> Any:
        async def wrapped(scope: Any, receive: Any, send: Callable[[Any], Awaitable[None]]) -> None:
            async def send_with_policy(event: dict[str, Any]) -> None:
                if event["type"] == "http.response.start":
                    event = {**event, "headers": [*event["headers"], (b"content-security-policy", POLICY)]}
                await send(event)

            await app(scope, receive, send_with_policy)

        return wrapped

    return wrap
