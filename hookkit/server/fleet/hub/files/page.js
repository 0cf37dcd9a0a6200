// The page of the hub. Every text from a machine is set as text, never as markup.
const bad = { deny: "bad", ask: "warn", "chain broken": "bad", "hooks silent": "bad", removed: "bad", late: "warn", "clock wrong": "warn", "policy old": "warn" };
const find = (selector) => document.querySelector(selector);

async function get(path, query = {}) {
  const answer = await fetch(`/read/${path}?${new URLSearchParams(query)}`);
  const value = await answer.json();
  if (!answer.ok) throw new Error(value.error);
  return value;
}

function cell(text, kind = "") {
  const made = document.createElement("td");
  made.textContent = text ?? "";
  made.className = kind;
  return made;
}

function fill(table, heads, rows) {
  table.replaceChildren();
  const head = table.createTHead().insertRow();
  for (const name of heads) {
    const made = document.createElement("th");
    made.textContent = name;
    head.append(made);
  }
  const body = table.createTBody();
  for (const { cells, open } of rows) {
    const row = body.insertRow();
    row.append(...cells);
    if (open) {
      row.tabIndex = 0;
      row.onclick = open;
      row.onkeydown = (event) => event.key === "Enter" && open();
    }
  }
}

const when = (ms) => new Date(ms).toLocaleString();

const LASTS = { open: "", approved: "", denied: "bad", silence: "warn" };

function made(name, text, kind = "") {
  const node = document.createElement(name);
  node.textContent = text;
  node.className = kind;
  return node;
}

async function answer(row, state, buttons) {
  for (const button of buttons) button.disabled = true;
  const answered = await fetch(`/answer/${row.id}?state=${state}`, { method: "POST", headers: { "x-hookkit-fleet": "1" } });
  const value = await answered.json();
  await all();
  if (!answered.ok) throw new Error(value.error);
}

function card(row) {
  const node = document.createElement("article");
  node.id = `approval-${row.id}`;
  const where = [row.host, row.team, row.project].filter(Boolean).join(" · ");
  node.append(made("p", row.about), made("pre", row.call), made("small", `${row.person || row.owner || "somebody"} on ${where}, ${when(row.asked)}`));
  if (row.state !== "open") node.append(made("p", row.by ? `${row.state} by ${row.by}, ${when(row.answered)}` : row.state, LASTS[row.state]));
  else if (!row.yours) node.append(made("p", "Another approver has to answer this.", "warn"));
  else {
    const buttons = [made("button", "Approve", "yes"), made("button", "Deny", "no")];
    buttons[0].onclick = () => answer(row, "approved", buttons);
    buttons[1].onclick = () => answer(row, "denied", buttons);
    const line = document.createElement("p");
    line.append(...buttons);
    node.append(line, made("small", `open until ${when(row.expires)}; no answer is a no`));
  }
  return node;
}

let shown = "";
async function approvals() {
  const { approvals: found } = await get("approvals", { all: 1 });
  const open = found.filter((row) => row.state === "open").concat(found.filter((row) => row.state !== "open").slice(0, 10));
  if (shown === JSON.stringify(open)) return; // a button must not move under a finger
  shown = JSON.stringify(open);
  find("#approvals").hidden = !open.length;
  find("#approvals div").replaceChildren(...open.map(card));
  if (location.hash.startsWith("#approval-")) document.getElementById(location.hash.slice(1))?.scrollIntoView();
}

async function sessions() {
  const [unattended, tainted] = await Promise.all(["unattended", "tainted"].map((only) => get("sessions", { only, days: 7 })));
  const rows = [...unattended.sessions.map((row) => [row, "no person"]), ...tainted.sessions.map((row) => [row, "read a secret"])];
  find("#sessions").hidden = !rows.length;
  fill(find("#sessions table"), ["since", "session", "person", "project", "machine", "what"], rows.map(([row, what]) => ({
    cells: [cell(when(row.began)), cell(row.session), cell(row.person), cell(row.project), cell(row.machine), cell(what, "warn")],
  })));
}

async function denials() {
  const { rules } = await get("stats", { days: 7 });
  find("#denials").hidden = !rules.length;
  fill(find("#denials table"), ["rule", "verdict", "team", "rows"], rules.map((row) => ({
    cells: [cell(row.rule), cell(row.verdict, bad[row.verdict]), cell(row.team), cell(row.rows)],
  })));
}

async function machines() {
  const { machines: found } = await get("machines");
  const count = {};
  for (const row of found) count[row.state] = (count[row.state] ?? 0) + 1;
  find("#machines .summary").textContent = Object.entries(count).map(([state, number]) => `${number} ${state}`).join(" · ");
  fill(find("#machines table"), ["machine", "host", "owner", "team", "state", "since", "last contact", "policy", "rows"], found.map((row) => ({
    cells: [cell(row.name), cell(row.host), cell(row.owner), cell(row.team), cell(row.state, bad[row.state]), cell(when(row.since)), cell(when(row.seen)), cell(row.policy), cell(row.rows)],
  })));
  const { findings } = await get("findings");
  find("#findings").hidden = !findings.length;
  fill(find("#findings table"), ["when", "machine", "kind", "what"], findings.map((row) => ({
    cells: [cell(when(row.at)), cell(row.machine), cell(row.kind, "bad"), cell(row.what, "about")],
  })));
}

async function rows() {
  const query = Object.fromEntries([...new FormData(find("#rows form"))].filter(([, value]) => value));
  const { rows: found } = await get("rows", { limit: 100, ...query });
  fill(find("#rows table"), ["when", "who", "project", "tool", "verdict", "rule", "approved by", "about"], found.map((row) => ({
    open: () => show(row.id),
    cells: [cell(when(row.body.at)), cell(row.person || row.host || row.machine), cell(row.project), cell(row.body.tool ?? row.body.event),
      cell(row.body.verdict, bad[row.body.verdict]), cell(row.body.rule), cell(row.ended.approved ?? row.body.approved), cell(row.body.input?.command, "about")],
  })));
}

async function show(id) {
  find("#row pre").textContent = JSON.stringify(await get(`row/${id}`), null, 2);
  find("#row").showModal();
}

async function all() {
  try {
    const me = await get("me");
    find("#me").textContent = `${me.person} (${me.role})`;
    await Promise.all([approvals(), machines(), rows(), denials(), sessions()]);
    find("#problem").hidden = true;
  } catch (error) {
    find("#problem").textContent = error.message;
    find("#problem").hidden = false;
  }
}

find("#rows form").onsubmit = (event) => { event.preventDefault(); all(); };
addEventListener("unhandledrejection", (event) => { find("#problem").textContent = event.reason.message; find("#problem").hidden = false; });
all();
setInterval(all, 15000);
setInterval(() => approvals().catch(() => {}), 3000);
