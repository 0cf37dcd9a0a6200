// hookkit for OpenCode. `hookkit init --agent opencode|kilo` writes this file and fills in the next two lines.
const COMMAND = ["hookkit", "run", "--agent", "opencode"]
const FAIL_CLOSED = false

import { spawn } from "node:child_process"

const TIME_LIMIT = 60_000 // milliseconds
const LONGEST = 1_000_000 // characters of a reply
const SESSION_EVENTS = ["session.created", "session.idle", "session.compacted", "session.error", "session.deleted"]

// One event to hookkit, as JSON on stdin. Resolves to the reply, {} for no opinion, or null if hookkit did not answer.
function ask(event, directory) {
  return new Promise((resolve) => {
    let text = ""
    let child
    try {
      child = spawn(COMMAND[0], COMMAND.slice(1), { cwd: directory, stdio: ["pipe", "pipe", "ignore"], timeout: TIME_LIMIT })
    } catch {
      return resolve(null)
    }
    child.on("error", () => resolve(null))
    child.stdin.on("error", () => {}) // hookkit may answer before it has read everything
    child.stdout.on("data", (part) => {
      if (text.length < LONGEST) text += part
    })
    child.on("close", (code) => {
      if (code !== 0) return resolve(null)
      if (!text.trim()) return resolve({})
      try {
        resolve(JSON.parse(text))
      } catch {
        resolve(null)
      }
    })
    child.stdin.end(JSON.stringify(event))
  })
}

export const Hookkit = async ({ client, directory }) => {
  const waiting = new Map() // session or call -> text for the model that has had no place yet
  let told = false

  async function tell(message) {
    if (told) return
    told = true
    try {
      await client.tui.showToast({ body: { message, variant: "warning" } })
    } catch {
      console.error(message) // `opencode run` has no screen of its own
    }
  }

  async function send(hook, input, output, more = {}) {
    const reply = await ask({ hook, input, output, directory, ...more }, directory)
    if (reply) return reply
    await tell(`hookkit did not answer (${COMMAND[0]}): calls are ${FAIL_CLOSED ? "denied" : "not checked"}. Run: hookkit doctor`)
    return FAIL_CLOSED && hook === "tool.execute.before" ? { deny: "hookkit did not answer, and the settings deny unchecked calls." } : {}
  }

  function keep(session, text) {
    if (text) waiting.set(session, [waiting.get(session), text].filter(Boolean).join("\n\n"))
  }

  function take(session) {
    const text = waiting.get(session) ?? ""
    waiting.delete(session)
    return text
  }

  async function goOn(sessionID, text) {
    try {
      await client.session.promptAsync({ path: { id: sessionID }, body: { parts: [{ type: "text", text }] } })
    } catch {
      await tell(`hookkit: ${text}`)
    }
  }

  return {
    async "chat.message"(input, output) {
      const texts = output.parts.filter((part) => part.type === "text" && !part.synthetic).map((part) => part.text)
      const reply = await send("chat.message", input, {}, { prompt: texts.join("\n") })
      if (reply.deny !== undefined) throw new Error(reply.deny)
      const text = [take(input.sessionID), reply.context].filter(Boolean).join("\n\n")
      const last = output.parts.at(-1)
      if (text && last) output.parts.push({ ...last, id: `${last.id}0`, type: "text", text, synthetic: true })
    },
    async "tool.execute.before"(input, output) {
      const reply = await send("tool.execute.before", input, { args: output.args })
      if (reply.deny !== undefined) throw new Error(reply.deny)
      if (reply.args) {
        for (const name of Object.keys(output.args)) if (!(name in reply.args)) delete output.args[name]
        Object.assign(output.args, reply.args)
      }
      keep(input.callID, reply.context)
    },
    async "tool.execute.after"(input, output) {
      const reply = await send("tool.execute.after", input, { output: output.output, metadata: { exit: output.metadata?.exit } })
      if (reply.output !== undefined) output.output = reply.output
      if (reply.deny !== undefined) output.output = reply.deny
      const text = [take(input.callID), reply.context].filter(Boolean).join("\n\n")
      if (text) output.output += `\n\n${text}`
    },
    async event({ event }) {
      if (!SESSION_EVENTS.includes(event.type)) return
      const sessionID = event.properties?.sessionID ?? event.properties?.info?.id
      const reply = await send(event.type, { sessionID }, {})
      if (event.type === "session.idle" && reply.deny !== undefined) return goOn(sessionID, reply.deny)
      if (event.type === "session.created") keep(sessionID, reply.context)
    },
  }
}
