/** Sessions are begun, ended, summarised and shown under the name that `session start` printed. */

import type { CommandContext } from '../command.js'
import { readText } from '../files.js'
import type { CommandSteps, Show } from '../operation-command.js'
import { renderSession, renderSessionHead, renderSessions } from '../render/sessions.js'
import { shortIds } from '../resolve-ids.js'

export const showStarted: Show<'session.start'> = ({ id }, { cli }) => ({
  // On a pipe the id is all there is: S=$(cairn session start)
  text: (style) =>
    cli.isTerminal ? `${id}\n${style.dim(`cairn session end ${id} ends it`)}\n` : `${id}\n`,
})

/** A summary that was written by hand, or on standard input where `-` asks for it. */
export const SUMMARY: CommandSteps<'session.end' | 'session.summarise'> = {
  prepare: async (input, context) => ({ ...input, ...(await summaryOf(input, context)) }),
  show: (session) => ({ text: (style) => renderSessionHead(session, style) }),
}

/** A pipe that happens to be open is no summary. */
async function summaryOf(
  { summary }: { readonly summary?: string | undefined },
  context: CommandContext,
) {
  const given = summary === undefined ? null : await readText(context, summary)
  return given === null ? {} : { summary: given.text }
}

export const showSessions: Show<'session.list'> = (answer) => ({
  text: (style) => renderSessions(answer, style),
})

export const showSession: Show<'session.show'> = async (session, { cairn }) => {
  const { created, recalled, updated, reinforced } = session
  const short = await shortIds(
    cairn,
    [...created, ...recalled, ...updated, ...reinforced].map(({ id }) => id),
  )
  return { text: (style) => renderSession(session, short, style) }
}
