// Elements are made here and nowhere else. Text goes in as text: data from an agent can never become markup.

export function make(tag, options = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "text") element.textContent = String(value);
    else if (name === "on") for (const [event, action] of Object.entries(value)) element.addEventListener(event, action);
    else element.setAttribute(name === "kind" ? "class" : name, String(value));
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

export function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}

export const pill = (word, kind = word) => make("span", { kind: `pill ${/^[a-z-]+$/.test(kind) ? kind : ""}`, text: word });

export function table(heads, rows) {
  const head = make("tr", {}, ...heads.map(([name, kind]) => make("th", { text: name, kind })));
  const lines = rows.map((cells) =>
    make("tr", {}, ...cells.map((cell, at) => {
      const box = make("td", { kind: heads[at][1] });
      box.append(cell instanceof Node ? cell : document.createTextNode(cell ?? ""));
      return box;
    })),
  );
  return make("div", { kind: "scroll" }, make("table", {}, make("thead", {}, head), make("tbody", {}, ...lines)));
}

export async function load(path) {
  const answer = await fetch(`data/${path}`, { headers: { accept: "application/json" } });
  if (answer.status === 404) return null;
  const value = await answer.json();
  if (!answer.ok) throw new Error(value.error || "the server has no answer");
  return value;
}

export function ago(at) {
  const seconds = Math.max(0, Math.round((Date.now() - at) / 1000));
  for (const [size, unit] of [[86400, "d"], [3600, "h"], [60, "m"]]) if (seconds >= size) return `${Math.floor(seconds / size)}${unit}`;
  return `${seconds}s`;
}

export function clock(at) {
  const day = new Date(at);
  if (Number.isNaN(day.getTime())) return "";
  const time = day.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false });
  return day.toDateString() === new Date().toDateString() ? time : `${day.getMonth() + 1}-${day.getDate()} ${time.slice(0, 5)}`;
}
