/** The inputs that write, read and list records, that import them, that maintain the file, and about tokens. */

import * as z from 'zod/mini'
import { OVERVIEW_STEPS } from '../core/answer.js'
import { ROLES } from '../core/caller.js'
import { START_SALIENCE } from '../core/salience.js'
import * as field from './fields.js'
import { flag, nullable, optional, options, required, withDefault, withHelp } from './fields.js'
import { MAX_TIME_CHARS } from './limits.js'
import type { WithSingular } from './names.js'
import { filterOptions } from './search-request.js'
import { workPatch } from './work-requests.js'

export const recordInput = options(() => ({
  body: required(field.body, 'the text'),
  namespace: field.writeTo,
  title: nullable(field.title, 'a title'),
  kind: withDefault(field.kind, 'memory', '<kind> the kind of record'),
  tags: withDefault(field.labels, [], '<tag> its tags'),
  people: withDefault(field.labels, [], '<name> its authors or speakers'),
  source: nullable(field.label, 'where it comes from'),
  metadata: withDefault(field.metadata, {}, '<key=value> any other data, by name'),
  importance: withDefault(field.share, 0.5, '<0..1> how important it is'),
  sector: nullable(field.sector, '<sector> the sector of memory (default: chosen by rules)'),
  tier: withDefault(field.tier, 'project', '<tier> the scope of the memory'),
  occurredAt: nullable(field.time('start'), field.occurredHelp),
  salience: withDefault(field.salience, START_SALIENCE, '<0.05..1> how salient it is'),
  /** The turns of a session are ordered by when they occurred. */
  session: nullable(field.label, '<id> the session that it is a turn of'),
  /** Unlike a turn, it takes nothing from its neighbours in the session. */
  createdIn: nullable(
    field.label,
    '<id> the session that writes it; the record is not a turn of it',
  ),
  extractFacts: flag('extract facts from the text, with the method that memory.extract names'),
}))
/** The input of `add`; only the body is required. */
export type RecordInput = WithSingular<z.input<typeof recordInput>>

const revision = () => z.int().check(z.minimum(1))

export const recordPatch = options(() => {
  const { title, kind, tags, people, source, metadata, importance, ...memory } = recordInput.shape
  const { sector, tier, salience, occurredAt } = memory
  return {
    body: optional(field.body, 'the new text'),
    namespace: optional(field.namespace, '<name> the namespace to move it to'),
    ...field.withoutDefaults({ title, kind, tags, people, source, metadata, importance }),
    ...field.withoutDefaults({ sector, tier, salience, occurredAt }),
    work: optional(workPatch, 'bibliographic details of a work, such as {"year": 2018}'),
    /** The record stays in the session that created it. */
    session: optional(field.label, '<id> the session in which it is changed'),
    expectedRevision: optional(
      revision(),
      'change the record only if it still has this revision; `get` shows it',
    ),
  }
})
/** The changes of an edit; absent options stay as they are. */
export type RecordPatch = WithSingular<z.input<typeof recordPatch>>

export const listRequest = options(() => ({
  ...filterOptions.shape,
  limit: field.limitOf(20),
  cursor: field.cursor,
  deleted: flag('list deleted records, which can be restored'),
}))
export type ListInput = WithSingular<z.input<typeof listRequest>>

export const overviewRequest = options(() => ({
  by: optional(
    z.enum(OVERVIEW_STEPS),
    '<step> the length of each period (default: chosen from the time span)',
  ),
  namespaces: field.namespaces,
}))
export type OverviewInput = WithSingular<z.input<typeof overviewRequest>>

export const nothing = options(() => ({}))
export const oneRecord = options(() => ({ id: field.id }))
export const manyRecords = options(() => ({ ids: field.ids }))

export const addManyRequest = options(() => ({
  records: required(field.many(recordInput), '<record> the records, each as add takes it'),
}))
export const editRequest = options(() => ({ id: field.id, ...recordPatch.shape }))
export const undoRequest = options(() => ({
  id: field.id,
  revision: optional(revision(), 'the revision to go back to (default: the last)'),
}))
export const purgeRequest = options(() => ({
  ids: withDefault(field.anyNames, [], '<id> the ids of records, or unique beginnings of them'),
  deleted: flag('purge every deleted record'),
}))

/** The formats that can be imported; `import/` has a reader for each. */
export const FORMATS =
  'folder zip archive markdown text pdf html docx epub jsonl chatgpt claude claude-code codex gemini chat beir mbox zotero git bibtex ris csl'.split(
    ' ',
  )

export const importRequest = options(() => ({
  format: withHelp(
    z.optional(field.anyName),
    `<format> ${FORMATS.join(', ')} (default: detected from the path and the first bytes)`,
    FORMATS,
  ),
  namespace: field.writeTo,
  tags: withDefault(field.labels, [], '<tag> add these tags to each record'),
  source: optional(field.label, 'the name of the source (default: its format and path)'),
  dryRun: flag('report the changes, and write nothing'),
  prune: optional(z.boolean(), 'delete records whose file is gone (default: for folders)'),
  include: withDefault(
    field.labels,
    [],
    '<pattern> of a folder, read only files that match, as in .gitignore',
  ),
  exclude: withDefault(field.labels, [], '<pattern> of a folder, skip files that match'),
  again: flag('also import records that were imported before and deleted here'),
  followLinks: flag('follow symbolic links that lead out of the folder'),
  batch: withDefault(field.batch, 1000, 'how many records to write in one transaction'),
}))
export type ImportInput = WithSingular<z.input<typeof importRequest>>
export type ImportRequest = z.output<typeof importRequest>
export const importPathRequest = options(() => ({
  path: required(field.name, '<path> a file or a folder'),
  ...importRequest.shape,
}))

export const mirrorRequest = options(() => ({
  namespaces: filterOptions.shape.namespaces,
  kinds: withDefault(field.list(field.kind), ['memory'], '<kind> only these kinds of record'),
  tags: filterOptions.shape.tags,
  dryRun: flag('report the changes, and write nothing'),
}))
export type MirrorInput = WithSingular<z.input<typeof mirrorRequest>>
export type MirrorRequest = z.output<typeof mirrorRequest>
export const mirrorFolderRequest = options(() => ({
  folder: required(field.name, '<path> the folder; created if it does not exist'),
  ...mirrorRequest.shape,
}))

export const watchRequest = options(() => ({
  /** How long a folder must be quiet before a change is read. */
  debounceMs: z._default(field.whole(0, 60_000), 300),
  /** How often to look for changes that the system did not report. */
  pollMs: z._default(field.whole(50, 3_600_000), 30_000),
}))
export type WatchInput = WithSingular<z.input<typeof watchRequest>>

export const oneModel = options(() => ({ id: required(field.name, '<id> the model') }))
export const statsRequest = options(() => ({
  sizes: flag('also report the size of each part'),
}))
export type StatsOptions = z.input<typeof statsRequest>
export const backupRequest = options(() => ({
  file: required(field.name, '<file> the file to write'),
  force: flag('replace the file if it exists'),
  keep: optional(
    field.limit,
    '<n> write a dated copy into the folder <file>, and keep the newest n',
  ),
}))
export const copyRequest = options(() => ({
  to: required(field.name, '<target> the file to copy to, or postgres://user@host/name'),
  force: flag('merge into a target that is not empty; of two versions, the later one stays'),
}))
export const doctorRequest = options(() => ({
  repair: flag('rebuild the index and all other derived data'),
}))
export type DoctorOptions = z.input<typeof doctorRequest>
export const optimizeRequest = options(() => ({
  vacuum: flag('rewrite the file to free the space of removed records'),
}))
export type OptimizeOptions = z.input<typeof optimizeRequest>

const tokenName = required(field.label, '<name> the person or program that uses it')

export const tokenInput = options(() => ({
  name: tokenName,
  role: withDefault(
    z.enum(ROLES),
    'read',
    '<role> read, write (also changes) or admin (everything)',
  ),
  namespaces: optional(
    field.list(field.namespace),
    '<name> the only namespaces that it may use (default: all)',
  ),
  expires: optional(
    z.string().check(z.maxLength(MAX_TIME_CHARS)),
    '<time> when it expires: 90d, 1y, 2027-01-01 (default: never)',
  ),
}))
export type TokenInput = WithSingular<z.input<typeof tokenInput>>

export const oneToken = options(() => ({ name: tokenName }))
