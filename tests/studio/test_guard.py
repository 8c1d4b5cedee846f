"""Only the page of this studio, on this machine, is answered."""

import pytest

from maxmargin.studio import guard

from .conftest import PORT, TOKEN


def test_the_page_needs_the_token_of_its_address(client):
    assert client.ask("/", cookie=False).status == 403
    assert client.ask("/?token=wrong", cookie=False).status == 403
    answer = client.ask(f"/?token={TOKEN}", cookie=False)
    assert answer.status == 200
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert "default-src 'none'" in answer.headers["content-security-policy"]


def test_the_token_in_an_address_opens_nothing_but_the_page(client):
    assert client.ask(f"/api/scenes?token={TOKEN}", cookie=False).status == 403
    assert client.ask("/api/scenes").status == 200


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"origin": "http://evil.example"}, 403),
        ({"origin": f"http://127.0.0.1:{PORT + 1}"}, 403),
        ({"origin": f"https://127.0.0.1:{PORT}"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": f"http://127.0.0.1:{PORT}"}, 200),
        ({"sec_fetch_site": "cross-site"}, 403),
        ({"host": f"evil.example:{PORT}"}, 421),
        ({"host": "127.0.0.1"}, 421),
        ({"host": f"localhost:{PORT}"}, 200),
        ({"content_length": str(guard.LARGEST_BODY + 1)}, 413),
        ({"content_length": "-1"}, 413),
    ],
)
def test_other_sites_other_hosts_and_large_bodies_are_refused(client, headers, status):
    assert client.ask("/api/scenes", **headers).status == status


def test_a_body_longer_than_it_says_is_refused(client, monkeypatch):
    monkeypatch.setattr(guard, "LARGEST_BODY", 1000)
    status = client.ask("/api/files?name=a.csv", "POST", b"x" * 2000, content_length="10").status
    assert status == 413


def test_websockets_are_closed(client):
    answer = client.ask("/api/play", scheme="websocket", origin="http://evil.example")
    assert answer.type == "websocket.close"


@pytest.mark.parametrize(
    "path", ["/static/../app.py", "/static/%2e%2e/app.py", "/static/..%2fapp.py", "/etc/passwd"]
)
def test_no_path_leads_out_of_the_page(client, path):
    answer = client.ask(path)
    assert answer.status in (404, 405)
    assert b"starlette" not in answer.body


def test_a_broken_cookie_is_no_token(client):
    for value in ("maxmargin-4321", "maxmargin-4321=;;;", "=x", f"maxmargin-{PORT}=wrong"):
        answer = client.ask("/api/scenes", cookie=value)
        assert answer.status == 403
