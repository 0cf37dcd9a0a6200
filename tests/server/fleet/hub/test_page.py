"""The hub's page in a real browser, as wide as a phone."""

import json
import shutil
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from hookkit.pipeline import Invocation
from hookkit.server.fleet.hub import people
from tests.ledger.making import request, write
from tests.server.fleet.hub.conftest import Fleet

webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed: pip install selenium")
CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
pytestmark = pytest.mark.skipif(not CHROMIUM or not DRIVER, reason="no Chromium here: run scripts/install-browser")
MARKUP = "echo '<img src=x onerror=document.title=1>'"


@pytest.fixture
def driver() -> Iterator[Any]:
    options = webdriver.ChromeOptions()
    options.binary_location = str(CHROMIUM)
    for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(word)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    made = webdriver.Chrome(options=options, service=webdriver.ChromeService(str(DRIVER)))
    screen = {"width": 390, "height": 800, "deviceScaleFactor": 1, "mobile": True}
    made.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
    yield made
    made.quit()


def until(driver: Any, script: str) -> None:
    end = time.monotonic() + 30
    while not driver.execute_script(script):
        assert time.monotonic() < end, driver.execute_script("return document.body.innerText")[:500]
        time.sleep(0.05)


def sign_in(fleet: Fleet, driver: Any, person: str, role: str) -> None:
    code = people.invite(fleet.store, team_name="web", person=person, role=role)
    assert httpx.get(f"{fleet.url}/in", params={"code": code}).status_code == 200  # a chat looks at the link first
    driver.get(f"{fleet.url}/in?code={code}")
    driver.execute_script("document.querySelector('form button').click()")
    until(driver, "return location.pathname === '/'")


def test_a_person_signs_in_by_a_link_and_sees_calls_and_machines(fleet: Fleet, driver: Any) -> None:
    environ = fleet.machine(host="laptop-7")
    write(environ, request(1, verdict="deny", rule="no deploys"), request(2, input={"command": MARKUP}))
    fleet.sync(environ)
    sign_in(fleet, driver, "sec@x", "security")
    until(driver, "return document.querySelectorAll('#rows tbody tr').length === 2")
    text = driver.execute_script("return document.body.innerText")
    assert all(word in text for word in ("sec@x (security)", "laptop-7", "1 fine", "no deploys", MARKUP))
    assert driver.title == "hookkit fleet"  # what a machine sends is text, never markup
    assert driver.execute_script("return document.documentElement.scrollWidth <= 390")

    until(driver, "return document.querySelectorAll('#denials tbody tr').length === 1")
    driver.execute_script("document.querySelector('[name=verdict]').value = 'deny'")
    driver.execute_script("document.querySelector('#rows button').click()")
    until(driver, "return document.querySelectorAll('#rows tbody tr').length === 1")
    driver.execute_script("document.querySelector('#rows tbody tr').click()")
    until(
        driver,
        "return document.querySelector('#row').open && /\"hash\"/.test(document.querySelector('#row pre').textContent)",
    )
    assert [entry for entry in driver.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")] == []


RULE = """
[policy]
unattended = true
[[rules]]
type = "approval_gate"
match = "Bash(kubectl *)"
reason = "The cluster changes"
config = { event = "PreToolUse", remote = true, wait = 24 }
"""


def call(environ: dict[str, str], command: str, replies: list[str]) -> None:
    event = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": command}, "cwd": "/",
             "session_id": "s1"}  # fmt: skip
    replies.append(Invocation("gate", [], environ).answer(json.dumps(event).encode()))


def test_a_call_is_held_and_approved_from_a_phone(fleet: Fleet, driver: Any, tmp_path: Path) -> None:
    environ = fleet.machine(owner="dev@x", host="laptop-7")
    config = Path(environ["HOME"]) / ".config" / "hookkit" / "hookkit.toml"
    config.parent.mkdir(parents=True)
    config.write_text(RULE)
    sign_in(fleet, driver, "boss@x", "approver")
    for button, is_yes in (("yes", True), ("no", False)):
        replies: list[str] = []
        command = f"kubectl apply -f {button}.yaml {MARKUP}"
        waiting = threading.Thread(target=call, args=(environ, command, replies))
        waiting.start()
        until(driver, f"return !!document.querySelector('article button.{button}')")
        text = driver.execute_script("return document.querySelector('#approvals').innerText")
        assert all(word in text for word in ("The cluster changes", command, "dev@x", "laptop-7"))
        assert driver.execute_script("return document.documentElement.scrollWidth <= 390")
        sizes = "return [...document.querySelectorAll('article button')].map((node) => node.offsetHeight)"
        assert min(driver.execute_script(sizes)) >= 44  # for a finger
        driver.save_screenshot(str(tmp_path / f"{button}.png"))
        driver.execute_script(f"document.querySelector('article button.{button}').click()")
        waiting.join()
        assert (replies == [""]) is is_yes, replies
        until(driver, "return !document.querySelector('article button')")
    assert "denied by boss@x" in driver.execute_script("return document.querySelector('#approvals').innerText")


def test_without_an_invitation_the_page_says_so(fleet: Fleet, driver: Any) -> None:
    driver.get(f"{fleet.url}/")
    until(driver, "return !document.querySelector('#problem').hidden")
    assert "ask an admin" in driver.execute_script("return document.querySelector('#problem').textContent")
