/** Promise: sessions are begun, ended, summarised and shown under the name that `session start` printed. */

import type { SessionInput, SessionListInput } from '../../../requests/memory-requests.js'
import type { Context, Outcome } from '../command.js'
import { readText } from '../read-text.js'
import { compact } from '../record-flags.js'
import { renderSession, renderSessionHead, renderSessions } from '../render/sessions.js'
import { shortIds } from '../short-ids.js'
import { wantOne } from '../wanted.js'

export async function runSessionStart(context: Context): Promise<Outcome> {
  const { name, title, namespace } = context.flags
  const cairn = await context.open({ create: true })
  const session = await cairn.sessions.start(
    compact({ id: name, title, namespace }) as SessionInput,
  )
  return {
    json: session,
    // On a pipe the id is all there is: S=$(cairn session start)
    text: (style) =>
      context.world.isTerminal
        ? `${session.id}\n${style.dim(`cairn session end ${session.id} ends it`)}\n`
        : `${session.id}\n`,
  }
}

export async function runSessionEnd(context: Context): Promise<Outcome> {
  const id = wantOne(context, 'session')
  const { summary } = context.flags
  const text = await givenText(context, typeof summary === 'string' ? summary : undefined)
  const cairn = await context.open()
  const session = await cairn.sessions.end(id, text === undefined ? {} : { summary: text })
  return { json: session, text: (style) => renderSessionHead(session, style) }
}

export async function runSessionSummarise(context: Context): Promise<Outcome> {
  const id = wantOne(context, 'session')
  const text = await givenText(context, context.words[1])
  const cairn = await context.open()
  const session = await cairn.sessions.summarise(id, text)
  return { json: session, text: (style) => renderSessionHead(session, style) }
}

/** A pipe that happens to be open is no summary: standard input is read only when `-` asks for it. */
async function givenText(context: Context, text: string | undefined): Promise<string | undefined> {
  return text === undefined ? undefined : (await readText(context, text))?.text
}

export async function runSessionList(context: Context): Promise<Outcome> {
  const { state, namespace, limit, cursor } = context.flags
  const cairn = await context.open()
  const answer = await cairn.sessions.list(
    compact({ state, namespaces: namespace, limit, cursor }) as SessionListInput,
  )
  return { json: answer, text: (style) => renderSessions(answer, style) }
}

export async function runSessionShow(context: Context): Promise<Outcome> {
  const id = wantOne(context, 'session')
  const cairn = await context.open()
  const session = await cairn.sessions.show(id)
  const { created, recalled, updated, reinforced } = session
  const records = [...created, ...recalled, ...updated, ...reinforced]
  const short = await shortIds(
    cairn,
    records.map((record) => record.id),
  )
  return { json: session, text: (style) => renderSession(session, short, style) }
}
