/** Changes members and items of a JSON text and leaves every other character, and every comment, as it is. */

type Stretch = { readonly start: number; readonly end: number }
export type JsonPlace = Stretch & {
  /** Of an object. */
  readonly members: readonly JsonMember[] | null
  /** Of a list. */
  readonly items: readonly JsonPlace[] | null
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
    const items: JsonPlace[] = []
    const sign = text[start]
    if (sign === '{') readList('}', () => void members.push(readMember()))
    else if (sign === '[') readList(']', () => void items.push(readValue()))
    else take(SCALAR)
    const inner = { members: sign === '{' ? members : null, items: sign === '[' ? items : null }
    return { start, end: at, ...inner }
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

/** The text with this value as the first item of the list at this path; null where something there is no list. */
export function addJsonItem(
  text: string,
  root: JsonPlace,
  path: readonly string[],
  value: unknown,
): string | null {
  const list = findMember(root, path)?.value
  if (list === undefined) return setJsonMember(text, root, path, [value])
  if (list.items === null) return null
  const depth = path.length + 1
  return insertFirst(text, list, { entry: indent(value, depth), depth })
}

/** The text without the member at this path; unchanged where there is none. For JSON without comments. */
export function removeJsonMember(text: string, root: JsonPlace, path: readonly string[]): string {
  const member = findMember(root, path)
  return member === undefined ? text : cutOut(text, toStretch(member))
}

/**
 * The text without the objects inside the member of this name that have a member which `isOurs` picks, and without lists
 * and objects around them that hold nothing else.
 */
export function removeJsonObjects(
  text: string,
  root: JsonPlace,
  { name, isOurs }: { readonly name: string; readonly isOurs: (member: JsonMember) => boolean },
): string {
  const member = findMember(root, [name])
  if (member === undefined) return text
  const { isAll, stretches } = findObjects(member.value, isOurs)
  // From the end: what stands before a stretch keeps its position.
  return (isAll ? [toStretch(member)] : stretches).reduceRight(cutOut, text)
}

function findObjects(
  { members, items }: JsonPlace,
  isOurs: (member: JsonMember) => boolean,
): { readonly isAll: boolean; readonly stretches: readonly Stretch[] } {
  if (members?.some(isOurs)) return { isAll: true, stretches: [] }
  const inside = members?.map((one) => ({ ...toStretch(one), value: one.value }))
  const children = inside ?? items?.map((value) => ({ start: value.start, end: value.end, value }))
  const found = children?.map((child) => ({ child, ...findObjects(child.value, isOurs) })) ?? []
  return {
    isAll: found.length > 0 && found.every(({ isAll }) => isAll),
    stretches: found.flatMap(({ child, isAll, stretches }) => (isAll ? [child] : stretches)),
  }
}

function findMember(root: JsonPlace, path: readonly string[]): JsonMember | undefined {
  let place: JsonPlace | undefined = root
  let member: JsonMember | undefined
  for (const name of path) {
    member = place?.members?.findLast((one) => one.name === name)
    place = member?.value
  }
  return member
}

function toStretch({ start, value }: JsonMember): Stretch {
  return { start, end: value.end }
}

/** With the comma after it, or as the last with the one before it. */
function cutOut(text: string, { start, end }: Stretch): string {
  const before = text.slice(0, start).trimEnd()
  const after = text.slice(end).trimStart()
  if (after.startsWith(',')) return before + after.slice(1)
  return before.replace(/,$/, '') + text.slice(end)
}

function indent(value: unknown, depth: number): string {
  return JSON.stringify(value, null, 2).replaceAll('\n', `\n${'  '.repeat(depth)}`)
}

/** As the first member or item, so that what follows keeps its commas and comments. */
function insertFirst(
  text: string,
  { start, members, items }: JsonPlace,
  { entry, depth }: { readonly entry: string; readonly depth: number },
): string {
  const isAlone = (members ?? items)?.length === 0
  const line = `\n${'  '.repeat(depth)}${entry}${isAlone ? '' : ','}`
  const after = text.slice(start + 1)
  const closes = isAlone && /^\s*[}\]]/.test(after)
  const rest = closes ? `\n${'  '.repeat(depth - 1)}${after.trimStart()}` : after
  return text.slice(0, start + 1) + line + rest
}
