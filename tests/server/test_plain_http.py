"""The reader of plain requests: what it takes, h11 would read alike; what it does not take is left to uvicorn."""

import h11
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookkit.server.http_hooks import NotPlainError, PlainRequest

PLAIN = b"POST /hooks/run HTTP/1.1\r\nHost: 127.0.0.1:1\r\nContent-Length: 2\r\n\r\n{}"


def test_a_plain_request_is_read() -> None:
    head = PlainRequest(PLAIN.replace(b"run", b"test_x?on-error=ask&actor=a%20b").replace(b"Content", b"cONTENT"))
    assert (head.hook, head.query, head.is_last) == ("test_x", "on-error=ask&actor=a%20b", False)
    assert head.headers == {b"host": b"127.0.0.1:1", b"content-length": b"2"}


@pytest.mark.parametrize(
    "data",
    [
        b"",
        PLAIN[:-5],
        PLAIN.replace(b"POST", b"GET"),
        PLAIN.replace(b"/hooks/", b"/secret/"),
        PLAIN.replace(b"/run", b"/../run"),
        PLAIN.replace(b"1.1\r\nH", b"1.0\r\nH"),
        PLAIN.replace(b"\r\n", b"\n"),
        PLAIN.replace(b"Host", b"Content-Length: 5\r\nHost"),
        PLAIN.replace(b"Host", b"Host: elsewhere\r\nHost"),
        PLAIN.replace(b"Host", b"Transfer-Encoding: chunked\r\nHost"),
        PLAIN.replace(b"Host", b"Expect: 100-continue\r\nHost"),
        PLAIN.replace(b"Host", b"Connection: upgrade\r\nHost"),
        PLAIN.replace(b"Host", b"X: folded\r\n line\r\nHost"),
        PLAIN.replace(b"Host", b"X : space\r\nHost"),
        PLAIN.replace(b"Host", b"X: \x00\r\nHost"),
        PLAIN.replace(b"Host", b"X: \x80\r\nHost"),
        PLAIN.replace(b"Length: 2", b"Length: +2"),
        PLAIN.replace(b"Length: 2", b"Length: 99999999"),
        PLAIN.replace(b"Content-Length: 2\r\n", b""),
        PLAIN.replace(b"Host", b"X: " + b"y" * 20_000 + b"\r\nHost"),
    ],
)
def test_anything_else_is_left_to_uvicorn(data: bytes) -> None:
    with pytest.raises(NotPlainError):
        PlainRequest(data)


LINES = st.one_of(
    st.sampled_from([
        b"Host: 127.0.0.1:1", b"Content-Length: 3", b"content-length:4", b"Content-Length: 0x3", b"Connection: close",
        b"Connection: Keep-Alive", b"Authorization: Bearer a", b"Transfer-Encoding: chunked", b" folded", b"X:",
        b"a:b:c",
    ]),
    st.binary(max_size=12),
)  # fmt: skip
FIRST = st.sampled_from([b"POST /hooks/run HTTP/1.1", b"POST /hooks/run?a=b HTTP/1.1", b"POST  /hooks/run HTTP/1.1",
                         b"POST /hooks/ru%6e HTTP/1.1", b"POST /hooks/run#x HTTP/1.1"])  # fmt: skip


@given(FIRST, st.lists(LINES, max_size=6), st.binary(max_size=6))
def test_what_is_read_is_what_h11_reads(first: bytes, lines: list[bytes], body: bytes) -> None:
    data = b"\r\n".join([first, b"Host: 127.0.0.1:1", *lines, b"", body])
    try:
        head = PlainRequest(data)
    except NotPlainError:
        return
    general = h11.Connection(h11.SERVER)
    general.receive_data(data)
    request = general.next_event()
    assert isinstance(request, h11.Request)
    target = f"/hooks/{head.hook}" + (f"?{head.query}" if b"?" in first else "")
    assert (request.method, request.target) == (b"POST", target.encode())
    assert dict(request.headers) == head.headers
    assert len(list(request.headers)) == len(head.headers)
    if len(data) >= head.end > head.start:
        following = general.next_event()
        assert isinstance(following, h11.Data)
        assert bytes(following.data) == data[head.start : head.end]
