/** Promise: flags become the parts of a request under the request's own names. */

import { badInput } from '../../core/errors.js'
import type { RecordPatch } from '../../requests/record-requests.js'
import type { FlagValues } from './command.js'

/** What of a record the flags set; absent flags set nothing. */
export function recordParts(flags: FlagValues): RecordPatch {
  const { title, kind, tag, source, person, occurred, namespace, session } = flags
  const { importance, salience, sector, tier } = flags
  return compact({
    title,
    kind,
    tags: withoutBlank(tag),
    source,
    people: withoutBlank(person),
    occurredAt: occurred,
    importance,
    salience,
    sector,
    tier,
    namespace,
    session,
  }) as RecordPatch
}

/** `--tag ""` is the way to say "no tags". */
function withoutBlank(values: unknown): unknown {
  return Array.isArray(values) ? values.filter((value) => value.trim() !== '') : values
}

/** `key=value` pairs; a value that reads as JSON (a number, true, a list) is that, anything else is text. */
export function metadataParts(flags: FlagValues): Record<string, unknown> | undefined {
  const pairs = flags.meta
  if (!Array.isArray(pairs)) return undefined
  return Object.fromEntries(
    pairs.map((pair: string) => {
      const at = pair.indexOf('=')
      if (at < 1) throw badInput(`--meta takes key=value, not "${pair}".`)
      return [pair.slice(0, at), readMetaValue(pair.slice(at + 1))]
    }),
  )
}

function readMetaValue(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

export function compact(parts: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined))
}
