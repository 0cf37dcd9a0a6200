"""What the hub serves: to machines below /fleet, to people below /read, and the page.

A machine names its id and secret, a person a token, or a proxy that both sides trust names the person. Everybody else
gets 401 and no facts.
"""

import asyncio
import hmac
import json
import os
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from hookkit.errors import HookkitError
from hookkit.server.fleet import batch
from hookkit.server.fleet.batch import BatchError
from hookkit.server.fleet.hub import contents, ingest, machines, people, questions
from hookkit.server.fleet.hub.ingest import word
from hookkit.server.fleet.hub.machines import Machine
from hookkit.server.fleet.hub.people import NotAllowedError, Person
from hookkit.server.fleet.hub.postgres import HubError, Store

FILES = os.path.join(os.path.dirname(__file__), "files")
KINDS = {".html": "text/html", ".css": "text/css", ".js": "text/javascript"}
BODY = 16 << 20  # bytes of a request
THREADS = 8
COOKIE = "hookkit"
WEEK = 7 * 86_400
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:;"
    " form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "cache-control": "no-store", "referrer-policy": "no-referrer", "x-content-type-options": "nosniff",
    "content-security-policy": POLICY,
}  # fmt: skip
Answer = dict[str, Any]


class Application:
    """`key` is the file of the hub's key. `proxy` is the secret of a proxy that signs people in; without one, only
    tokens count. `tell` is called with the requests for approval that are new, `say` with faults of the database.
    """

    def __init__(
        self, store: Store, key: str, proxy: str = "", tell: Callable[[list[Answer]], object] = len,
        say: Callable[[str], object] = len,
    ) -> None:  # fmt: skip
        self.store = store
        self.say = say
        self.key = key
        with open(f"{key}.pub", encoding="utf-8") as file:
            self.public_key = " ".join(file.read().split()[:2])
        self.proxy = proxy
        self.tell = tell
        self.pool = ThreadPoolExecutor(THREADS, thread_name_prefix="hub")
        self.files = {name: _content(name) for name in os.listdir(FILES) if os.path.splitext(name)[1] in KINDS}

    def served(self) -> Starlette:
        posts: dict[str, Callable[[Request, bytes], Answer]] = {
            "/fleet/hello": self._hello, "/fleet/join": self._join, "/fleet/sync": self._sync,
            "/v1/logs": self._logs,
            "/fleet/asks": self._asks,
            "/fleet/rows": self._rows, "/fleet/copied": self._copied, "/fleet/leave": self._leave,
        }  # fmt: skip
        reads: dict[str, Callable[[Person, Request], Any]] = {
            "rows": lambda person, request: questions.rows(self.store, person, asked(request)),
            "tail": lambda person, request: questions.rows(self.store, person, asked(request), by_call=False),
            "export": lambda person, request: contents.export(self.store, person, asked(request)),
            "row/{id:int}": lambda person, request: contents.one(self.store, person, request.path_params["id"]),
            "machines": lambda person, _: {"machines": questions.machines(self.store, person)},
            "agents": lambda person, _: {"agents": questions.agents(self.store, person)},
            "findings": lambda person, _: {"findings": questions.findings(self.store, person)},
            "sessions": lambda person, request: questions.sessions(self.store, person, asked(request)),
            "stats": lambda person, request: questions.stats(self.store, person, min(number(request, "days", 7), 3650)),
            "verify": lambda person, request: contents.verify(self.store, person, number(request, "after", 0)),
            "approvals": lambda person, request: {
                "approvals": people.list_requests(self.store, person, everything="all" in request.query_params)
            },
            "me": lambda person, _: {"person": person.name, "role": person.role, "team": person.team},
        }  # fmt: skip
        return Starlette(routes=[
            *(Route(path, self._post(answer), methods=["POST"]) for path, answer in posts.items()),
            Route("/fleet/heads", self._post(self._heads), methods=["GET"]),
            *(Route(f"/read/{path}", self._read(answer)) for path, answer in reads.items()),
            Route("/answer/{id:int}", self._read(self._answer), methods=["POST"]),
            Route("/in", self._in, methods=["GET", "POST"]),
            Route("/{name:path}", self._file),
        ])  # fmt: skip

    # -- in a thread, with errors as answers ---------------------------------------------------------------------------

    async def _run(self, work: Callable[[], Any]) -> Response:
        try:
            value = await asyncio.get_running_loop().run_in_executor(self.pool, work)
        except NotAllowedError as error:
            return reply({"error": str(error)}, 403)
        except BatchError as error:
            return reply({"error": str(error)}, 400)
        except HubError as error:
            self.say(str(error))  # the details are for the hub's own people: anybody can ask
            return reply({"error": "the hub's database does not answer"}, 503)
        except HookkitError as error:
            return reply({"error": str(error)}, 400)
        if isinstance(value, Response):
            return value
        return reply({"error": "there is no such thing"}, 404) if value is None else reply(value)

    def _post(self, answer: Callable[[Request, bytes], Answer]) -> Callable[[Request], Awaitable[Response]]:
        async def handle(request: Request) -> Response:
            data = await body(request)
            if data is None:
                return reply({"error": f"the body is larger than {BODY} bytes"}, 413)
            return await self._run(lambda: answer(request, data))

        return handle

    def _read(self, answer: Callable[[Person, Request], Any]) -> Callable[[Request], Awaitable[Response]]:
        async def handle(request: Request) -> Response:
            def work() -> Any:
                person = self._person(request)
                if person is None:
                    return reply({"error": "sign in first: ask an admin for an invitation"}, 401)
                return answer(person, request)

            return await self._run(work)

        return handle

    # -- who asks ------------------------------------------------------------------------------------------------------

    def _machine(self, request: Request) -> Machine:
        name, _, secret = request.headers.get("authorization", "").removeprefix("Bearer ").partition(":")
        machine = machines.known(self.store, name, secret) if name and secret else None
        if machine is None:
            raise NotAllowedError("no machine of this fleet has this secret")
        return machine

    def _person(self, request: Request) -> Person | None:
        told = request.headers.get("x-hookkit-proxy", "")
        if self.proxy and told:
            is_right = hmac.compare_digest(told.encode(), self.proxy.encode())
            return people.named(self.store, request.headers.get("x-forwarded-user", "")) if is_right else None
        token = request.headers.get("authorization", "").removeprefix("Bearer ") or request.cookies.get(COOKIE, "")
        return people.known(self.store, token) if token else None

    # -- machines ------------------------------------------------------------------------------------------------------

    def _hello(self, _: Request, data: bytes) -> Answer:
        with self.store.owner() as connection:
            invitation = people.invited(connection, str(parsed(data).get("code", "")), is_used=False)
        return {**{name: invitation[name] for name in ("team", "person", "role")}, "key": self.public_key}

    def _join(self, _: Request, data: bytes) -> Answer:
        given = parsed(data)
        with self.store.owner() as connection:
            invitation = people.invited(connection, str(given.get("code", "")), is_used=True)
            if invitation["role"]:
                person, token = people.join(self.store, connection, invitation)
                return {"person": person.name, "role": person.role, "token": token}
            machine = machines.join(self.store, connection, invitation, given)
        return {"team": machine.team, "machine": machine.name}

    def _sync(self, request: Request, data: bytes) -> Answer:
        return machines.report(self.store, self._machine(request), parsed(data))

    def _rows(self, request: Request, data: bytes) -> Answer:
        return {"heads": ingest.take(self.store, self._machine(request).id, data)}

    def _asks(self, request: Request, data: bytes) -> Answer:
        answers, new = people.take_requests(self.store, self._machine(request), parsed(data))
        if new:
            self.pool.submit(self.tell, new)  # the machine does not wait for the webhook
        return {"answers": answers}

    def _logs(self, request: Request, data: bytes) -> Answer:
        """OTLP/HTTP in JSON. An agent may compress it."""
        name, _, token = request.headers.get("authorization", "").removeprefix("Bearer ").partition(":")
        machine = machines.known_sessions(self.store, name, token)
        if machine is None:
            raise NotAllowedError("no machine of this fleet has this token")
        plain = batch.inflated(data) if request.headers.get("content-encoding") == "gzip" else data
        machines.take(self.store, machine, parsed(plain))
        return {}

    def _heads(self, request: Request, _: bytes) -> Answer:
        return {"heads": machines.heads(self.store, self._machine(request))}

    def _copied(self, request: Request, _: bytes) -> Answer:
        return dict(machines.copied(self.store, self._machine(request)))

    def _leave(self, request: Request, _: bytes) -> Answer:
        machines.leave(self.store, self._machine(request))
        return {"left": True}

    # -- people --------------------------------------------------------------------------------------------------------

    def _answer(self, person: Person, request: Request) -> Answer:
        """A yes or no. The header shows that no form of another site sent this: only a script of this one can."""
        if request.headers.get("x-hookkit-fleet") != "1":
            raise NotAllowedError("answer on the hub's page, or with hookkit approve --fleet")
        state = request.query_params.get("state", "")
        return people.answer_request(self.store, person, request.path_params["id"], state, self.key)

    async def _in(self, request: Request) -> Response:
        """The link of an invitation: a code becomes a cookie, once the person presses the button. A link alone must do
        nothing: mail and chat programs open it to look at it.
        """
        if request.method != "POST":
            return Response(self.files["in.html"], media_type=KINDS[".html"], headers=HEADERS)
        if request.headers.get("sec-fetch-site", "same-origin") != "same-origin":
            return reply({"error": "open the link of the invitation, and sign in there"}, 403)

        def work() -> Response:
            with self.store.owner() as connection:
                invitation = people.invited(connection, request.query_params.get("code", ""), is_used=True)
                if not invitation["role"]:
                    raise NotAllowedError("this code is for a machine: hookkit fleet join URL CODE")
                _, token = people.join(self.store, connection, invitation)
            answer = RedirectResponse("/", 303)
            is_secure = request.headers.get("x-forwarded-proto", request.url.scheme) == "https"
            answer.set_cookie(COOKIE, token, max_age=WEEK, httponly=True, samesite="strict", secure=is_secure)
            return answer

        return await self._run(work)

    async def _file(self, request: Request) -> Response:
        name = request.path_params["name"] or "index.html"
        if name not in self.files:
            return reply({"error": "there is no such thing"}, 404)
        return Response(self.files[name], media_type=KINDS[os.path.splitext(name)[1]], headers=HEADERS)


def _content(name: str) -> bytes:
    with open(os.path.join(FILES, name), "rb") as file:
        return file.read()


def asked(request: Request) -> dict[str, str]:
    """The words of a question, as PostgreSQL takes them."""
    return {name: word(value) for name, value in request.query_params.items()}


def reply(value: Any, status: int = 200) -> Response:
    headers = {**HEADERS, "retry-after": "30"} if status == 503 else HEADERS  # noqa: PLR2004
    return Response(json.dumps(value, default=str), status, media_type="application/json", headers=headers)


async def body(request: Request) -> bytes | None:
    data = b""
    async for chunk in request.stream():
        data += chunk
        if len(data) > BODY:
            return None
    return data


def parsed(data: bytes) -> Answer:
    try:
        value = json.loads(data or b"{}")
    except (ValueError, RecursionError):
        raise BatchError("the body is not JSON, or was cut") from None
    return value if isinstance(value, dict) else {}


def number(request: Request, name: str, otherwise: int) -> int:
    text = request.query_params.get(name, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else otherwise  # noqa: PLR2004
