// One call: its fields, the hooks that fired at each of its events, and the tree of `hookkit why`.
import { clock, load, make, pill, table } from "./dom.js";

export async function show(box, item, close) {
  box.hidden = false;
  const found = await load(`call/${item.id}`);
  if (found === null) {
    box.replaceChildren(make("p", { kind: "empty", text: "This row is no longer in the ledger." }));
    return;
  }
  const body = found.body;
  const why = make("div", { id: "why" }, make("p", { kind: "note", text: "…" }));
  const isCall = Boolean(body.tool && body.input);
  const parts = [
    make("h2", {}, document.createTextNode(body.tool || body.event || ""), found.verdict ? pill(found.verdict) : null,
      make("button", { kind: "close", text: "×", "aria-label": "Close", on: { click: close } })),
    found.subject ? make("pre", { text: body.input?.command || found.subject }) : null,
    facts(found),
    make("h3", { text: "Which hooks fired" }),
    hooks(found.events),
    isCall ? make("h3", { text: "Why, by today's rules" }) : null,
    isCall ? why : null,
    make("h3", { text: "The whole row" }),
    make("pre", { text: JSON.stringify(body, null, 2) }),
  ];
  box.replaceChildren(...parts.filter((part) => part !== null));
  box.querySelectorAll(":scope > *").forEach((child) => child ?? child.remove());
  box.scrollTop = 0;
  if (isCall) explain(why, item.id);
}

function facts(found) {
  const body = found.body;
  const pairs = [
    ["reason", body.reason], ["rule", body.rule], ["outcome", found.state], ["when", clock(body.at)],
    ["session", body.session], ["actor", body.actor], ["directory", body.cwd], ["error", body.error],
  ].filter(([, value]) => value);
  return make("dl", {}, ...pairs.flatMap(([name, value]) => [make("dt", { text: name }), make("dd", { text: value })]));
}

function hooks(events) {
  const lines = events.flatMap((event) => {
    const ran = Object.entries(event.took);
    const own = ran.map(([hook, ms]) => [
      event.event, hook, event.failed.includes(hook) ? pill("failed") : event.by === hook && event.verdict ? pill(event.verdict) : "", `${Number(ms).toFixed(2)} ms`,
    ]);
    const handled = event.handled.filter((one) => one && typeof one === "object").map((one) => [event.event, `your handler ${one.name || ""}`, handlerSaid(one), one.ms === undefined ? "" : `${one.ms} ms`]);
    return own.length || handled.length ? [...own, ...handled] : [[event.event, "no hook", "", ""]];
  });
  return table([["event"], ["hook", "mono"], ["said"], ["time", "number"]], lines);
}

function handlerSaid(run) {
  const said = [run.outcome, run.problem].filter(Boolean).join(": ");
  return run.trace ? make("details", {}, make("summary", { text: said }), make("pre", { text: run.trace })) : said;
}

async function explain(box, id) {
  try {
    const found = await load(`why/${id}`);
    if (!box.isConnected) return;
    if (found === null) box.replaceChildren(make("p", { kind: "note", text: "There is nothing to explain." }));
    else box.replaceChildren(make("ul", { kind: "tree" }, ...found.calls.map((call) => branch(call, found))));
  } catch (error) {
    box.replaceChildren(make("p", { kind: "note", text: error.message }));
  }
}

function branch(call, found) {
  const title = make("li", {}, pill(call.verdict || "lets it pass", call.verdict || "none"), document.createTextNode(" "), make("span", { kind: "note", text: call.reason || found.reason || "No rule decides: the client follows its own rules." }));
  for (const doubt of call.doubts || []) title.append(make("p", { kind: "note", text: `cannot tell: ${doubt}` }));
  title.append(...(call.rules || []).map(rule), make("ul", {}, ...(call.commands || []).map(node)));
  return title;
}

function node(command) {
  const line = make("li", {}, make("code", { text: command.command }));
  for (const file of command.files || []) line.append(make("div", { kind: "note", text: `${file.effect} ${file.path}` }));
  if (command.doubt) line.append(make("div", { kind: "note", text: `cannot tell: ${command.doubt}` }));
  line.append(...(command.rules || []).map(rule));
  if (command.commands?.length) line.append(make("ul", {}, ...command.commands.map(node)));
  return line;
}

function rule(said) {
  const kind = /^[a-z]+$/.test(said.how) ? said.how : "";
  return make("div", { kind: `rule ${kind}` }, make("span", { text: said.how }), pill(said.type), make("code", { text: said.match || "*" }),
    make("span", { kind: "note", text: [said.layer, said.note].filter(Boolean).join(": ") }));
}
