"""A server of the user's: the event as the JSON body of a request, the reply as the body of the answer.

2xx with a reply       the reply decides
2xx without a body     no answer
any other status       a failure; a webhook's failure rejects the call, unless the row says `on_failure = "continue"`
"""

from hookkit.errors import HandlerError, HandlerTimeoutError
from hookkit.handlers import http, replies
from hookkit.handlers.handler import HandlerCall
from hookkit.handlers.replies import Reply

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re


def run(call: HandlerCall) -> Reply:
    body = call.handler.body
    headers = {"content-type": "application/json", **filled(body, call.settings.environ)}
    exchange = http.Exchange(body.get("method", "post").upper(), body["url"], headers, call.json())
    try:
        status, raw = exchange.run(call.handler.seconds)
    except HandlerTimeoutError:
        raise
    except HandlerError as error:
        raise HandlerError(f"webhook error: {error}") from None
    if status not in http.OK:
        raise HandlerError(f"webhook failed: {status}")
    return replies.read(raw, call.event.name)


def filled(body: "dict[str, object]", environ: dict[str, str]) -> dict[str, str]:
    """The headers with `${VAR}` and `$VAR` filled in, from the variables that the row lists; others become empty."""
    import re

    allowed = body.get("allowed_env")
    names = allowed if isinstance(allowed, list) else []

    def value(found: "re.Match[str]") -> str:
        name = found[1] or found[2]
        return environ.get(name, "") if name in names else ""

    headers = body.get("headers")
    rows = headers.items() if isinstance(headers, dict) else ()
    whole = {str(name): re.sub(r"\$(?:\{(\w+)\}|(\w+))", value, str(text)) for name, text in rows}
    return {name: "".join(char for char in text if char.isprintable()).strip() for name, text in whole.items()}
