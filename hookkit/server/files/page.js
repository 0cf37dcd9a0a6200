// The frame: views, keys, and the live feed.
import * as live from "./live.js";
import * as views from "./views.js";

const names = ["live", "numbers", "agents", "waiting", "handlers"];
const tabs = names.map((name) => document.getElementById(`tab-${name}`));
const boxes = names.map((name) => document.getElementById(name));
const draws = {
  numbers: views.numbers,
  agents: (box) => views.fleet(box, (session) => { open(0); live.only(session); }),
  waiting: views.waiting,
  handlers: views.handlers,
};
let current = 0;

async function draw() {
  const name = names[current];
  if (!draws[name]) return;
  try {
    await draws[name](boxes[current]);
  } catch (error) {
    boxes[current].textContent = error.message;
  }
}

function open(at, isFocused = false) {
  current = at;
  tabs.forEach((tab, each) => {
    tab.setAttribute("aria-selected", String(each === at));
    tab.tabIndex = each === at ? 0 : -1;
    boxes[each].hidden = each !== at;
  });
  if (isFocused) tabs[at].focus();
  history.replaceState(null, "", `#${names[at]}`);
  draw();
}

tabs.forEach((tab, at) => {
  tab.addEventListener("click", () => open(at));
  tab.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step) open((at + step + tabs.length) % tabs.length, true);
  });
});

addEventListener("keydown", (event) => {
  const isTyping = event.target.matches("input, select, textarea");
  if (event.key === "Escape" && isTyping) return document.getElementById("list").focus();
  if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return undefined;
  if (event.key === "/") {
    event.preventDefault();
    open(0);
    return document.getElementById("text").focus();
  }
  const at = Number(event.key) - 1;
  if (names[at]) return open(at);
  return current === 0 && !event.target.matches("button") ? live.key(event) : undefined;
});

function connection(state, text) {
  document.getElementById("connection").className = state;
  document.getElementById("connection-text").textContent = text;
}

// A browser opens six connections to a server: a page that nobody sees gives its feed back.
function listen(after) {
  let feed = null;
  let last = after;
  const follow = () => {
    if (document.hidden) {
      feed?.close();
      feed = null;
      return;
    }
    if (feed) return;
    const own = feed = new EventSource(`data/feed?after=${last}`);
    own.addEventListener("open", () => connection("on", "live"));
    own.addEventListener("error", () => connection("off", own.readyState === EventSource.CLOSED ? "the server has ended" : "reconnecting"));
    own.addEventListener("message", (event) => {
      last = event.lastEventId || last;
      live.add(JSON.parse(event.data));
    });
  };
  document.addEventListener("visibilitychange", follow);
  follow();
}

live.begin();
open(Math.max(0, names.indexOf(location.hash.slice(1))));
live.reload().then(listen, (error) => connection("off", error.message));
views.waiting(boxes[3]).catch(() => undefined);
setInterval(() => { if (current && !document.hidden && !boxes[current].contains(document.activeElement)) draw(); }, 5000);
document.documentElement.dataset.ready = "yes";
