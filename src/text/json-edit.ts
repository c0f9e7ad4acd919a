/** Changes one member of a JSON text and leaves every other character, and every comment, as it is. */

export type JsonPlace = {
  readonly start: number
  readonly end: number
  readonly members: readonly JsonMember[] | null
}
export type JsonMember = {
  readonly name: string
  readonly start: number
  readonly value: JsonPlace
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON strings may not hold control characters
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y
const SCALAR = new RegExp(
  `${STRING.source}|-?(?:0|[1-9]\\d*)(?:\\.\\d+)?(?:[eE][+-]?\\d+)?|true|false|null`,
  'y',
)
const SPACE = /[ \t\n\r]*/y
const SPACE_OR_COMMENT = /(?:\s|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/y

/**
 * With `comments`, comments and commas before a closing bracket are accepted, as editors write them. The line and the
 * column where the text stops being JSON are counted from 1.
 * @example
 * readJsonPlaces('{"a": tru}') // { kind: 'broken', line: 1, column: 7 }
 */
export function readJsonPlaces(text: string, { comments = false } = {}) {
  let at = text.startsWith('\uFEFF') ? 1 : 0
  const take = (pattern: RegExp): string => {
    pattern.lastIndex = at
    const [found] = pattern.exec(text) ?? []
    if (found === undefined) throw new NotJson()
    at += found.length
    return found
  }
  const skip = () => take(comments ? SPACE_OR_COMMENT : SPACE)
  const readList = (closing: string, readOne: () => void): void => {
    at += 1
    skip()
    while (text[at] !== closing) {
      readOne()
      skip()
      if (text[at] === closing) break
      take(/,/y)
      skip()
      if (!comments && text[at] === closing) throw new NotJson()
    }
    at += 1
  }
  const readMember = (): JsonMember => {
    const start = at
    const name = JSON.parse(take(STRING)) as string
    skip()
    take(/:/y)
    return { name, start, value: readValue() }
  }
  const readValue = (): JsonPlace => {
    skip()
    const start = at
    const members: JsonMember[] = []
    const sign = text[start]
    if (sign === '{') readList('}', () => void members.push(readMember()))
    else if (sign === '[') readList(']', () => void readValue())
    else take(SCALAR)
    return { start, end: at, members: sign === '{' ? members : null }
  }
  try {
    const root = readValue()
    skip()
    if (at < text.length) throw new NotJson()
    return { kind: 'read', root } as const
  } catch (error) {
    if (!(error instanceof NotJson)) throw error
    const lines = text.slice(0, at).split(/\r\n|[\n\r]/)
    const column = (lines.at(-1)?.length ?? 0) + 1
    return { kind: 'broken', line: lines.length, column } as const
  }
}

class NotJson extends Error {}

/** The text with this value at this path of names; null where something on the path is no object. */
export function setJsonMember(
  text: string,
  root: JsonPlace,
  path: readonly string[],
  value: unknown,
): string | null {
  let place = root
  for (const [depth, name] of path.entries()) {
    if (place.members === null) return null
    const member = place.members.findLast((one) => one.name === name)
    if (member === undefined) {
      const rest = path.slice(depth + 1).reduceRight((inner, key) => ({ [key]: inner }), value)
      const entry = `${JSON.stringify(name)}: ${indent(rest, depth + 1)}`
      return insertFirst(text, place, { entry, depth: depth + 1 })
    }
    place = member.value
  }
  return text.slice(0, place.start) + indent(value, path.length) + text.slice(place.end)
}

/** The text without the member at this path; unchanged where there is none. For JSON without comments. */
export function removeJsonMember(text: string, root: JsonPlace, path: readonly string[]): string {
  let place: JsonPlace | undefined = root
  let member: JsonMember | undefined
  for (const name of path) {
    member = place?.members?.findLast((one) => one.name === name)
    place = member?.value
  }
  if (member === undefined) return text
  // With the comma after it, or as the last with the one before it.
  const before = text.slice(0, member.start).trimEnd()
  const after = text.slice(member.value.end).trimStart()
  if (after.startsWith(',')) return before + after.slice(1)
  return before.replace(/,$/, '') + text.slice(member.value.end)
}

function indent(value: unknown, depth: number): string {
  return JSON.stringify(value, null, 2).replaceAll('\n', `\n${'  '.repeat(depth)}`)
}

/** As the first member, so that what follows keeps its commas and comments. */
function insertFirst(
  text: string,
  { start, members }: JsonPlace,
  { entry, depth }: { readonly entry: string; readonly depth: number },
): string {
  const isAlone = members?.length === 0
  const line = `\n${'  '.repeat(depth)}${entry}${isAlone ? '' : ','}`
  const after = text.slice(start + 1)
  const closes = isAlone && /^\s*\}/.test(after)
  const rest = closes ? `\n${'  '.repeat(depth - 1)}${after.trimStart()}` : after
  return text.slice(0, start + 1) + line + rest
}
