/** An agent knows what is stored, under which labels, and whether meaning is at work. */

import * as z from 'zod/mini'
import { VERSION } from '../../core/version.js'
import { limit } from '../../schemas/fields.js'
import { BUDGET_HELP, brief, budgetField, type Data, type Reply } from '../budget.js'
import { minuteOf, round } from '../render.js'
import { type Call, defineTool } from '../tool.js'
import { LISTS, SUBJECTS } from './status-lists.js'

const MOST_LISTED = 20
const MOST_SESSIONS = 5

export const statusTool = defineTool({
  name: 'status',
  title: 'What is there',
  description: `How many records there are, in which namespaces, with which tags; which embedding model reads them and whether it is done; lenses; open sessions; the version. Ask once at the start to learn the tags and namespaces in use. With "of": a list of the sessions, facts or lenses there are, one session or lens in full, whether the file is sound (health), or what earlier searches would find now (replay).

{}
{"of": "facts", "about": "Priya"}
{"of": "sessions"}
{"of": "session", "name": "01KA0000"}
{"of": "replay", "limit": 5}`,
  input: z.strictObject({
    of: z._default(z.enum(SUBJECTS), 'file'),
    name: z.optional(z.string()),
    about: z.optional(z.string()),
    limit: z._default(limit, 20),
    budget: budgetField,
  }),
  about: {
    of: 'what to show',
    name: 'session, lens: which one; replay: only searches of this session',
    about: 'facts: with this in subject, predicate or object',
    limit: 'how many at most',
    budget: BUDGET_HELP,
  },
  output: z.looseObject({
    of: z.enum(SUBJECTS),
    version: z.optional(z.string()),
    records: z.optional(z.number()),
  }),
  operations: [
    'stats',
    'models',
    'lens.list',
    'lens.show',
    'session.list',
    'session.show',
    'fact.list',
    'doctor',
    'replay',
  ],
  hints: { readOnlyHint: true },

  async run({ of = 'file', limit: most = 20, ...args }, call) {
    if (of === 'file') return fileStatus(call)
    return LISTS[of](call, { ...args, limit: most })
  },
})

async function fileStatus(call: Call): Promise<Reply> {
  const { perform, conversation } = call
  const holdings = await holdingsOf(call)
  const { models, waiting } = await perform('models', {})
  const lenses = (await perform('lens.list', {})).lenses.map(({ name }) => brief(name, 40))
  const { sessions } = await perform('session.list', { state: 'open', limit: MOST_LISTED })
  const own = await conversation.begun()
  const shown = models.slice(0, 5).map(({ id, state, coverage }) => ({
    id: brief(id, 60),
    state,
    coverage: round(coverage),
  }))
  const open = sessions.slice(0, MOST_SESSIONS).map(({ id, title, startedAt }) => ({
    id: brief(id, 60),
    startedAt,
    title: title === null ? null : brief(title, 60),
    isThisOne: id === own,
  }))
  const lines = [
    `Cairn ${VERSION}`,
    ...holdings.lines,
    ...shown.map(({ id, state, coverage }) => `model ${id}: ${state}, ${coverage * 100} % read`),
    ...(shown.length === 0 ? ['no model has read anything yet'] : []),
    ...(waiting === 0 ? [] : [`${waiting} records wait for vectors; words find them`]),
    `lenses: ${lenses.slice(0, MOST_LISTED).join(', ')}`,
    ...open.map(
      ({ id, startedAt, title, isThisOne }) =>
        `open session ${id}${isThisOne ? ' (this one)' : ''} since ${minuteOf(startedAt)}${title === null ? '' : `: ${title}`}`,
    ),
  ]
  return {
    text: lines.join('\n'),
    data: {
      of: 'file',
      version: VERSION,
      ...holdings.data,
      models: shown,
      waiting,
      lenses: lenses.slice(0, MOST_LISTED),
      openSessions: open,
      session: own,
    },
  }
}

type Holdings = { readonly lines: readonly string[]; readonly data: Data & { records: number } }

/** Kept to a namespace, an agent learns nothing of the others. */
async function holdingsOf({ cairn, perform }: Call): Promise<Holdings> {
  const { scope, total } = await cairn.search({
    query: '',
    limit: 1,
    minConfidence: 0,
    useVector: false,
  })
  if (scope.namespaces !== 'all') {
    const [namespace = ''] = scope.namespaces
    return {
      lines: [
        `${total.value} records in the namespace "${brief(namespace, 60)}", which this server keeps to`,
      ],
      data: { records: total.value, namespace, pinned: true },
    }
  }
  const stats = await perform('stats', {})
  const kinds = Object.entries(stats.records)
  const records = kinds.reduce((sum, [, count]) => sum + count, 0)
  const [namespaces, tags] = [mostUsed(stats.namespaces), mostUsed(stats.tags)]
  return {
    lines: [
      `${records} records (${listing(kinds)}), ${stats.deleted} forgotten, in ${stats.file}`,
      `namespaces: ${listing(namespaces) || 'none yet'}`,
      `tags: ${listing(tags) || 'none yet'}`,
    ],
    data: {
      records,
      kinds: stats.records,
      forgotten: stats.deleted,
      file: stats.file,
      namespaces: Object.fromEntries(namespaces),
      tags: Object.fromEntries(tags),
      newestAt: stats.newestAt,
    },
  }
}

function mostUsed(counts: Readonly<Record<string, number>>): [string, number][] {
  return Object.entries(counts)
    .sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))
    .slice(0, MOST_LISTED)
    .map(([name, count]) => [brief(name, 40), count])
}

function listing(counts: readonly (readonly [string, number])[]): string {
  return counts.map(([name, count]) => `${name} ${count}`).join(', ')
}
