"""A server of the user's: the event as the JSON body of a request, the reply as the body of the answer.

2xx with a reply       the reply decides
2xx without a body     no answer
any other status       a failure; a webhook's failure rejects the call, unless the row says `on_failure = "continue"`
"""

import time
from urllib.parse import urljoin, urlsplit

from hookkit.errors import HandlerError, HandlerTimeoutError
from hookkit.handlers import replies
from hookkit.handlers.handler import HandlerCall
from hookkit.handlers.replies import Reply
from hookkit.system.user_programs import LATE

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re

    import httpx


def run(call: HandlerCall) -> Reply:
    body = call.handler.body
    headers = {"content-type": "application/json", **filled(body, call.settings.environ)}
    method = body.get("method", "post").upper()
    try:
        status, raw = exchange(method, body["url"], headers, call.json(), call.handler.seconds)
    except HandlerTimeoutError:
        raise
    except HandlerError as error:
        raise HandlerError(f"webhook error: {error}") from None
    if status not in OK:
        raise HandlerError(f"webhook failed: {status}")
    return replies.read(raw, call.event.name)


def filled(body: "dict[str, object]", environ: dict[str, str]) -> dict[str, str]:
    """The headers with `${VAR}` and `$VAR` filled in, from the variables that the row lists; others become empty."""
    import re

    allowed = body.get("allowed_env")
    names = allowed if isinstance(allowed, list) else []

    def value(variable: "re.Match[str]") -> str:
        name = variable[1] or variable[2]
        return environ.get(name, "") if name in names else ""

    headers = body.get("headers")
    rows = headers.items() if isinstance(headers, dict) else ()
    whole = {str(name): re.sub(r"\$(?:\{(\w+)\}|(\w+))", value, str(text)) for name, text in rows}
    return {name: "".join(char for char in text if char.isprintable()).strip() for name, text in whole.items()}


# -- one exchange over HTTP, with a single limit for all of it, and no redirect to another host ------------------------


REDIRECTS = 5
LIMIT = 256 * 1024  # bytes of an answer
OK, REDIRECTED = range(200, 300), (301, 302, 303, 307, 308)


def exchange(method: str, url: str, headers: dict[str, str], content: bytes, seconds: float) -> tuple[int, bytes]:
    """The status and body of the answer to a request. Failures are HandlerErrors."""
    import httpx  # late: tens of milliseconds that only handlers over HTTP pay

    end = time.monotonic() + seconds
    try:
        # Loading the certificates costs tens of milliseconds; a redirect cannot lead from http to https.
        with httpx.Client(timeout=seconds, verify=not url.lower().startswith("http:")) as client:
            for _ in range(REDIRECTS):
                with client.stream(method, url, headers=headers, content=content) as answer:
                    if answer.status_code not in REDIRECTED:
                        return answer.status_code, _whole(answer, end)
                    url = _redirected(url, answer.headers.get("location", ""))
    except (httpx.TimeoutException, TimeoutError):
        raise HandlerTimeoutError(f"{LATE} {seconds:g} s") from None
    except (httpx.HTTPError, httpx.InvalidURL, OSError, ValueError) as error:
        raise HandlerError(f"{type(error).__name__}: {error}"[:300]) from None
    raise HandlerError(f"more than {REDIRECTS} redirects")


def _whole(answer: "httpx.Response", end: float) -> bytes:
    """The body. httpx limits each read; a server that sends a byte a second would keep the hook for ever."""
    raw = b""
    for chunk in answer.iter_bytes():
        raw += chunk
        if len(raw) > LIMIT:
            raise HandlerError(f"the answer is longer than {LIMIT // 1024} KB")
        if time.monotonic() > end:
            raise TimeoutError
    return raw


def _redirected(url: str, location: str) -> str:
    """The address of a redirect within the same scheme, host and port: the headers may hold a secret."""
    new = urljoin(url, location)
    before, after = urlsplit(url), urlsplit(new)
    if (before.scheme, before.netloc) != (after.scheme, after.netloc):
        raise HandlerError(f"a redirect to another host ({after.hostname or location[:60]}) is refused")
    return new
