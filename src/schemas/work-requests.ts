/** The inputs about works: importing, citing, exporting, exploring, and asking OpenAlex. */

import * as z from 'zod/mini'
import {
  CITATION_STYLES,
  EXPORT_FORMATS,
  NO_DETAILS,
  WORK_TYPES,
  type WorkDetails,
} from '../core/work.js'
import * as field from './fields.js'
import { flag, nullable, optional, options, required, withDefault, withHelp } from './fields.js'
import * as limits from './limits.js'
import type { WithSingular } from './names.js'
import { filterOptions } from './search-request.js'

/** One line: line breaks of the file become spaces. */
function lineOf(maxChars: number) {
  return z.pipe(
    z.string().check(z.maxLength(maxChars)),
    z.transform((text: string) => text.replace(/\s+/g, ' ').trim().toWellFormed()),
  )
}
function listOf<S extends z.ZodMiniType>(item: S) {
  return z._default(z.array(item).check(z.maxLength(limits.MAX_LIST_ITEMS)), [])
}
const line = lineOf(limits.MAX_WORK_FIELD_CHARS)
const detail = z._default(z.nullable(line), null)
const details = Object.fromEntries(Object.keys(NO_DETAILS).map((key) => [key, detail])) as Record<
  keyof WorkDetails,
  typeof detail
>
const person = options(() => ({ family: line, given: detail }))
const people = listOf(person)
const abstract = z.pipe(
  z
    .string()
    .check(
      z.refine(
        (text) => text.length <= limits.MAX_BODY_CHARS,
        `abstract is longer than ${limits.MAX_BODY_CHARS} characters.`,
      ),
    ),
  z.transform((text: string) => (text.trim() === '' ? null : text.toWellFormed())),
)

const span = { start: z.int(), end: z.int() }
const attachedText = options(() => ({
  path: line,
  text: z.string().check(z.maxLength(limits.MAX_BODY_CHARS)),
  pages: z.array(z.strictObject({ page: z.int(), label: z.exactOptional(line), ...span })),
}))

export const workInput = options(() => ({
  title: lineOf(limits.MAX_TITLE_CHARS),
  abstract: z._default(z.nullable(abstract), null),
  texts: z.exactOptional(z.array(attachedText)),
  tags: listOf(field.label),
  references: listOf(line),
  ...details,
  note: z._default(z.nullable(lineOf(limits.MAX_NOTE_CHARS)), null),
  type: z._default(z.enum(WORK_TYPES), NO_DETAILS.type),
  authors: people,
  editors: people,
  year: z._default(z.nullable(field.year), null),
}))

const change = z.optional(z.nullable(line))
const changes = Object.fromEntries(Object.keys(NO_DETAILS).map((key) => [key, change])) as Record<
  keyof WorkDetails,
  typeof change
>

/** The changes of an edit to a work; null or an empty text removes a detail. A name is given in parts or as one text. */
export const workPatch = options(() => {
  const people = z.optional(field.list(z.union([person, line])))
  return {
    ...changes,
    abstract: z.optional(z.nullable(abstract)),
    note: z.optional(z.nullable(lineOf(limits.MAX_NOTE_CHARS))),
    type: z.optional(z.enum(WORK_TYPES)),
    authors: people,
    editors: people,
    year: z.optional(z.nullable(field.year)),
  }
})
export type WorkPatch = z.output<typeof workPatch>

const TAGS = '<tag> add these tags to each of them'

export const importRequest = options(() => ({
  namespace: field.writeTo,
  tags: withDefault(field.labels, [], TAGS),
  /** A work keeps the source it has. */
  source: nullable(field.label, 'the source of the works'),
  batch: withDefault(field.batch, 1000, 'how many works to write in one transaction'),
  dryRun: flag('report the changes, and write nothing'),
}))
export type WorksImportInput = z.input<typeof importRequest>
export const worksRequest = options(() => ({
  works: required(
    field.many(workInput),
    '<work> the works, each with a title and whatever else is known',
  ),
  ...importRequest.shape,
}))

const NAMES = 'id, DOI, OpenAlex id, arXiv id or citation key'
const work = required(field.name, `<id> the ${NAMES} of a work`)
const works = required(field.names, `<id> the ${NAMES} of each work`)
export const oneWork = options(() => ({ id: work }))

export const duplicatesRequest = options(() => ({
  namespaces: field.namespaces,
  tags: filterOptions.shape.tags,
}))
export const mergeRequest = options(() => ({
  id: required(field.name, `<id> the ${NAMES} of the work to keep`),
  other: required(field.name, `<id> the ${NAMES} of the duplicate`),
}))

const MAX_STYLE_CHARS = 1_000_000
const styleOf = (help: string) =>
  withHelp(z.optional(z.string().check(z.maxLength(MAX_STYLE_CHARS))), help, CITATION_STYLES)
const STYLE_NAMES = CITATION_STYLES.join(', ')

export const citeRequest = options(() => ({
  ids: works,
  style: styleOf(`<style> ${STYLE_NAMES}, or a CSL style (default: plain)`),
}))
export const exportRequest = options(() => ({
  format: withDefault(z.enum(EXPORT_FORMATS), 'bibtex', '<format> the format to write'),
  works: withDefault(
    field.anyNames,
    [],
    `<id> the ${NAMES} of each work (default: all that pass the filters)`,
  ),
  style: styleOf(
    '<style> write references instead: apa, ieee, …, or a CSL style; also as markdown',
  ),
  query: optional(field.name, 'only the works that a search finds for this, best first'),
  limit: optional(field.limit, 'with a query: how many at most (default: 100)'),
  ...filterOptions.shape,
}))

export const MAX_WORKS = 1000

const directions = () => ({
  references: withDefault(z.boolean(), true, 'follow the works it cites'),
  citations: withDefault(z.boolean(), true, 'follow the works that cite it'),
})

export const exploreRequest = options(() => {
  const { kinds, ids, includeDocuments, ...narrowing } = filterOptions.shape
  return {
    ...narrowing,
    depth: withDefault(field.whole(0, 10), 2, 'how many hops from the start'),
    maxWorks: withDefault(
      field.whole(1, MAX_WORKS),
      100,
      'how many works at most, including the start',
    ),
    ...directions(),
    lens: withDefault(field.anyName, 'balanced', '<name> how the start is ranked'),
    decay: withDefault(
      z.number().check(z.gt(0), z.maximum(1)),
      0.7,
      '<0..1> the share of relevance that remains after each hop',
    ),
    online: flag('query OpenAlex at each hop, and store the works it returns'),
  }
})
export type ExploreInput = WithSingular<z.input<typeof exploreRequest>>
export const exploreFromRequest = options(() => ({
  from: required(field.name, '<query|id> a question, or a work by any of its names'),
  ...exploreRequest.shape,
}))

export const exploreStart = z.union([
  z.strictObject({ query: field.name }),
  z.strictObject({ id: field.name }),
])
export type ExploreStart = z.input<typeof exploreStart>

const onlineLimit = (byDefault: number) =>
  withDefault(field.whole(1, 1000), byDefault, 'how many at most')

export const onlineSearch = options(() => ({
  limit: onlineLimit(25),
  since: optional(field.anyName, '<date> published then or later: 2019, 2019-07, 2019-07-28'),
}))
export type OnlineSearchInput = z.input<typeof onlineSearch>

/** The limit is for each direction. */
export const onlineExpand = options(() => ({ ...directions(), limit: onlineLimit(50) }))
export type OnlineExpandInput = z.input<typeof onlineExpand>

const target = () => ({ namespace: field.writeTo, tags: optional(field.labels, TAGS) })
export const onlineGetRequest = options(() => ({
  ids: required(field.names, '<id> the DOI, OpenAlex id or arXiv id of each work'),
  ...target(),
}))
export const onlineSearchRequest = options(() => ({
  query: required(field.name, 'the words to search for'),
  ...onlineSearch.shape,
  ...target(),
}))
export const onlineExpandRequest = options(() => ({ id: work, ...onlineExpand.shape, ...target() }))
