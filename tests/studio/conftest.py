"""A studio in this process, without its worker's process where a test does not need it."""

import asyncio
import json
from dataclasses import dataclass
from types import SimpleNamespace

import pytest

from maxmargin.studio import calls
from maxmargin.studio.app import make_app
from maxmargin.studio.worker import CallError, Worker

PORT, TOKEN = 4321, "a-token-for-tests"


@dataclass
class Client:
    """Asks an ASGI application, as a browser would."""

    app: object

    def ask(self, path, method="GET", body=b"", *, cookie=True, scheme="http", **headers):
        given = {
            "host": f"127.0.0.1:{PORT}",
            **{k.replace("_", "-"): v for k, v in headers.items()},
        }
        if cookie:
            given["cookie"] = f"maxmargin-{PORT}={TOKEN}" if cookie is True else cookie
        return asyncio.run(self._ask(path, method, body, scheme, given))

    async def _ask(self, path, method, body, scheme, headers):
        path, _, query = path.partition("?")
        scope = {
            "type": scheme, "method": method, "path": path, "raw_path": path.encode(),
            "query_string": query.encode(), "root_path": "", "http_version": "1.1",
            "headers": [(k.encode(), v.encode()) for k, v in headers.items()],
            "scheme": "http", "server": ("127.0.0.1", PORT), "client": ("127.0.0.1", 1),
        }  # fmt: skip
        sent, left = [], [body]

        async def receive():
            if left:
                return {"type": "http.request", "body": left.pop(), "more_body": False}
            return {"type": "http.disconnect"}

        async def send(message):
            sent.append(message)

        await self.app(scope, receive, send)
        head = sent[0]
        content = b"".join(message.get("body", b"") for message in sent[1:])
        found = {k.decode(): v.decode() for k, v in head.get("headers", [])}
        return SimpleNamespace(
            status=head.get("status"), type=head["type"], headers=found, body=content
        )

    def post(self, path, value, **more):
        body = value if isinstance(value, bytes) else json.dumps(value).encode()
        answer = self.ask(path, "POST", body, **more)
        return answer.status, json.loads(answer.body)


@pytest.fixture
def client(tmp_path, monkeypatch):
    async def call(_self, name, given, _page="", _number=0):
        kind, value = calls.answer(name, given)
        if kind == "error":
            raise CallError(value)
        return value

    monkeypatch.setattr(Worker, "call", call)
    app = make_app(TOKEN, PORT, tmp_path)
    return Client(app)
