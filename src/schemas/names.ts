/** Finds the option that a caller means: by its singular or plural, by a synonym, or by the nearest spelling. */

import type * as z from 'zod/mini'
import { nearestName } from '../text/nearest-name.js'

/** Options whose lists may also be named in the singular: `namespace` for `namespaces`. */
export type WithSingular<Options> = Options & {
  [Name in keyof Options as Name extends `${infer One}s`
    ? [Extract<Options[Name], readonly unknown[]>] extends [never]
      ? never
      : Exclude<One, keyof Options>
    : never]?: Options[Name]
}

/** Synonyms of options, in lower case without `_` and `-`. Of several options, the first that a schema has is meant. */
const SYNONYMS: Readonly<Record<string, string>> = {
  query: 'q question search searchquery searchterm term keyword keywords text prompt input topic',
  text: 'content body memory note message observation value newtext',
  body: 'content text memory note message',
  ids: 'recordid recordids memoryid memoryids documentid documentids uri',
  id: 'recordid memoryid documentid from key query about',
  limit: 'k n topk top count size max maxresults numresults pagesize perpage',
  since: 'from after start startdate starttime datefrom fromdate',
  until: 'to before end enddate endtime dateto todate',
  kinds: 'type types recordtype',
  people: 'person author authors',
  tags: 'labels label topics categories category',
  sessions: 'sessionid conversation conversationid',
  namespaces: 'project projects workspace',
  namespace: 'project workspace',
  budget: 'maxtokens tokens tokenbudget tokenlimit',
  supersedes: 'replaces corrects overrides',
  records: 'memories items notes entries documents',
  anchor: 'id recordid around center',
  relation: 'type kind direction how mode',
  action: 'operation op command type',
  by: 'newer newid replacement with',
  offset: 'skip',
  search: 'find lookup recall searchmemory searchmemories searchnodes memorysearch retrieve ask',
  get: 'read fetch open show load getmemory readnote opennodes',
  timeline: 'recent log events listmemories list history',
  remember:
    'add store save create write insert addmemory storememory savememory creatememory createentities addobservations',
  update: 'edit change correct supersede restore link undo updatememory',
  forget: 'delete remove deletememory deletememories removememory purge',
  explore: 'related similar why citations graph facts readgraph',
  briefing: 'status context start overview summary getcontext',
}

/** The option of the same name in another form: `namespace` for `namespaces`, `top_k` for `topK`. */
function findSameName(given: string, known: readonly string[]): string | null {
  const bare = simplify(given)
  const forms = [bare, `${bare}s`, bare.replace(/s$/, '')]
  return known.find((name) => forms.includes(simplify(name))) ?? null
}

/** The option that is meant without doubt, or null. */
export function findName(given: string, known: readonly string[]): string | null {
  const same = findSameName(given, known)
  if (same !== null) return same
  const bare = simplify(given)
  const isMeant = (name: string) => (SYNONYMS[name] ?? '').split(' ').includes(bare)
  return known.find(isMeant) ?? null
}

export function suggestName(given: string, known: readonly string[]): string {
  const near = findName(given, known) ?? nearestName(given, known)
  return near === null ? `There are ${known.join(', ')}.` : `Did you mean "${near}"?`
}

function simplify(name: string): string {
  return name.toLowerCase().replace(/[_-]/g, '')
}

/** Renames options from the singular or plural to the name in the schema: `namespace` to `namespaces`. */
export function resolveNames<T>(schema: z.ZodMiniType, input: T): T {
  const { shape } = schema as z.ZodMiniObject
  if (shape === undefined || typeof input !== 'object' || input === null) return input
  const known = Object.keys(shape)
  let hasRenamed = false
  const entries = Object.entries(input).map(([key, value]) => {
    const name = Object.hasOwn(shape, key) ? null : findSameName(key, known)
    if (name === null || Object.hasOwn(input, name)) return [key, value]
    hasRenamed = true
    return [name, toForm(shape[name] as z.ZodMiniType, value)]
  })
  return hasRenamed ? (Object.fromEntries(entries) as T) : input
}

/** Makes a list of a single value, or a single value of a list of one, if the option takes it. */
function toForm(schema: z.ZodMiniType, value: unknown): unknown {
  const other = Array.isArray(value) && value.length === 1 ? value[0] : [value]
  return !schema.safeParse(value).success && schema.safeParse(other).success ? other : value
}
