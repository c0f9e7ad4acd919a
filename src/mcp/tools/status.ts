/** The tool `status`: what the file holds, and lists of its sessions, facts, lenses, checks and earlier searches. */

import * as z from 'zod/mini'
import { badInput } from '../../core/errors.js'
import { VERSION } from '../../core/version.js'
import { limitOf, optional, withDefault } from '../../schemas/fields.js'
import { describeFact, formatMinute, present, renderFact, round } from '../render.js'
import { brief, compose, createItem, type Page, type Reply, shortenIds } from '../reply.js'
import { budgetField, type Call, defineTool } from '../tool.js'

const MAX_LISTED = 20
const MAX_SESSIONS = 5
const MAX_MODELS = 5

type Asked = {
  readonly name: string | undefined
  readonly about: string | undefined
  readonly limit: number
}

const LISTS = {
  async sessions({ perform, conversation }, { limit }) {
    const { sessions } = await perform('session.list', { limit })
    const own = await conversation.startedSession()
    return {
      head: [sessions.length === 0 ? 'There was no session yet.' : 'Sessions, the newest first:'],
      list: 'sessions',
      items: sessions.map(({ id, title, state, startedAt, counts, ...session }) => {
        const summary = brief(session.summary ?? title ?? '', 160)
        const name = `${brief(id, 60)}${id === own ? ' (this one)' : ''}`
        const usages = `${counts.created} created, ${counts.recalled} recalled`
        return createItem(
          `${name}  ${state}  ${formatMinute(startedAt)}  ${usages}  ${summary}`.trimEnd(),
          present({ id: brief(id, 60), state, startedAt, summary, ...counts }),
        )
      }),
    }
  },

  async session({ cairn, perform, conversation }, { name }) {
    const wanted = name ?? (await conversation.startedSession())
    if (wanted === null) throw badInput('name is missing.', 'status {"of": "sessions"} lists them.')
    const session = await perform('session.show', { id: wanted })
    const [id, summary] = [brief(session.id, 60), brief(session.summary, 600)]
    const { created, recalled, updated, reinforced } = session
    const touched = Object.entries({ created, recalled, updated, reinforced }).flatMap(
      ([usage, records]) =>
        records.map((record) => {
          return { id: record.id, usage, text: brief(record.title ?? record.summary, 120) }
        }),
    )
    const shorten = await shortenIds(cairn, touched)
    return {
      head: [
        `Session ${id} (${session.state}) of ${formatMinute(session.startedAt)}`,
        ...(summary === null ? [] : [summary]),
      ],
      base: present({ id, state: session.state, summary }),
      list: 'records',
      items: touched.map((one) => createItem(`${one.usage} ${shorten(one.id)} ${one.text}`, one)),
    }
  },

  async facts({ perform }, { about, limit }) {
    const { facts, contradictions } = await perform('fact.list', { about, limit })
    return {
      head: [
        facts.length === 0 ? 'No fact says that.' : 'Facts, the newest first:',
        ...(contradictions.length === 0 ? [] : [`${contradictions.length} contradictions`]),
      ],
      base: { contradictions: contradictions.length },
      list: 'facts',
      items: facts.map((fact) => {
        const data = { ...describeFact(fact), recordId: fact.recordId }
        return createItem(`${renderFact(fact)} of ${fact.recordId}`, data)
      }),
    }
  },

  async lenses({ perform }, { limit }) {
    const { lenses } = await perform('lens.list', {})
    return {
      head: ['Lenses, for the "lens" of search:'],
      list: 'lenses',
      items: lenses.slice(0, limit).map(({ isBuiltIn, ...lens }) => {
        const [name, sentence] = [brief(lens.name, 40), brief(lens.sentence, 160)]
        const data = { name, isBuiltIn, ...present({ sentence }) }
        return createItem(`${name}  ${sentence ?? ''}`.trimEnd(), data)
      }),
    }
  },

  async lens({ perform }, { name }) {
    if (name === undefined) {
      throw badInput('name is missing.', 'status {"of": "lenses"} lists them.')
    }
    const { options, sentence, ...lens } = await perform('lens.show', { name })
    return {
      head: [`${brief(lens.name, 40)}: ${brief(sentence ?? 'a saved lens', 160)}`],
      base: { name: brief(lens.name, 40), isBuiltIn: lens.isBuiltIn },
      list: 'options',
      items: Object.entries(options).map(([key, value]) =>
        createItem(`${key}: ${brief(JSON.stringify(value), 300)}`, { [key]: value }),
      ),
    }
  },

  async health({ perform }) {
    const { ok, checks } = await perform('doctor', {})
    return {
      head: [ok ? 'The file is sound.' : 'The file is damaged: a person should run cairn doctor.'],
      base: { ok },
      list: 'checks',
      items: checks.map(({ name, ok: isOk, detail }) => {
        const text = `${isOk ? 'ok ' : 'bad'} ${name} ${brief(detail, 200)}`.trimEnd()
        return createItem(text, { name, ok: isOk })
      }),
    }
  },

  async replay({ perform }, { name, limit }) {
    const { queries } = await perform('replay', { session: name, limit })
    return {
      head: [queries.length === 0 ? 'No search was recalled yet.' : 'Searches, then and now:'],
      list: 'queries',
      items: queries.map(({ at, moved, failed, ...one }) => {
        const query = brief(one.query, 80)
        const outcome = failed ?? `${moved.length} of its hits moved`
        const data = { at, query, moved: moved.length }
        return createItem(`${formatMinute(at)}  "${query}"  ${outcome}`, data)
      }),
    }
  },
} satisfies Record<string, (call: Call, asked: Asked) => Promise<Page>>

const SUBJECTS = ['file', ...Object.keys(LISTS)] as ('file' | keyof typeof LISTS)[]

export const statusTool = defineTool({
  name: 'status',
  title: 'What is there',
  description: `How many records there are, in which namespaces, with which tags; which embedding model is active and how much it has embedded; lenses; open sessions; the version. Ask once at the start to learn the tags and namespaces in use. With "of": a list of the sessions, facts or lenses there are, one session or lens in full, whether the file is sound (health), or what earlier searches would find now (replay).

{}
{"of": "facts", "about": "Priya"}
{"of": "sessions"}
{"of": "session", "name": "01KA0000"}
{"of": "replay", "limit": 5}`,
  input: z.strictObject({
    of: withDefault(z.enum(SUBJECTS), 'file', 'what to show'),
    name: optional(z.string(), 'session, lens: which one; replay: only searches of this session'),
    about: optional(z.string(), 'facts: with this in subject, predicate or object'),
    limit: limitOf(20),
    budget: budgetField,
  }),
  output: z.looseObject({
    of: z.enum(SUBJECTS),
    version: z.optional(z.string()),
    records: z.optional(z.number()),
  }),
  hints: { readOnlyHint: true },

  async run({ of = 'file', limit = 20, name, about }, call) {
    if (of === 'file') return describeFile(call)
    const page: Page = await LISTS[of](call, { name, about, limit })
    return compose(call.budget, { ...page, base: { of, ...page.base } })
  },
})

async function describeFile(call: Call): Promise<Reply> {
  const { perform, conversation } = call
  const records = await describeRecords(call)
  const { waiting, ...known } = await perform('models', {})
  const models = known.models.slice(0, MAX_MODELS).map(({ id, state, coverage }) => ({
    id: brief(id, 60),
    state,
    coverage: round(coverage),
  }))
  const lenses = (await perform('lens.list', {})).lenses
    .slice(0, MAX_LISTED)
    .map(({ name }) => brief(name, 40))
  const { sessions } = await perform('session.list', { state: 'open', limit: MAX_LISTED })
  const session = await conversation.startedSession()
  const openSessions = sessions.slice(0, MAX_SESSIONS).map(({ id, title, startedAt }) => ({
    id: brief(id, 60),
    startedAt,
    title: brief(title, 60),
    isThisOne: id === session,
  }))
  const lines = [
    `Cairn ${VERSION}`,
    ...records.lines,
    ...models.map((one) => `model ${one.id}: ${one.state}, ${one.coverage * 100} % embedded`),
    ...(models.length === 0 ? ['no model has embedded anything yet'] : []),
    ...(waiting === 0 ? [] : [`${waiting} records wait for vectors; words find them`]),
    `lenses: ${lenses.join(', ')}`,
    ...openSessions.map(({ id, startedAt, title, isThisOne }) => {
      const name = `${id}${isThisOne ? ' (this one)' : ''}`
      return `open session ${name} since ${formatMinute(startedAt)}${title === null ? '' : `: ${title}`}`
    }),
  ]
  const found = { models, waiting, lenses, openSessions, session }
  const data = { of: 'file', version: VERSION, ...records.data, ...found }
  return { text: lines.join('\n'), data }
}

/** A pinned server tells nothing of other namespaces. */
async function describeRecords({ cairn, perform }: Call) {
  const all = { query: '', limit: 1, minConfidence: 0, useVector: false }
  const { scope, total } = await cairn.search(all)
  if (scope.namespaces !== 'all') {
    const [namespace = ''] = scope.namespaces
    const where = `the namespace "${brief(namespace, 60)}", which this server keeps to`
    const data = { records: total.value, namespace, pinned: true }
    return { lines: [`${total.value} records in ${where}`], data }
  }
  const stats = await perform('stats', {})
  const { records: kinds, deleted: forgotten, file, newestAt } = stats
  const records = Object.values(kinds).reduce((sum, count) => sum + count, 0)
  const [namespaces, tags] = [listMostUsed(stats.namespaces), listMostUsed(stats.tags)]
  return {
    lines: [
      `${records} records (${renderCounts(Object.entries(kinds))}), ${forgotten} forgotten, in ${file}`,
      `namespaces: ${renderCounts(namespaces) || 'none yet'}`,
      `tags: ${renderCounts(tags) || 'none yet'}`,
    ],
    data: {
      records,
      kinds,
      forgotten,
      file,
      namespaces: Object.fromEntries(namespaces),
      tags: Object.fromEntries(tags),
      newestAt,
    },
  }
}

function listMostUsed(counts: Readonly<Record<string, number>>): [string, number][] {
  return Object.entries(counts)
    .sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))
    .slice(0, MAX_LISTED)
    .map(([name, count]) => [brief(name, 40), count])
}

function renderCounts(counts: readonly [string, number][]): string {
  return counts.map(([name, count]) => `${name} ${count}`).join(', ')
}
