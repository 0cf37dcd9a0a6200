// hookkit for Amp. `hookkit init --agent amp` writes this file and fills in the next two lines.
const COMMAND = ["hookkit", "run", "--agent", "amp"]
const FAIL_CLOSED = false
// @i-know-the-amp-plugin-api-is-wip-and-very-experimental-right-now

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

export default function (amp: any) {
  let told = false

  async function send(type: string, event: any, ctx: any, more: any = {}) {
    const session = event?.thread?.id ?? ctx?.thread?.id ?? `amp-${process.pid}`
    const directory = process.cwd()
    const reply = await ask({ extension: "amp", type, session, directory, ...more }, directory)
    if (reply) return reply
    if (!told) await ctx?.ui?.notify?.(`hookkit did not answer (${COMMAND[0]}): calls are ${FAIL_CLOSED ? "denied" : "not checked"}. Run: hookkit doctor`)
    told = true
    return FAIL_CLOSED && type === "tool.call" ? { deny: "hookkit did not answer, and the settings deny unchecked calls." } : {}
  }

  amp.on("session.start", async (event: any, ctx: any) => void (await send("session.start", event, ctx)))
  amp.on("agent.start", async (event: any, ctx: any) => void (await send("agent.start", event, ctx, { prompt: event.message })))
  amp.on("agent.end", async (event: any, ctx: any) => void (await send("agent.end", event, ctx)))
  amp.on("tool.call", async (event: any, ctx: any) => {
    const reply = await send("tool.call", event, ctx, { tool: event.tool, id: event.toolUseID, input: event.input })
    return reply.deny === undefined ? { action: "allow" } : { action: "reject-and-continue", message: reply.deny }
  })
  amp.on("tool.result", async (event: any, ctx: any) => {
    const call = { tool: event.tool, id: event.toolUseID, input: event.input, output: event.output }
    await send("tool.result", event, ctx, call)
  })
}
