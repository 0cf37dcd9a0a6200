// Numbers, agents, approvals and handlers: drawn anew each time they are opened, and every few seconds while open.
import { ago, load, make, pill, svg, table } from "./dom.js";

let hours = 24;

function titled(name, lead) {
  return [make("h2", { kind: "view", text: name }), make("p", { kind: "lead", text: lead })];
}

const panel = (name, ...children) => make("div", { kind: "panel" }, make("h3", { text: name }), ...children);
const none = (text) => make("p", { kind: "empty", text });

export async function numbers(box) {
  const found = await load(`numbers?hours=${hours}`);
  const choice = make("div", { kind: "choice", role: "group", "aria-label": "Time" },
    ...[[1, "1 hour"], [24, "1 day"], [168, "1 week"], [720, "30 days"]].map(([value, name]) =>
      make("button", { text: name, "aria-pressed": value === hours, on: { click: () => { hours = value; numbers(box); } } })));
  const times = found.hooks.map((row) => [row.hook, row.runs.toLocaleString(), ...[row.p50, row.p95, row.p99, row.most].map((ms) => `${ms.toFixed(2)}`)]);
  const rules = found.rules.map((row) => [row.rule || "a gate or a handler", pill(row.verdict), row.count.toLocaleString()]);
  box.replaceChildren(
    ...titled("Numbers", "How often hookkit said no or asked, and how long each hook takes."),
    choice,
    panel("Denials, questions and prompts", chart(found), legend()),
    make("div", { kind: "grid" },
      panel("Time of each hook, in ms", times.length ? table([["hook", "mono"], ["runs", "number"], ["p50", "number"], ["p95", "number"], ["p99", "number"], ["most", "number"]], times) : none("No hook ran in this time.")),
      panel("Rules that spoke", rules.length ? table([["rule", "mono"], ["verdict"], ["times", "number"]], rules) : none("No rule spoke in this time."))),
  );
}

function legend() {
  const entry = (kind, name) => make("span", {}, make("i", { kind }), document.createTextNode(name));
  return make("div", { kind: "legend" }, entry("deny", "denied"), entry("ask", "asked"), entry("prompt", "prompts"));
}

function chart(found) {
  const [width, height, foot] = [960, 150, 20];
  const most = Math.max(1, ...found.bars.map((bar) => Math.max(bar.deny + bar.ask, bar.prompt)));
  const step = width / found.bars.length;
  const drawn = found.bars.flatMap((bar, at) => {
    const tall = (count) => (count / most) * (height - 10);
    const part = (kind, count, from) => svg("rect", { class: kind, x: at * step + 2, y: height - tall(from) - tall(count), width: step - 4, height: tall(count), rx: 2 });
    const title = svg("title");
    title.textContent = `${new Date(bar.at).toLocaleString()}: ${bar.deny} denied, ${bar.ask} asked, ${bar.prompt} prompts`;
    return [svg("g", {}, title, part("ask", bar.ask, 0), part("deny", bar.deny, bar.ask))];
  });
  const points = found.bars.map((bar, at) => `${(at + 0.5) * step},${height - (bar.prompt / most) * (height - 10)}`);
  const prompts = svg("polyline", { class: "prompt", points: points.join(" ") });
  const label = (x, at, anchor) => {
    const text = svg("text", { x, y: height + 15, "text-anchor": anchor });
    text.textContent = new Date(at).toLocaleString([], found.hours > 48 ? { month: "short", day: "numeric" } : { hour: "2-digit", minute: "2-digit", hour12: false });
    return text;
  };
  const top = svg("text", { x: 2, y: 11 });
  top.textContent = most;
  return svg("svg", { class: "chart", viewBox: `0 0 ${width} ${height + foot}`, preserveAspectRatio: "none", role: "img", "aria-label": "Denials, questions and prompts over time" },
    svg("line", { x1: 0, x2: width, y1: height, y2: height }), ...drawn, prompts, top, label(2, found.bars[0].at, "start"), label(width / 2, found.bars[found.bars.length / 2].at, "middle"), label(width - 2, Date.now(), "end"));
}

export async function fleet(box, openSession) {
  const found = await load("fleet");
  const cards = found.agents.map((agent) => make("div", { kind: "card" },
    make("p", {}, pill(agent.status), document.createTextNode(" "), make("strong", { text: agent.id })),
    make("p", { kind: "note", text: agent.project }),
    agent.note ? make("p", { text: agent.note }) : null,
    make("p", { kind: "note", text: [`since ${ago(agent.since)}`, `${agent.heartbeat} calls`, agent.usage ? `${Math.round(agent.usage * 100)} % of the context` : "", agent.skill ? `${agent.skill} ${agent.phase}` : ""].filter(Boolean).join(" · ") })));
  const sessions = found.sessions.map((row) => [
    make("button", { kind: "link", text: row.client.slice(0, 12), title: row.client, on: { click: () => openSession(row.client) } }),
    row.agent || "", pill(row.status), ago(row.started), row.ended ? `${ago(row.ended)} ago` : "open", row.project]);
  const efforts = found.efforts.map((row) => [String(row.id), row.skill, row.phase || "", row.agent || "", row.lifecycle, ago(row.created), row.dir || ""]);
  box.replaceChildren(
    ...titled("Agents", "Those that need you come first: error, attention, working, checked, done."),
    cards.length ? make("div", { kind: "cards" }, ...cards) : none("No agents at work. To follow them: hookkit set sessions.parts +status"),
    make("h3", { text: "Efforts" }),
    efforts.length ? table([["id", "number"], ["skill"], ["phase"], ["agent"], ["state"], ["age", "number"], ["task", "mono"]], efforts) : none("No efforts."),
    make("h3", { text: "Sessions" }),
    sessions.length ? table([["session", "mono"], ["agent"], ["status"], ["age", "number"], ["ended"], ["project", "mono"]], sessions) : none("No sessions. To keep them: hookkit set sessions.parts +track"),
  );
}

export async function waiting(box) {
  const found = await load("waiting");
  const count = document.getElementById("waiting-count");
  count.hidden = !found.approvals.length;
  count.textContent = found.approvals.length;
  const cards = found.approvals.map((each) => {
    const said = make("p", { kind: "note", role: "status" });
    const settle = async (verdict) => {
      const answer = await fetch(`data/settle/${encodeURIComponent(each.id)}`, { method: "POST", body: JSON.stringify({ [verdict]: each.digest }) });
      if (answer.ok) waiting(box);
      else said.textContent = "Not settled: another person has to give this approval, or it is no longer open.";
    };
    return make("div", { kind: "card" },
      make("p", {}, make("strong", { text: each.about })),
      ...(each.call ? [make("pre", { kind: "mono", text: each.call })] : []),
      make("p", { kind: "note", text: each.project }),
      make("p", { kind: "note", text: `${each.id} · waits since ${each.opened} · for ${each.approvers.join(", ") || "anybody"}` }),
      make("div", { kind: "actions" }, make("button", { kind: "main", text: "Approve", on: { click: () => settle("approve") } }), make("button", { text: "Deny", on: { click: () => settle("deny") } })),
      said);
  });
  box.replaceChildren(...titled("Waiting for approval", "A gate holds these until a person decides."), cards.length ? make("div", { kind: "cards" }, ...cards) : none("Nothing waits for you."));
}

export async function handlers(box) {
  const [found, status] = await Promise.all([load("handlers"), load("status")]);
  const lines = found.resting.map((row) => [row.handler, String(row.failures), `${Math.ceil(row.seconds / 60)} min`]);
  box.replaceChildren(
    ...titled("Handlers", "A handler of yours that fails three times in a row rests for five minutes."),
    panel("At rest", lines.length ? table([["handler", "mono"], ["failures in a row", "number"], ["rests for", "number"]], lines) : none("Every handler is ready.")),
    panel("Latest runs", found.runs.length ? table([["handler", "mono"], ["kind"], ["runs", "number"], ["failures", "number"], ["last", "number"], ["outcome"]],
      found.runs.map((row) => [row.handler, row.kind || "", String(row.runs), String(row.failures), ago(row.at), row.problem ? `${row.outcome}: ${row.problem}` : row.outcome])) : none("No handler has run yet. hookkit hook list shows your handlers.")),
    panel("This server", table([["version"], ["process", "number"], ["up for", "number"], ["answered", "number"], ["at work", "number"]],
      [[status.version, String(status.pid), ago(status.since), status.answered.toLocaleString(), String(status.busy)]])),
  );
}
