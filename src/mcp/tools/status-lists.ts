/** What a file holds besides records can be listed: sessions, facts, lenses, its health and its searches. */

import type { SessionShown } from '../../cairn/sessions.js'
import { badInput } from '../../core/errors.js'
import { brief, compose, type Reply } from '../budget.js'
import { item, leftNote } from '../list-items.js'
import { factData, factLine, minuteOf, present } from '../render.js'
import { shortIdsOf } from '../short-ids.js'
import type { Call } from '../tool.js'

export const SUBJECTS = [
  'file',
  'sessions',
  'session',
  'facts',
  'lenses',
  'lens',
  'health',
  'replay',
] as const
type Subject = Exclude<(typeof SUBJECTS)[number], 'file'>

type Asked = {
  readonly name?: string | undefined
  readonly about?: string | undefined
  readonly limit: number
  readonly budget?: number | undefined
}

export const LISTS: Readonly<Record<Subject, (call: Call, asked: Asked) => Promise<Reply>>> = {
  async sessions({ perform, conversation }, { limit, budget }) {
    const { sessions } = await perform('session.list', { limit })
    const own = await conversation.begun()
    return compose({
      budget,
      head: [sessions.length === 0 ? 'There was no session yet.' : 'Sessions, the newest first:'],
      base: { of: 'sessions' },
      list: 'sessions',
      items: sessions.map(({ id, title, state, startedAt, summary, counts }) => {
        const said = brief(summary ?? title ?? '', 160)
        const which = id === own ? ' (this one)' : ''
        return item(
          `${brief(id, 60)}${which}  ${state}  ${minuteOf(startedAt)}  ${counts.created} created, ${counts.recalled} recalled  ${said}`.trimEnd(),
          present({ id: brief(id, 60), state, startedAt, summary: said, ...counts }),
        )
      }),
      foot: (_, left) => leftNote(left),
    })
  },

  async session({ cairn, perform, conversation }, { name, budget }) {
    const wanted = name ?? (await conversation.begun())
    if (wanted === null) throw badInput('name is missing.', 'status {"of": "sessions"} lists them.')
    const session = await perform('session.show', { id: wanted })
    const touched = recordsOf(session)
    const shortOf = await shortIdsOf(
      cairn,
      touched.map(({ id }) => id),
    )
    return compose({
      budget,
      head: [
        `Session ${brief(session.id, 60)} (${session.state}) of ${minuteOf(session.startedAt)}`,
        ...(session.summary === null ? [] : [brief(session.summary, 600)]),
      ],
      base: {
        of: 'session',
        id: brief(session.id, 60),
        state: session.state,
        ...present({ summary: session.summary === null ? null : brief(session.summary, 600) }),
      },
      list: 'records',
      items: touched.map(({ id, usage, text }) =>
        item(`${usage} ${shortOf(id)} ${text}`, { id, usage, text }),
      ),
      foot: (_, left) => leftNote(left),
    })
  },

  async facts({ perform }, { about, limit, budget }) {
    const { facts, contradictions } = await perform('fact.list', { about, limit })
    return compose({
      budget,
      head: [
        facts.length === 0 ? 'No fact says that.' : 'Facts, the newest first:',
        ...(contradictions.length === 0 ? [] : [`${contradictions.length} contradictions`]),
      ],
      base: { of: 'facts', contradictions: contradictions.length },
      list: 'facts',
      items: facts.map((fact) =>
        item(`${factLine(fact)} of ${fact.recordId}`, {
          ...factData(fact),
          recordId: fact.recordId,
        }),
      ),
      foot: (_, left) => leftNote(left),
    })
  },

  async lenses({ perform }, { limit, budget }) {
    const { lenses } = await perform('lens.list', {})
    return compose({
      budget,
      head: ['Lenses, for the "lens" of search:'],
      base: { of: 'lenses' },
      list: 'lenses',
      items: lenses.slice(0, limit).map(({ name, sentence, isBuiltIn }) =>
        item(`${brief(name, 40)}  ${brief(sentence ?? '', 160)}`.trimEnd(), {
          name: brief(name, 40),
          isBuiltIn,
          ...present({ sentence: sentence === null ? null : brief(sentence, 160) }),
        }),
      ),
      foot: (_, left) => leftNote(left),
    })
  },

  async lens({ perform }, { name, budget }) {
    if (name === undefined)
      throw badInput('name is missing.', 'status {"of": "lenses"} lists them.')
    const { options, sentence, ...lens } = await perform('lens.show', { name })
    return compose({
      budget,
      head: [`${brief(lens.name, 40)}: ${brief(sentence ?? 'a saved lens', 160)}`],
      base: { of: 'lens', name: brief(lens.name, 40), isBuiltIn: lens.isBuiltIn },
      list: 'options',
      items: Object.entries(options).map(([key, value]) =>
        item(`${key}: ${brief(JSON.stringify(value), 300)}`, { [key]: value }),
      ),
      foot: (_, left) => leftNote(left),
    })
  },

  async health({ perform }, { budget }) {
    const { ok, checks } = await perform('doctor', {})
    return compose({
      budget,
      head: [ok ? 'The file is sound.' : 'The file is damaged: a person should run cairn doctor.'],
      base: { of: 'health', ok },
      list: 'checks',
      items: checks.map((one) =>
        item(`${one.ok ? 'ok ' : 'bad'} ${one.name} ${brief(one.detail, 200)}`.trimEnd(), {
          name: one.name,
          ok: one.ok,
        }),
      ),
      foot: (_, left) => leftNote(left),
    })
  },

  async replay({ perform }, { name, limit, budget }) {
    const { queries } = await perform('replay', { session: name, limit })
    return compose({
      budget,
      head: [queries.length === 0 ? 'No search was recalled yet.' : 'Searches, then and now:'],
      base: { of: 'replay' },
      list: 'queries',
      items: queries.map(({ query, at, moved, failed }) => {
        const said = failed ?? `${moved.length} of its hits moved`
        return item(`${minuteOf(at)}  "${brief(query, 80)}"  ${said}`, {
          at,
          query: brief(query, 80),
          moved: moved.length,
        })
      }),
      foot: (_, left) => leftNote(left),
    })
  },
}

function recordsOf({ created, recalled, updated, reinforced }: SessionShown) {
  const usages = { created, recalled, updated, reinforced }
  return Object.entries(usages).flatMap(([usage, records]) =>
    records.map(({ id, title, summary }) => ({ id, usage, text: brief(title ?? summary, 120) })),
  )
}
