// The list of calls: only the visible rows are elements, so a hundred thousand cost what thirty do.
import { clock, load, make, pill } from "./dom.js";
import { show } from "./call.js";

const HEIGHT = 40;
const MOST = 120000; // rows in memory
const list = document.getElementById("list");
const rows = document.getElementById("rows");
const detail = document.getElementById("detail");
const filters = document.getElementById("filters");

let items = [];
let chosen = -1;
let isMore = false;
let isLoading = false;
let total = 0;
let asked = 0;
const shown = new Map();

const query = () => new URLSearchParams([...new FormData(filters)].filter(([, value]) => value));
const isUsual = (wanted = [...query()]) => wanted.length === 1 && wanted[0].join() === "event,calls";
const isFiltered = () => [...query()].length > 0 && !isUsual();

export async function reload() {
  const turn = ++asked;
  isLoading = true;
  try {
    const found = await load(`rows?${query()}`);
    if (turn !== asked) return 0;
    items = found.rows;
    isMore = found.more;
    total = found.total;
    chosen = -1;
    list.scrollTop = 0;
    draw(true);
    return found.last;
  } finally {
    if (turn === asked) isLoading = false;
  }
}

async function more() {
  if (!isMore || isLoading || !items.length || items.length >= MOST) return;
  const turn = asked;
  isLoading = true;
  try {
    const wanted = query();
    wanted.set("before", items[items.length - 1].id);
    const found = await load(`rows?${wanted}`);
    if (turn !== asked) return;
    items.push(...found.rows);
    isMore = found.more;
    draw();
  } finally {
    isLoading = false;
  }
}

// A new outcome changes the row of its call; everything else comes on top.
export function add(news) {
  const known = new Map(items.slice(0, 2000).map((item, at) => [item.id, at]));
  const fresh = [];
  for (const item of news) {
    if (known.has(item.id)) items[known.get(item.id)] = item;
    else fresh.push(item);
  }
  total += news.length;
  if (isFiltered()) {
    if (fresh.length && list.scrollTop < HEIGHT && chosen < 0) reload();
    foot();
    return;
  }
  const wanted = isUsual() ? fresh.filter((item) => item.event?.includes("ToolUse")) : fresh;
  const unique = [...new Map(wanted.map((item) => [item.id, item])).values()].reverse();
  const height = unique.length * HEIGHT;
  const top = list.scrollTop;
  items = [...unique, ...items].slice(0, MOST);
  if (chosen >= 0) chosen += unique.length;
  draw(true);
  for (const item of unique) shown.get(items.indexOf(item))?.classList.add("fresh");
  if (top > HEIGHT) list.scrollTop = top + height; // a person who reads further down is not moved
}

function draw(anew = false) {
  rows.style.height = `${items.length * HEIGHT}px`;
  if (anew) {
    for (const element of shown.values()) element.remove();
    shown.clear();
  }
  const first = Math.max(0, Math.floor(list.scrollTop / HEIGHT) - 8);
  const last = Math.min(items.length, Math.ceil((list.scrollTop + list.clientHeight) / HEIGHT) + 8);
  for (const [at, element] of shown) {
    if (at < first || at >= last) {
      element.remove();
      shown.delete(at);
    }
  }
  for (let at = first; at < last; at++) if (!shown.has(at)) place(at);
  if (last > items.length - 60) more();
  foot();
}

function place(at) {
  const item = items[at];
  const word = item.state === "failed" ? item.state : item.verdict || item.state || "";
  const what = item.tool || item.event || "";
  const failures = item.failures?.length ? `✗ ${item.failures.join(", ")} failed · ` : "";
  const element = make(
    "div",
    { kind: "row", role: "option", id: `row-${at}`, "aria-selected": at === chosen, "aria-posinset": at + 1, on: { click: () => choose(at, true) } },
    make("span", { kind: "time", text: clock(item.at) }),
    make("span", {}, word ? pill(word, word === "done" ? "done-call" : word) : null),
    make("span", { kind: "what", text: what, title: item.event }),
    make("span", { kind: "subject", text: failures + (item.subject || (item.tool ? "" : item.event) || "").split("\n")[0], title: item.subject }),
    make("span", { kind: "ms", text: item.ms === null || item.ms === undefined ? "" : `${item.ms < 10 ? item.ms.toFixed(1) : Math.round(item.ms)} ms` }),
    make("span", { kind: "who", text: (item.session || "").slice(0, 8), title: item.session }),
  );
  element.style.top = `${at * HEIGHT}px`;
  rows.append(element);
  shown.set(at, element);
}

function foot() {
  const count = `${items.length.toLocaleString()}${isMore ? "+" : ""}`;
  const all = `${total.toLocaleString()} rows`;
  const word = isFiltered() ? `${count} match of ${all}` : isUsual() ? `${count} calls of ${all}` : all;
  document.getElementById("total").textContent = word;
  let note = rows.querySelector(".empty");
  if (!items.length && !note) rows.append(make("p", { kind: "empty", text: query().get("event") === "did" ? "hookkit has let every call pass." : isFiltered() ? "Nothing matches." : "No calls yet. They appear here as agents work." }));
  else if (items.length && note) note.remove();
}

async function choose(at, isOpened) {
  if (at < 0 || at >= items.length) return;
  shown.get(chosen)?.setAttribute("aria-selected", "false");
  chosen = at;
  const top = at * HEIGHT;
  if (top < list.scrollTop) list.scrollTop = top;
  else if (top + HEIGHT > list.scrollTop + list.clientHeight) list.scrollTop = top + HEIGHT - list.clientHeight;
  draw();
  shown.get(at)?.setAttribute("aria-selected", "true");
  list.setAttribute("aria-activedescendant", `row-${at}`);
  if (isOpened || !detail.hidden) await show(detail, items[at], close);
}

function close() {
  detail.hidden = true;
  list.focus();
}

export function key(event) {
  const moves = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1, PageDown: 15, PageUp: -15, Home: -Infinity, End: Infinity };
  if (event.key in moves) {
    choose(Math.min(items.length - 1, Math.max(0, chosen + moves[event.key])), false);
  } else if (event.key === "Enter" && chosen >= 0) choose(chosen, true);
  else if (event.key === "Escape" && !detail.hidden) close();
  else return;
  event.preventDefault();
}

export function begin() {
  let timer = 0;
  const soon = () => {
    clearTimeout(timer);
    timer = setTimeout(reload, 180);
  };
  filters.addEventListener("input", soon);
  filters.addEventListener("reset", () => setTimeout(reload, 0));
  filters.addEventListener("submit", (event) => event.preventDefault());
  list.addEventListener("scroll", () => requestAnimationFrame(() => draw()), { passive: true });
  addEventListener("resize", () => draw());
}

export function only(session) {
  filters.reset();
  document.getElementById("session").value = session;
  reload();
}
