/** Commands on records: add, get, list, edit, undo, delete, restore and purge. */

import { existsSync } from 'node:fs'
import type { Cairn } from '../../cairn/cairn.js'
import type { CitationsAnswer } from '../../cairn/works.js'
import type { FactShown } from '../../core/answer.js'
import { badInput, describeMissing } from '../../core/errors.js'
import type { CairnRecord } from '../../core/record.js'
import type { WorkDetails } from '../../core/work.js'
import { readText } from '../files.js'
import type { CommandActions } from '../operation-command.js'
import { formatAge, formatRecordDate } from '../render/dates.js'
import { alignRows, type NamedRow, nameRows, renderNext } from '../render/layout.js'
import { oneLine, type Style, safe } from '../render/style.js'
import { shortIds, withKnownSessions } from '../resolve-ids.js'

export const ACTIONS: CommandActions = {
  add: {
    prepare: async (input, context) => {
      const given = await readText(context, input.body)
      if (given === null) {
        throw badInput(
          'There is nothing to add.',
          'Give the text as an argument, with --file, or on standard input.',
        )
      }
      return { source: given.file, ...input, body: given.text }
    },
    resolve: async (input, cairn) => ({
      ...input,
      ...(input.session && { session: await findSession(input.session, cairn) }),
      ...(input.createdIn && { createdIn: await findSession(input.createdIn, cairn) }),
    }),
    render: (answer, { style, input }) => {
      const { created, id, nearDuplicates, facts, contradictions, degraded } = answer
      if (!created) return `already there as ${id}; nothing was added\n`
      const near = nearDuplicates.map(({ id: other, similarity, changed }) => {
        const changes = changed.length === 0 ? '' : `: ${changed.map(oneLine).join(', ')}`
        return `nearly the same as ${other} (${similarity.toFixed(2)})${changes}\n`
      })
      const noted = facts.map((fact) => `fact ${fact.id}  ${renderStatement(fact)}\n`)
      if (input.extractFacts && facts.length === 0) noted.push('no facts were found in it\n')
      const contrary = contradictions.map((one) => {
        const instead = `${one.recordId} says ${oneLine(one.instead)}`
        const { older, newer } = one.supersede
        return `${style.bad(`⚠ ${renderStatement(one)}: ${instead}`)}\n${style.dim(`  if it corrects that: cairn supersede ${older} ${newer}`)}\n`
      })
      if (degraded !== null) noted.push(`${style.dim(degraded.message)}\n`)
      if (input.body !== undefined && existsSync(input.body)) {
        const right = `cairn add --file ${oneLine(input.body)}`
        noted.push(`${style.dim(`its text is the name of a file; to add the file: ${right}`)}\n`)
      }
      return `${style.good('added')} ${id}\n${[...near, ...noted, ...contrary].join('')}`
    },
  },
  get: {
    render: async ({ records }, { cairn, style }) => {
      const shown = records.map(async (record) => {
        const isWork = record.kind === 'work' && record.deletedAt === null
        const citations = isWork ? await cairn.works.citations(record.id) : undefined
        return renderRecord(record, style, citations)
      })
      return (await Promise.all(shown)).join('\n')
    },
    problem: ({ missing }) => {
      if (missing.length === 0) return ''
      const { message, hint } = describeMissing(missing)
      return `${message} ${hint}`
    },
  },
  /** One line a record: id, date, kind, namespace, and as much of the title or text as fits. */
  list: {
    resolve: withKnownSessions,
    render: async ({ records, next }, { cairn, style }) => {
      if (records.length === 0) return 'no records\n'
      const short = await shortIds(cairn, records)
      const rows = records.map((record) => ({
        cells: [
          short(record.id),
          formatRecordDate(record, style.now),
          record.kind,
          record.namespace,
          ...(record.supersededAt === null ? [] : ['superseded']),
        ],
        text: record.title ?? record.body,
      }))
      return alignRows(rows, style) + renderNext(next, style)
    },
  },
  edit: {
    prepare: async (input, context) => {
      // Standard input is read only when `-` asks for it: a pipe that happens to be open is no new text.
      const hasText = input.body !== undefined || context.flags.file !== undefined
      const text = hasText ? await readText(context, input.body) : null
      const {
        id: _,
        session: __,
        expectedRevision: ___,
        ...changes
      } = { ...input, ...(text && { body: text.text }) }
      if (Object.keys(changes).length === 0) {
        throw badInput('There is nothing to change.', 'Give a new text or at least one option.')
      }
      return { ...input, ...changes }
    },
    /** A key that is named is set, `key=` removes it, and the others stay. */
    resolve: async (input, cairn) => {
      if (input.metadata === undefined) return input
      const [before] = (await cairn.get([input.id])).records
      const all = Object.entries({ ...before?.metadata, ...input.metadata })
      return { ...input, metadata: Object.fromEntries(all.filter(([, value]) => value !== '')) }
    },
    render: (record, { style }) => renderRecord(record, style),
  },
  undo: (record, { style }) => renderRecord(record, style),
  delete: ({ deleted }, { style }) =>
    `deleted ${countRecords(deleted)}${style.dim(' · cairn restore brings it back')}\n`,
  restore: ({ restored }) => `restored ${countRecords(restored)}\n`,
  purge: {
    prepare: async (input, { flags, cli: { confirm } }) => {
      const what = countRecords([input.ids ?? []].flat())
      const question = `Purge ${what}? Nothing can bring it back.`
      if (confirm !== null && flags.yes !== true && !(await confirm(question))) {
        throw badInput('Nothing was purged.', 'Answer y, or give --yes.')
      }
      return input
    },
    render: ({ purged, bytesGone }) => {
      const later = bytesGone
        ? ''
        : '; its bytes go when other programs close the file, or when the server vacuums its tables'
      return `purged ${countRecords(purged)}${later}\n`
    },
  },
}

function renderStatement(fact: Pick<FactShown, 'subject' | 'predicate' | 'object'>): string {
  return [fact.subject, fact.predicate, fact.object].map(oneLine).join(' · ')
}

/** The library starts a session that it does not know; a person who names one has mistyped it. */
async function findSession(name: string, cairn: Cairn): Promise<string> {
  return (await cairn.sessions.find(name)).id
}

function countRecords(ids: readonly string[]): string {
  return ids.length === 1 ? `record ${ids[0]}` : `${ids.length} records`
}

function renderRecord(record: CairnRecord, style: Style, citations?: CitationsAnswer): string {
  const { title, occurredAt, createdAt, updatedAt, supersededAt, importance, tier, work } = record
  const age = (iso: string): string => formatAge(iso, style.now)
  const rows: readonly NamedRow[] = [
    ['kind', record.kind],
    ['namespace', record.namespace],
    ['tags', record.tags.join(', ')],
    ['people', record.people.join(', ')],
    ...(work === null ? [] : listDetails(work)),
    ...(citations === undefined ? [] : countCitations(citations)),
    ['source', record.source],
    ['occurred', occurredAt === null || work !== null ? '' : age(occurredAt)],
    ['created', age(createdAt)],
    ['updated', updatedAt === createdAt ? '' : age(updatedAt)],
    ['revision', record.revision],
    ['session', record.sessionId],
    ['superseded', supersededAt && age(supersededAt)],
    ['importance', importance === 0.5 ? '' : String(importance)],
    ['sector', record.sector],
    ['tier', tier === 'project' ? '' : tier],
    ...Object.entries(record.metadata).map(([key, value]): NamedRow => {
      // The number of the pages of a PDF says enough, and the path is that of its file.
      if (key === 'files' && Array.isArray(value) && value.length === 1) return [key, '']
      const shown = key === 'pages' && Array.isArray(value) ? value.length : value
      return [key, typeof shown === 'string' ? shown : JSON.stringify(shown)]
    }),
  ]
  return `${renderHeading(record.id, title, style)}\n${nameRows(rows, style)}\n${safe(record.body)}\n`
}

export function renderHeading(id: string, title: string | null, style: Style): string {
  return title === null ? style.bold(id) : style.bold(oneLine(title)) + style.dim(`  ${id}`)
}

function listDetails(work: WorkDetails): NamedRow[] {
  const number = `${work.volume ?? ''}${work.issue === null ? '' : `(${work.issue})`}`
  const editors = work.editors.map(({ family, given }) => `${given ?? ''} ${family}`.trim())
  return [
    ['type', work.type],
    ['editors', editors.join(', ')],
    ['venue', [work.venue, number, work.pages].filter(Boolean).join(', ')],
    ['series', work.series],
    ['publisher', work.publisher ?? work.institution],
    ['published', work.published ?? work.year],
    ['doi', work.doi],
    ['arxiv', work.arxivId],
    ['openalex', work.openAlexId],
    ['isbn', work.isbn],
    ['url', work.url],
    ['key', work.citationKey],
    ['note', work.note],
  ]
}

function countCitations({ references, citedBy, unresolved }: CitationsAnswer): NamedRow[] {
  const all = references.length + unresolved.length
  const stored = unresolved.length === 0 ? '' : ` (${references.length} stored)`
  return [
    ['references', all === 0 ? '' : `${all}${stored}`],
    ['cited by', citedBy.length],
  ]
}
