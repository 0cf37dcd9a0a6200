// hookkit for Pi. `hookkit init --agent pi` writes this file and fills in the next two lines.
const COMMAND = ["hookkit", "run", "--agent", "pi"]
const FAIL_CLOSED = false

import { spawn } from "node:child_process"

const TIME_LIMIT = 60_000 // milliseconds
const LONGEST = 1_000_000 // characters of a reply

// One event to hookkit, as JSON on stdin. Resolves to the reply, {} for no opinion, or null if hookkit did not answer.
function ask(event: any, directory: string): Promise<any> {
  return new Promise((resolve) => {
    let text = ""
    let child: any
    try {
      child = spawn(COMMAND[0], COMMAND.slice(1), { cwd: directory, stdio: ["pipe", "pipe", "ignore"], timeout: TIME_LIMIT })
    } catch {
      return resolve(null)
    }
    child.on("error", () => resolve(null))
    child.stdin.on("error", () => {}) // hookkit may answer before it has read everything
    child.stdout.on("data", (part: any) => {
      if (text.length < LONGEST) text += part
    })
    child.on("close", (code: number) => {
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

export default function (pi: any) {
  const waiting = new Map<string, string>() // call, or PROMPT -> text for the model that has had no place yet
  const PROMPT = ""
  let told = false

  function tell(ctx: any, message: string) {
    if (ctx?.hasUI) ctx.ui.notify(message, "warning")
    else console.error(message)
  }

  async function send(type: string, ctx: any, more: any = {}) {
    const session = ctx?.sessionManager?.getSessionId?.() ?? `pi-${process.pid}`
    const directory = ctx?.cwd ?? process.cwd()
    const reply = await ask({ extension: "pi", type, session, directory, ...more }, directory)
    if (reply) return reply
    if (!told) tell(ctx, `hookkit did not answer (${COMMAND[0]}): calls are ${FAIL_CLOSED ? "denied" : "not checked"}. Run: hookkit doctor`)
    told = true
    return FAIL_CLOSED && type === "tool_call" ? { deny: "hookkit did not answer, and the settings deny unchecked calls." } : {}
  }

  function keep(key: string, text: string | undefined) {
    if (text) waiting.set(key, [waiting.get(key), text].filter(Boolean).join("\n\n"))
  }

  function take(key: string) {
    const text = waiting.get(key) ?? ""
    waiting.delete(key)
    return text
  }

  pi.on("session_start", async (_: any, ctx: any) => keep(PROMPT, (await send("session_start", ctx)).context))
  pi.on("session_shutdown", async (event: any, ctx: any) => void (await send("session_shutdown", ctx, { reason: event.reason })))
  pi.on("session_compact", async (_: any, ctx: any) => void (await send("session_compact", ctx)))
  pi.on("agent_end", async (_: any, ctx: any) => void (await send("agent_end", ctx)))
  pi.on("input", async (event: any, ctx: any) => {
    const reply = await send("input", ctx, { prompt: event.text })
    if (reply.deny !== undefined) {
      tell(ctx, reply.deny)
      return { action: "handled" }
    }
    keep(PROMPT, reply.context)
  })
  pi.on("before_agent_start", async () => {
    const content = take(PROMPT)
    if (content) return { message: { customType: "hookkit", content, display: false } }
  })
  pi.on("tool_call", async (event: any, ctx: any) => {
    const reply = await send("tool_call", ctx, { tool: event.toolName, id: event.toolCallId, input: event.input })
    if (reply.deny !== undefined) return { block: true, reason: reply.deny }
    if (reply.args) {
      for (const name of Object.keys(event.input)) if (!(name in reply.args)) delete event.input[name]
      Object.assign(event.input, reply.args)
    }
    keep(event.toolCallId, reply.context)
  })
  pi.on("tool_result", async (event: any, ctx: any) => {
    const texts = (event.content ?? []).filter((part: any) => part.type === "text").map((part: any) => part.text)
    const call = { tool: event.toolName, id: event.toolCallId, input: event.input, output: texts.join("\n"), isError: event.isError }
    const reply = await send("tool_result", ctx, call)
    const added = [take(event.toolCallId), reply.context].filter(Boolean).join("\n\n")
    const replaced = reply.deny ?? reply.output
    if (replaced === undefined && !added) return
    const content = replaced === undefined ? [...(event.content ?? [])] : [{ type: "text", text: replaced }]
    if (added) content.push({ type: "text", text: added })
    return { content }
  })
}
