"""Who may ask: only the page that this program opened, on this machine.

Every request must come to 127.0.0.1 or localhost at our port, bear the token, and, where a browser
says which page it comes from, come from ours. A page of another site fails at the origin, a name
that another site gives to this machine at the host, everything else at the token.
"""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable, MutableMapping
from hmac import compare_digest
from http.cookies import SimpleCookie
from typing import Any, Final
from urllib.parse import parse_qs

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Awaitable[None]]

LARGEST_BODY: Final = 64 << 20
"""Bytes of a request; larger files are opened where they lie, by ``/api/files``."""
POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'self'"
)
HEADERS: Final = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
)


def new_token() -> str:
    """Return a token that nobody can guess."""
    return secrets.token_urlsafe(24)


class TooLargeError(Exception):
    """A request has more bytes than are taken."""


class Guard:
    """Let requests of our own page through to an application, and refuse all others.

    Parameters
    ----------
    app : ASGI application
    token : str
    port : int
    """

    def __init__(self, app: Any, token: str, port: int) -> None:
        self._app, self._token = app, token
        self._hosts = {f"{name}:{port}" for name in ("127.0.0.1", "localhost")}
        self._cookie = f"maxmargin-{port}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":  # the page opens no WebSockets, so nobody's is wanted
            await send({"type": "websocket.close", "code": 1008})
            return
        headers = {k.decode("latin-1"): v.decode("latin-1") for k, v in scope["headers"]}
        refusal = self._refusal(scope, headers)
        if refusal is not None:
            await _refuse(send, *refusal)
            return
        await self._app(scope, _limited(receive), self._marked(scope, send))

    def _refusal(self, scope: Scope, headers: dict[str, str]) -> tuple[int, str] | None:
        """Return the status and the sentence of a refusal, or None."""
        host, origin = headers.get("host", ""), headers.get("origin")
        if host not in self._hosts:
            return 421, "This studio answers at 127.0.0.1 only."
        if origin is not None and origin.removeprefix("http://") not in self._hosts:
            return 403, "Requests from pages of other sites are refused."
        if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            return 403, "Requests from pages of other sites are refused."
        if not self._known(scope, headers):
            return 403, "Open the address that `maxmargin studio` printed: it holds a token."
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > LARGEST_BODY:
            return 413, too_large()
        return None

    def _known(self, scope: Scope, headers: dict[str, str]) -> bool:
        """Whether a request bears the token: in the address of the page, or as its cookie."""
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
        cookies: SimpleCookie = SimpleCookie()
        cookies.load(headers.get("cookie", ""))
        kept = cookies[self._cookie].value if self._cookie in cookies else ""
        page = scope["path"] == "/" and scope["method"] == "GET"
        mine = self._token.encode()
        return compare_digest(kept.encode(), mine) or (
            page and compare_digest(given.encode(), mine)
        )

    def _marked(self, scope: Scope, send: Send) -> Send:
        """Add the headers of safety to answers, and the cookie to the page."""

        async def answer(message: Any) -> None:
            if message["type"] == "http.response.start":
                known = {name for name, _ in message["headers"]}
                extra = [pair for pair in HEADERS if pair[0] not in known]
                if b"content-security-policy" not in known:
                    extra.append((b"content-security-policy", POLICY.encode()))
                if scope["path"] == "/":
                    kept = f"{self._cookie}={self._token}; Path=/; HttpOnly; SameSite=Strict"
                    extra.append((b"set-cookie", kept.encode()))
                message = {**message, "headers": [*message["headers"], *extra]}
            await send(message)

        return answer


def _limited(receive: Receive) -> Receive:
    """Count the bytes of a body, whatever its headers said."""
    seen = 0

    async def counted() -> Any:
        nonlocal seen
        message = await receive()
        seen += len(message.get("body", b""))
        if seen > LARGEST_BODY:
            raise TooLargeError
        return message

    return counted


def too_large() -> str:
    """Return the sentence for a request with too many bytes."""
    return (
        f"The file is larger than {LARGEST_BODY >> 20} MB. Put it beside the studio and choose it "
        "there, or take a sample of its rows."
    )


async def _refuse(send: Send, status: int, sentence: str) -> None:
    head = [(b"content-type", b"text/plain; charset=utf-8"), *HEADERS]
    await send({"type": "http.response.start", "status": status, "headers": head})
    await send({"type": "http.response.body", "body": sentence.encode()})
