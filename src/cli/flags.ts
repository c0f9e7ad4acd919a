/** Derives the flags of a command from the options of its operation, and describes the flags that commands share. */

import type { OperationName } from '../operations/operations.js'
import type { Flag, Flags, OptionInfo } from './command.js'
import { OPERATION_TABLE, SETTING_TABLE } from './options.generated.js'

/** Another name or form of the flags for an option: `{ people: { person: {} } }` makes `people` `--person`. */
export type FlagOverrides<Key extends string = string> = {
  readonly [K in Key]?: Readonly<Record<string, Partial<Flag>>>
}

const off = (help: string): Partial<Flag> => ({ form: 'off', help })

/** Flags whose names differ from their options, in every command. */
const RENAMED: FlagOverrides = {
  people: { person: {} },
  occurredAt: { occurred: {} },
  startedAt: { started: {} },
  dateField: { date: {} },
  recallSession: { recall: {} },
  maxWorks: { max: {} },
  revision: { to: {} },
  years: { year: { form: 'years' } },
  boosts: { boost: { form: 'boosts' } },
  includeDocuments: { 'no-documents': off('leave documents out') },
  includeFacts: { 'no-facts': off('show no facts') },
  highlight: { 'no-highlight': off('mark no words and cut no snippets') },
  useVector: { 'no-vector': off('search without vectors') },
  prune: { prune: {}, 'no-prune': off('keep records whose file is gone') },
}

/** Options that are objects: several flags set their parts. */
const OBJECTS: FlagOverrides = {
  tags: {
    tag: { path: ['any'], help: 'has any of these tags' },
    'all-tags': { path: ['all'], help: 'has all of these tags' },
    'no-tag': { path: ['none'], help: 'has none of these tags' },
  },
  ids: {
    id: { path: ['in'], help: 'only these records' },
    'not-id': { path: ['out'], help: 'without these records' },
  },
  metadata: { meta: { form: 'pairs' } },
  where: {
    where: {
      form: 'tests',
      help: 'by metadata: status=active, year>=2020, author.name=Ada, or a key that is there',
    },
  },
}

const NOT_IN_LENSES = ['offset', 'recallSession', 'asOf', 'marks', 'wideFacets', 'rerank']

const SHOWN = new Set(
  'limit offset cursor deleted recallSession includeFacts context facets highlight explain'.split(
    ' ',
  ),
)
const FILTERS = new Set([
  ...Object.keys(OPERATION_TABLE.list.options).filter((key) => !SHOWN.has(key)),
  ...['minConfidence', 'asOf', 'threshold'],
])

export function deriveFlags(
  operation: OperationName,
  without: readonly string[],
  overrides: FlagOverrides = {},
): Flags {
  const { options } = OPERATION_TABLE[operation]
  const flags = Object.entries(options).flatMap(([key, info]): [string, Flag][] => {
    if (without.includes(key)) return []
    if (operation === 'lens.save' && key === 'options') return deriveLensFlags()
    const byDefault = info.type === 'object' ? OBJECTS[key] : RENAMED[key]
    const named = overrides[key] ?? byDefault ?? { [nameFlag(key, info)]: {} }
    const section = chooseSection(operation, key)
    return Object.entries(named).map(([name, override]) => [
      name,
      {
        ...info,
        type: info.type === 'object' ? 'list' : info.type,
        ...(section !== undefined && { section }),
        ...override,
        path: [key, ...(override.path ?? [])],
      },
    ])
  })
  return Object.fromEntries(flags)
}

/** A lens sets no option that is not given, so its flags have no defaults. */
function deriveLensFlags(): [string, Flag][] {
  const flags = Object.entries(deriveFlags('search', NOT_IN_LENSES))
  return flags.map(([name, { default: _, ...flag }]) => [
    name,
    { ...flag, path: ['options', ...(flag.path ?? [])] },
  ])
}

/** `includeGlobal` → `include-global`; a list is given one value at a time: `tags` → `tag`. */
function nameFlag(key: string, { type }: OptionInfo): string {
  const kebab = key.replace(/[A-Z]/g, (capital) => `-${capital.toLowerCase()}`)
  return type === 'list' ? kebab.replace(/s$/, '') : kebab
}

/** Commands with filters have their flags under several headings. */
function chooseSection(operation: OperationName, key: string): string | undefined {
  if (key === 'online') return NETWORK
  if (!('includeGlobal' in OPERATION_TABLE[operation].options)) return undefined
  const isOfWorks = operation === 'explore' || operation === 'export'
  if (FILTERS.has(key)) return isOfWorks ? 'Which works' : 'Which records'
  if (SHOWN.has(key)) return 'What to show'
  return operation === 'search' ? 'How to rank them' : undefined
}

/** The letters that people expect. */
export const SHORT_FLAGS: Readonly<Record<string, string>> = {
  limit: 'n',
  output: 'o',
  quiet: 'q',
  json: 'j',
  db: 'd',
  help: 'h',
}

/** Of a command with many options, its help shows these first. */
export const EVERYDAY_FLAGS: ReadonlySet<string> = new Set(
  'limit mode kind tag since until namespace sort facets explain long title session format output include exclude again dry-run git json db'.split(
    ' ',
  ),
)

const COMMON = 'Common options'
const NETWORK = 'Network'

export const SECTIONS: readonly string[] = [
  'Options',
  'What to show',
  'Which records',
  'Which works',
  'How to rank them',
  NETWORK,
  COMMON,
]

export function textFlag(value: string, help: string, more: Partial<Flag> = {}): Flag {
  return { type: 'text', value, help, ...more }
}

export function numberFlag(help: string, more: Partial<Flag> = {}): Flag {
  return { type: 'number', value: 'n', help, ...more }
}

export function switchFlag(help: string, more: Partial<Flag> = {}): Flag {
  return { type: 'switch', help, ...more }
}

/** A flag that gives a setting for one run. */
export function settingFlag(setting: keyof typeof SETTING_TABLE, more: Partial<Flag> = {}): Flag {
  return { ...SETTING_TABLE[setting], setting, ...more }
}

function inSection(section: string, flags: Flags): Flags {
  const entries = Object.entries(flags).map(([name, flag]) => [name, { ...flag, section }])
  return Object.fromEntries(entries)
}

export const PLAIN_FLAGS: Flags = inSection(COMMON, {
  json: switchFlag('print one JSON document instead of text'),
  quiet: switchFlag('print no progress and no remarks'),
  help: switchFlag('show this help'),
})

export const FILE_FLAGS: Flags = {
  ...inSection(COMMON, {
    db: settingFlag('db'),
    'log-level': settingFlag('log.level', { value: 'level' }),
    'log-file': settingFlag('log.file'),
  }),
  ...PLAIN_FLAGS,
}

export const NETWORK_FLAGS: Flags = inSection(NETWORK, {
  'base-url': settingFlag('openAlex.baseUrl', { value: 'url' }),
  mailto: settingFlag('openAlex.mailto', { value: 'address' }),
})
