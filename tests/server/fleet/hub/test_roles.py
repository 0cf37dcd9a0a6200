"""Each role sees what it may, in SQL as on the page; nothing that a reader can set changes that."""

import httpx
import psycopg
import pytest

from hookkit.server.fleet import membership
from hookkit.server.fleet.hub import contents, people
from hookkit.server.fleet.hub.postgres import HubError
from hookkit.server.fleet.membership import LaterError
from tests.ledger.making import outcome, request, write
from tests.server.fleet.hub.conftest import Fleet


@pytest.fixture
def teams(fleet: Fleet) -> Fleet:
    """ann@x of team web and bob@x of team ops, with a machine each."""
    for owner, team, session in (("ann@x", "web", "s1"), ("bob@x", "ops", "s2")):
        environ = fleet.machine(team, owner=owner)
        write(environ, request(1, session, rule=f"rule-{team}", verdict="deny", input={"command": f"deploy {team}"}))
        fleet.sync(environ)
    return fleet


SEES = [
    ("ann@x", "member", "web", ["web"]),
    ("carl@x", "member", "web", []),
    ("lea@x", "lead", "ops", ["ops"]),
    ("sec@x", "security", "web", ["ops", "web"]),
    ("adm@x", "admin", "web", ["ops", "web"]),
    ("app@x", "approver", "web", []),
]


@pytest.mark.parametrize(("name", "role", "team", "seen"), SEES, ids=[row[1] + " " + row[0] for row in SEES])
def test_a_role_sees_its_machines_and_their_rows(
    teams: Fleet, name: str, role: str, team: str, seen: list[str]
) -> None:
    reader = teams.person(name, role, team)
    assert sorted(row["team"] for row in reader.get("machines")["machines"]) == seen
    assert sorted(row["team"] for row in reader.get("rows")["rows"]) == seen
    assert sorted(row["team"] for row in reader.get("rows", text="deploy")["rows"]) == seen
    assert sorted(row["team"] for row in reader.get("sessions")["sessions"]) == seen
    assert sorted(row["team"] for row in reader.get("stats")["rules"]) == seen
    assert reader.get("verify")["rows"] == len(seen)


def test_a_row_of_another_team_cannot_be_opened_by_its_id(teams: Fleet) -> None:
    everything = {row["team"]: row["id"] for row in teams.person("sec@x", "security").get("rows")["rows"]}
    lead = teams.person("lea@x", "lead", "ops")
    assert lead.get(f"row/{everything['ops']}")["body"]["rule"] == "rule-ops"
    with pytest.raises(AssertionError, match="no such thing"):
        lead.get(f"row/{everything['web']}")


def test_a_person_whose_role_was_narrowed_sees_less_and_the_old_token_is_void(teams: Fleet) -> None:
    before = teams.person("sec@x", "security")
    after = teams.person("sec@x", "member")
    assert after.get("rows")["rows"] == []
    with pytest.raises(AssertionError, match="sign in"):
        before.get("rows")


ATTACKS = [
    "SET hookkit.team = 'ops'",
    "SET LOCAL row_security = off",
    "SET ROLE {all}",
    "SET ROLE {ingest}",
    "SET SESSION AUTHORIZATION hookkit",
    "SELECT * FROM rows_held",
    "SELECT secret FROM machines",
    "SELECT * FROM people",
    "SELECT * FROM invites",
    "SELECT * FROM reads",
    "SELECT * FROM tokens",
    "UPDATE rows SET verdict = 'allow'",
    "DELETE FROM rows",
    "INSERT INTO findings (machine, kind, what) VALUES (1, 'x', 'y')",
    "ALTER TABLE rows DISABLE ROW LEVEL SECURITY",
    "CREATE OR REPLACE FUNCTION f() RETURNS int SECURITY DEFINER LANGUAGE sql AS 'SELECT 1'",
]


@pytest.mark.parametrize("attack", ATTACKS)
def test_a_reader_with_sql_gains_nothing(teams: Fleet, attack: str) -> None:
    teams.person("lea@x", "lead", "ops")
    found = people.named(teams.store, "lea@x")
    assert found is not None
    with teams.store.owner() as connection:
        connection.execute(f'CREATE ROLE "{found.db_role}_login" LOGIN IN ROLE "{found.db_role}"'.encode())
    dsn = teams.store.dsn.replace("hookkit@", f"{found.db_role}_login@")
    with psycopg.connect(dsn) as connection:
        try:
            connection.execute(attack.format(all=teams.store.all, ingest=teams.store.ingest).encode())
            rows = connection.execute("SELECT m.team FROM rows r JOIN machines m ON m.id = r.machine").fetchall()
        except psycopg.Error:
            return
        assert rows == [("ops",)]


@pytest.mark.parametrize(
    "attack",
    [
        "SELECT * FROM rows",
        "SELECT * FROM bodies",
        "DELETE FROM machines",
        "SELECT * FROM invites",
        "SELECT secret FROM machines",
        "UPDATE machines SET revoked = NULL",
        "UPDATE machines SET state = 'fine'",
        "SELECT * FROM people",
        "SELECT * FROM tokens",
    ],
)
def test_ingest_can_only_add(teams: Fleet, attack: str) -> None:
    with pytest.raises(HubError, match="permission denied"), teams.store.acting(teams.store.ingest) as connection:
        connection.execute(attack.encode())


def test_a_read_of_content_is_noted(teams: Fleet) -> None:
    reader = teams.person("sec@x", "security")
    reader.get(f"row/{reader.get('rows')['rows'][0]['id']}")
    with teams.store.owner() as connection:
        assert [row["person"] for row in connection.execute("SELECT person FROM reads")] == ["sec@x"]


PROXY = [
    ({"x-hookkit-proxy": "proxy-secret", "x-forwarded-user": "sec@x"}, 200),
    ({"x-hookkit-proxy": "guess", "x-forwarded-user": "sec@x"}, 401),
    ({"x-forwarded-user": "sec@x"}, 401),
    ({"x-hookkit-proxy": "proxy-secret", "x-forwarded-user": "nobody"}, 401),
    ({"authorization": "Bearer guess"}, 401),
    ({}, 401),
]


@pytest.mark.parametrize(("headers", "status"), PROXY)
def test_a_person_is_named_by_a_token_or_a_proxy_that_knows_the_secret(
    teams: Fleet, headers: dict[str, str], status: int
) -> None:
    teams.person("sec@x", "security")
    assert httpx.get(f"{teams.url}/read/me", headers=headers).status_code == status


def test_a_question_with_odd_characters_finds_nothing(teams: Fleet) -> None:
    reader = teams.person("sec@x", "security")
    for name in ("text", "person", "event", "session"):
        assert reader.get("rows", **{name: "\0\ud7ff"})["rows"] == []


def test_a_person_is_signed_in_in_a_terminal_and_a_browser(teams: Fleet) -> None:
    terminal = teams.person("sec@x", "security")
    teams.person("sec@x", "security")
    assert terminal.get("me")["person"] == "sec@x"


@pytest.mark.parametrize(("site", "status"), [("same-origin", 303), ("cross-site", 403)])
def test_another_site_signs_nobody_in(fleet: Fleet, site: str, status: int) -> None:
    code = people.invite(fleet.store, team_name="web", person="ann@x", role="member")
    answer = httpx.post(f"{fleet.url}/in", params={"code": code}, headers={"sec-fetch-site": site})
    assert (answer.status_code, "set-cookie" in answer.headers) == (status, status == 303)


def test_an_export_has_whole_rows_and_is_noted(teams: Fleet) -> None:
    reader = teams.person("ann@x", "member")
    (row,) = reader.get("export")["rows"]
    assert (row["body"]["project"], row["team"], len(row["hash"])) == ("/p", "web", 64)
    with teams.store.owner() as connection:
        (read,) = connection.execute("SELECT person, what FROM reads").fetchall()
    assert (read["person"], read["what"]) == ("ann@x", "1 rows exported: ")


@pytest.mark.parametrize("whose", [{"person": "ann@x.example"}, {"session": "s1"}], ids=str)
def test_the_content_of_a_person_is_erased_and_the_chains_still_verify(fleet: Fleet, whose: dict[str, str]) -> None:
    environ = fleet.machine(owner="ann@x.example")
    ann, bob = {"person": "Ann <ann@x.example>"}, {"person": "Bob <bob@x.example>"}
    write(environ, request(1, "s1", who=ann), request(2, "s1"), request(1, "s2", who=bob))
    fleet.sync(environ)
    assert contents.erase(fleet.store, **whose) == 2
    security = fleet.person("sec@x", "security")
    assert security.verify() == {"rows": 3, "faults": []}
    exported = security.get("export")["rows"]
    assert {row["body"]["session"]: "input" in row["body"] for row in exported} == {"s1": False, "s2": True}
    assert {row["person"] for row in exported} == {"", bob["person"]}
    assert security.get("rows", text="make")["rows"] == security.get("rows", session="s2")["rows"]


def test_what_a_person_approved_is_listed_with_the_call(fleet: Fleet) -> None:
    environ = fleet.machine()
    who = {"person": "Ann Example <ann@x.example>"}
    write(environ, request(1, who=who), outcome(1, approved="person"), request(2), outcome(2))
    fleet.sync(environ)
    security = fleet.person("sec@x", "security")
    (row,) = security.get("rows", approved="person")["rows"]
    assert (row["body"]["approved"], row["body"]["input"]["command"]) == ("person", "make 1")
    for name in ("Ann Example", "ann@x.example", "ANN@*", who["person"]):
        assert len(security.get("rows", person=name)["rows"]) == 2
    assert security.get("rows", person="x.example")["rows"] == []


def test_a_code_is_good_once(fleet: Fleet) -> None:
    code = people.invite(fleet.store, team_name="web", person="ann@x", role="member")
    assert [fleet.post("/fleet/join", {"code": code}).status_code for _ in range(2)] == [200, 403]


def test_a_database_that_is_away_is_told_and_nothing_is_lost(fleet: Fleet) -> None:
    environ = fleet.machine()
    write(environ, request(1))
    fleet.store.dsn, dsn = fleet.store.dsn + "x", fleet.store.dsn
    fleet.store.close()
    with pytest.raises(LaterError):
        fleet.sync(environ)
    with pytest.raises(HubError):
        fleet.store.migrate()
    fleet.store.dsn = dsn
    status = membership.read(environ, membership.STATUS) or {}
    assert status["problem"].endswith("the hub's database does not answer")  # and no address of it
    membership.keep(environ, membership.STATUS, {**status, "not_before": 0})
    assert fleet.sync(environ).sent == 1
