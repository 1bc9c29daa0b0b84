"""Who may ask, in this process; what a server of its own adds is in `test_server`."""

import asyncio

import httpx
import pytest

from perceptrons.play import server
from perceptrons.play.serve import addresses, bound_socket
from perceptrons.play.server import application
from perceptrons.play.workers import Busy, TookTooLong

OWN = "127.0.0.1:80"


def ask(path="/", token=None, method="GET", **request):
    """The answer of an application whose processes are never started."""
    app = application([OWN], token)
    headers = {"Host": OWN, **request.pop("headers", {})}

    async def asked():
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url=f"http://{OWN}") as client:
            return await client.request(method, path, headers=headers, **request)

    return asyncio.run(asked())


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Origin": f"http://{OWN}"}, 200),
        ({"Origin": "http://evil"}, 403),
        ({"Host": "evil"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 200),  # a link
        ({"Sec-Fetch-Site": "none"}, 200),
    ],
)
def test_the_page_is_for_those_who_call_it_by_its_name(headers, status):
    answer = ask(headers=headers)
    assert answer.status_code == status
    assert "default-src 'none'" in answer.headers["content-security-policy"]


def test_other_sites_get_nothing_but_the_page():
    assert ask("/page/main.js", headers={"Sec-Fetch-Site": "cross-site"}).status_code == 403
    assert ask("/table", method="POST", headers={"Sec-Fetch-Site": "same-site"}).status_code == 403


def test_the_token():
    assert ask(token="secret").status_code == 403
    assert ask("/?token=secre", token="secret").status_code == 403
    assert ask("/?token=%F0%9F%92%A5", token="secret").status_code == 403
    assert ask("/?token=secret", token="secret").status_code == 200
    assert ask("/page/play.css", token="secret").status_code == 200
    assert ask("/table", method="POST", token="secret").status_code == 403
    assert (
        ask("/table", method="POST", token="secret", headers={"X-Playground-Token": "secret"}).status_code
        == 415
    )


def test_what_is_no_request_of_the_page():
    typed = {"Content-Type": "application/json"}
    assert ask("/run/nobody", method="POST", headers=typed).status_code == 404
    assert ask("/run/perceptron").status_code == 405
    assert ask("/page/../server.py").status_code == 404
    assert ask("/table", method="POST", content=b"x" * (1 << 20) + b"x", headers=typed).status_code == 413

    async def parts():
        for _ in range(20):
            yield b"x" * 100_000

    assert ask("/table", method="POST", content=parts(), headers=typed).status_code == 413


@pytest.mark.parametrize(
    ("error", "status", "sentence"),
    [
        (Busy(), 503, "busy"),
        (TookTooLong(), 200, "took longer than 10 seconds and was stopped"),
        (ConnectionResetError(), 200, "The fit failed and was stopped"),
        (asyncio.IncompleteReadError(b"", 4), 200, "The fit failed and was stopped"),
    ],
)
def test_why_there_is_no_answer(monkeypatch, error, status, sentence):
    async def fail(*_):
        raise error

    monkeypatch.setattr(server.Workers, "ask", fail)
    answer = ask("/table", method="POST", json={"text": "a"})
    assert answer.status_code == status
    assert sentence in answer.json()["error"]


def test_a_body_that_comes_too_slowly(monkeypatch):
    monkeypatch.setattr(server, "READING", 0.05)

    async def slowly():
        yield b"{"
        await asyncio.sleep(1)

    typed = {"Content-Type": "application/json"}
    assert ask("/table", method="POST", content=slowly(), headers=typed).status_code in (408, 400)


def test_addresses_and_sockets():
    assert addresses("127.0.0.1", 8) == ["127.0.0.1:8", "localhost:8", "[::1]:8"]
    assert addresses("::1", 8)[0] == "[::1]:8"
    assert addresses("192.168.0.7", 8) == ["192.168.0.7:8"]
    assert "127.0.0.1:8" in addresses("0.0.0.0", 8)
    with bound_socket("127.0.0.1", 0) as one:
        one.listen()
        port = one.getsockname()[1]
        with pytest.raises(ValueError, match=f"port {port}: Address already in use; omit --port"):
            bound_socket("127.0.0.1", port)
    with pytest.raises(ValueError, match="try --host 127"):
        bound_socket("no such host", 0)
