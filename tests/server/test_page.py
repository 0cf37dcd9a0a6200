"""The page in a real browser, over a ledger of 100,000 rows."""

import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.server import making
from tests.server.conftest import Server

webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed: pip install selenium")
CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
pytestmark = pytest.mark.skipif(not CHROMIUM or not DRIVER, reason="no Chromium here: run scripts/install-browser")
COUNT = 100_000
PROJECT = "/srv/shop"
VIEWS = ("live", "numbers", "agents", "waiting", "handlers")
PICTURES = os.environ.get("HOOKKIT_PICTURES", "")  # a directory that gets pictures of the page


class Browser:
    def __init__(self, server: Server, *, dark: bool = False, width: int = 1280, height: int = 800) -> None:
        options = webdriver.ChromeOptions()
        options.binary_location = str(CHROMIUM)
        for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
                     f"--window-size={width},{height}", *(["--force-dark-mode"] if dark else [])):  # fmt: skip
            options.add_argument(word)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver: Any = webdriver.Chrome(options=options, service=webdriver.ChromeService(str(DRIVER)))
        features = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
        screen = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
        self.address = f"{server.door.address}/{server.door.page}/"

    def open(self, view: str = "live") -> "Browser":
        self.driver.get(f"{self.address}#{view}")
        self.until("return document.documentElement.dataset.ready === 'yes'")
        return self

    def run(self, script: str, *given: Any) -> Any:
        return self.driver.execute_script(script, *given)

    def until(self, script: str, seconds: float = 30) -> None:
        end = time.monotonic() + seconds
        while not self.run(script):
            assert time.monotonic() < end, f"{script}: {self.run('return document.body.innerText')[:500]}"
            time.sleep(0.05)

    def press(self, *keys: str) -> None:
        self.driver.switch_to.active_element.send_keys(*keys)

    def errors(self) -> list[str]:
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]

    def picture(self, name: str) -> None:
        if PICTURES:
            time.sleep(0.5)
            self.driver.save_screenshot(str(Path(PICTURES, f"{name}.png")))


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    home = tmp_path_factory.mktemp("page-home")
    made = Server(home)
    making.many(made.environ, COUNT, PROJECT)
    making.fleet(made.environ, PROJECT)
    made.start()
    yield made
    made.stop()


@pytest.fixture
def browser(full: Server) -> Iterator[Browser]:
    made = Browser(full)
    yield made
    made.driver.quit()


TYPE_FORCE = """const text = document.getElementById('text');
text.value = 'force';
text.dispatchEvent(new Event('input', {bubbles: true}))"""
FORCED = "return document.getElementById('row-1')?.textContent.includes('--force')"
PAINT = "return performance.getEntriesByType('paint').find((e) => e.name === 'first-contentful-paint').startTime"
ASK_ONLY = """const verdict = document.getElementById('verdict');
verdict.value = 'ask';
verdict.dispatchEvent(new Event('input', {bubbles: true}))"""
ONLY_ASKED = """const words = [...document.querySelectorAll('.row .pill')].map((e) => e.textContent);
return words.length > 5 && words.every((word) => word === 'ask')"""
EVERY_EVENT = """const event = document.getElementById('event');
event.value = '';
event.dispatchEvent(new Event('input', {bubbles: true}))"""
WHAT = "return [...document.querySelectorAll('.row .what')].map((e) => e.textContent)"
NOTICE = b'{"hook_event_name":"Notification","session_id":"fresh","message":"Waiting."}'
ONLY_EXAMPLES = """const texts = [...document.querySelectorAll('.subject')].map((e) => e.textContent);
return texts.length > 0 && texts.every((text) => text.includes('example.com'))"""
RAW = (b'{"hook_event_name":"PreToolUse","session_id":"fresh","tool_name":"Bash","tool_use_id":"f1",'
       b'"tool_input":{"command":"rm -rf /"}}')  # fmt: skip
ROWS = "return document.querySelectorAll('.row').length"


def test_every_view_opens_with_a_hundred_thousand_rows(browser: Browser) -> None:
    """Without a console error, and painted within a second."""
    browser.open()
    browser.until(f"{ROWS} > 10")
    assert "100,000 rows" in browser.run("return document.getElementById('total').textContent")
    paint = browser.run(PAINT)
    assert paint < 1000
    for at, view in enumerate(VIEWS, 1):
        browser.run("document.activeElement.blur()")
        browser.press(str(at))
        box = f"document.getElementById('{view}')"
        browser.until(f"return !{box}.hidden && {box}.innerText.length > 40")
        assert browser.run("return document.querySelectorAll('main > section:not([hidden])').length") == 1
    assert browser.errors() == []
    hosts = browser.run("return performance.getEntriesByType('resource').map((e) => new URL(e.name).origin)")
    assert set(hosts) == {browser.run("return location.origin")}


def test_the_list_scrolls_searches_and_filters(browser: Browser) -> None:
    browser.open()
    browser.until(f"{ROWS} > 10")
    for _ in range(5):
        before = browser.run("return document.getElementById('rows').offsetHeight")
        browser.run("const list = document.getElementById('list'); list.scrollTop = list.scrollHeight")
        browser.until(f"return document.getElementById('rows').offsetHeight > {before}")
    assert browser.run(ROWS) < 100  # of a thousand loaded rows, only those on the screen are elements
    browser.run("document.activeElement.blur()")
    browser.press("/")
    browser.press("example.com")
    browser.until(ONLY_EXAMPLES)
    browser.run("document.querySelector('#filters [type=reset]').click()")
    browser.run(ASK_ONLY)
    browser.until(ONLY_ASKED)
    assert browser.errors() == []


def test_a_call_opens_to_its_reasons_by_keyboard(browser: Browser) -> None:
    browser.open()
    browser.run(TYPE_FORCE)
    browser.until(FORCED)
    browser.run("document.getElementById('list').focus()")
    browser.press("j")
    browser.press("\ue007")
    browser.until("return document.querySelector('#why .tree') !== null")
    text = browser.run("return document.getElementById('detail').innerText")
    assert "git push --force origin main" in text
    assert "Which hooks fired" in text
    assert "guard" in text
    assert "decides" in browser.run("return document.getElementById('why').innerText")
    browser.press("\ue00c")
    assert browser.run("return document.getElementById('detail').hidden")
    assert browser.errors() == []


def test_new_calls_appear_by_themselves(browser: Browser, full: Server) -> None:
    browser.open()
    browser.until("return document.getElementById('connection').className === 'on'")
    full.shim("run", stdin=RAW, cwd="/usr")
    browser.until("return document.querySelector('.row .subject').textContent === 'rm -rf /'")
    assert browser.run("return document.querySelector('.row .pill').textContent") == "deny"


def test_other_events_appear_on_request_alone(browser: Browser, full: Server) -> None:
    browser.open()
    browser.until("return document.getElementById('connection').className === 'on'")
    full.shim("run", stdin=NOTICE, cwd="/usr")
    assert full.shim("run", stdin=RAW.replace(b"f1", b"f2").replace(b"rm -rf /", b"rm -rf /etc"), cwd="/usr").stdout
    browser.until("return document.querySelector('.row .subject').textContent === 'rm -rf /etc'")
    browser.run(EVERY_EVENT)
    browser.until(f"{WHAT}.includes('Notification')")
    browser.run("document.querySelector('#filters [type=reset]').click()")
    browser.until(f"{WHAT}.every((word) => word !== 'Notification')")


def test_an_approval_is_given_by_the_button(browser: Browser) -> None:
    browser.open("waiting")
    browser.until("return document.querySelectorAll('#waiting .card').length > 0")
    before = browser.run("return document.querySelectorAll('#waiting .card').length")
    browser.run("document.querySelector('#waiting .main').click()")
    browser.until(f"return document.querySelectorAll('#waiting .card').length === {before - 1}")
    assert browser.errors() == []


def test_agents_stand_in_the_order_of_their_urgency(browser: Browser) -> None:
    browser.open("agents")
    browser.until("return document.querySelectorAll('#agents .card').length === 5")
    words = browser.run("return [...document.querySelectorAll('#agents .card .pill')].map((e) => e.textContent)")
    assert words == ["error", "attention", "working", "checked", "done"]


def test_markup_in_data_stays_text(own_server: Server, tmp_path: Path) -> None:
    making.hostile(own_server.environ, str(tmp_path))
    making.fleet(own_server.environ, str(tmp_path), bad=making.XSS)
    browser = Browser(own_server)
    try:
        for view in VIEWS:
            browser.open(view)
            time.sleep(0.3)
        browser.open("live")
        browser.driver.refresh()
        browser.run(EVERY_EVENT)
        browser.until(f"{ROWS} >= 3")
        for at in range(3):
            browser.run(f"document.getElementById('row-{at}').click()")
            browser.until("return document.getElementById('detail').innerText.includes('onerror')")
            time.sleep(0.2)
        assert browser.run("return window.hacked") is None
        assert browser.run("return document.querySelectorAll('main img, main script').length") == 0
        assert browser.errors() == []
    finally:
        browser.driver.quit()


@pytest.mark.skipif(not PICTURES, reason="pictures are taken on request: HOOKKIT_PICTURES=docs/pictures")
@pytest.mark.parametrize(
    ("name", "dark", "width"), [("light", False, 1280), ("dark", True, 1280), ("phone", False, 390)]
)
def test_pictures(full: Server, name: str, dark: bool, width: int) -> None:  # noqa: FBT001
    browser = Browser(full, dark=dark, width=width, height=800)
    try:
        for view in VIEWS if name != "phone" else ("live", "agents"):
            browser.open(view)
            browser.driver.refresh()
            browser.until(f"return document.getElementById('{view}').innerText.length > 60")
            if view == "live" and name != "phone":
                browser.run(TYPE_FORCE)
                browser.until(FORCED)
                browser.run("document.getElementById('row-1').click()")
                browser.until("return document.querySelector('#why .tree') !== null")
            browser.picture(f"{view}-{name}")
    finally:
        browser.driver.quit()
