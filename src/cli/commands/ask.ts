/** The command ask: prints each sentence of an answer once it was checked, then the passages that it cites. */

import type { AskAnswer, AskPassage, AskProblem, AskSentence } from '../../core/answer.js'
import { performNamed } from '../../operations/operations.js'
import type { CommandActions } from '../operation-command.js'
import { formatDay } from '../render/dates.js'
import { INDENT, wrap } from '../render/layout.js'
import { createStyle, cut, oneLine, type Style } from '../render/style.js'
import { type ShortId, shortIds, withKnownSessions } from '../resolve-ids.js'

const PROBLEMS: Readonly<Record<AskProblem, string>> = {
  no_source: 'no source',
  unknown_source: 'cites a source that was not given',
  not_in_source: 'not in the source that it cites',
}

export const ACTIONS: CommandActions = {
  ask: {
    run: async ({ cli, flags, open }, given) => {
      const cairn = await open()
      const input = await withKnownSessions(given, cairn)
      const style = createStyle(cli)
      const isStream = flags.json !== true && given.dryRun !== true
      const answer = await performNamed('ask', cairn, input, {
        signal: cli.stopSignal(),
        onEvent: (event) => {
          if (!isStream) return
          if (event.kind === 'sentence') cli.writeOut(renderSentence(event.sentence, style))
          if (event.kind === 'rewordings' && event.rewordings.length > 0 && flags.quiet !== true) {
            const queries = event.rewordings.map(({ query }) => oneLine(query)).join(' · ')
            cli.writeError(`${style.dim(`also searched: ${queries}`)}\n`)
          }
        },
      })
      const isMissing = ['no_llm', 'llm_unavailable'].includes(answer.degraded?.reason ?? '')
      return {
        json: answer,
        text: async (style) => {
          if (answer.prompt !== null) return `${answer.prompt.system}\n\n${answer.prompt.user}\n`
          return renderSources(answer, await shortIds(cairn, answer.passages), style)
        },
        ...(isMissing && { exitCode: 1 as const, problem: answer.degraded?.message ?? '' }),
      }
    },
  },
}

function renderSentence({ text, problem }: AskSentence, style: Style): string {
  const mark = problem === null ? '' : ` ${style.bad(`(${PROBLEMS[problem]})`)}`
  return `${wrap(`${oneLine(text)}${mark}`, style.columns).join('\n')}\n`
}

/** The passages that were cited; if none was, all that were found. */
function renderSources(answer: AskAnswer, short: ShortId, style: Style): string {
  const { degraded, supported, citations, passages } = answer
  const isAnswered = degraded === null || degraded.reason === 'llm_cut' || supported
  const notes = [
    ...(supported || !isAnswered ? [] : ['Not in your library.']),
    ...(degraded?.reason === 'llm_cut' ? [degraded.message] : []),
    ...(supported || passages.length === 0 ? [] : ['What was found:']),
    ...(passages.length === 0 ? ['Nothing was found.'] : []),
  ]
  const shown = (supported ? citations : passages).map((one) => renderPassage(one, short, style))
  const above = answer.answer.length > 0 ? [''] : []
  return `${[...above, ...notes, ...shown].join('\n')}\n`
}

function renderPassage(passage: AskPassage, short: ShortId, style: Style): string {
  const { number, id, title, date, text, identity, pages } = passage
  const { path, line, year, key, speaker } = identity
  const place = [
    ...(path === undefined ? [] : [`${oneLine(path)}${line === undefined ? '' : `:${line}`}`]),
    ...(pages === null ? [] : [`p. ${pages.first}`]),
  ].join(' ')
  const name = title === null ? '' : style.bold(oneLine(title))
  const when = year ?? formatDay(date, style.now)
  const data = style.dim(
    [place, speaker, when, key].filter(Boolean).map(String).map(oneLine).join(' · '),
  )
  const head = [`[${number}]`, short(id), name, data].filter(Boolean).join('  ')
  return `${head}\n${INDENT}${cut(oneLine(text), Math.max(30, style.columns - INDENT.length))}`
}
