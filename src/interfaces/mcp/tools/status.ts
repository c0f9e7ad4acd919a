/** Promise: an agent knows what is stored, under which labels, and whether meaning is at work. */

import * as z from 'zod/mini'
import type { Cairn } from '../../../cairn.js'
import { VERSION } from '../../../core/version.js'
import { brief, type Data } from '../budget.js'
import { minuteOf, round } from '../render.js'
import { defineTool } from '../tool.js'

const MOST_LISTED = 20
const MOST_SESSIONS = 5

export const statusTool = defineTool({
  name: 'status',
  title: 'What is there',
  description: `How many records there are, in which namespaces, with which tags; which embedding model reads them and whether it is done; lenses; open sessions; the version. Ask once at the start to learn the tags and namespaces in use.

{}`,
  input: z.strictObject({}),
  about: {},
  output: z.looseObject({ version: z.string(), records: z.number() }),
  hints: { readOnlyHint: true },

  async run(_, { cairn, conversation }) {
    const holdings = await holdingsOf(cairn)
    const { models, waiting } = await cairn.models()
    const lenses = (await cairn.lenses.list()).map(({ name }) => brief(name, 40))
    const { sessions } = await cairn.sessions.list({ state: 'open', limit: MOST_LISTED })
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
        version: VERSION,
        ...holdings.data,
        models: shown,
        waiting,
        lenses: lenses.slice(0, MOST_LISTED),
        openSessions: open,
        session: own,
      },
    }
  },
})

type Holdings = { readonly lines: readonly string[]; readonly data: Data & { records: number } }

/** Kept to a namespace, an agent learns nothing of the others. */
async function holdingsOf(cairn: Cairn): Promise<Holdings> {
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
  const stats = await cairn.stats()
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
