/** Edits members and items of a JSON text and keeps every other character and comment. */

type Span = { readonly start: number; readonly end: number }
export type JsonPlace = Span & {
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
 * Parses JSON into offsets. With `comments`, accepts comments and trailing commas, as in settings files of editors. The line
 * and the column of a syntax error count from 1.
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

/** Sets the value at a path of member names; null if something on the path is not an object. */
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

/** Adds a value as first item of the list at a path; null if there is something other than a list. */
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

/** Removes the member at a path, if there is one. For JSON without comments. */
export function removeJsonMember(text: string, root: JsonPlace, path: readonly string[]): string {
  const member = findMember(root, path)
  return member === undefined ? text : cutOut(text, toSpan(member))
}

/**
 * Removes the objects inside the named member that have a member accepted by `isOurs`, and lists and objects that become
 * empty.
 */
export function removeJsonObjects(
  text: string,
  root: JsonPlace,
  { name, isOurs }: { readonly name: string; readonly isOurs: (member: JsonMember) => boolean },
): string {
  const member = findMember(root, [name])
  if (member === undefined) return text
  const { isAll, spans } = findObjects(member.value, isOurs)
  // From the end, so that earlier offsets stay valid.
  return (isAll ? [toSpan(member)] : spans).reduceRight(cutOut, text)
}

function findObjects(
  { members, items }: JsonPlace,
  isOurs: (member: JsonMember) => boolean,
): { readonly isAll: boolean; readonly spans: readonly Span[] } {
  if (members?.some(isOurs)) return { isAll: true, spans: [] }
  const inside = members?.map((one) => ({ ...toSpan(one), value: one.value }))
  const children = inside ?? items?.map((value) => ({ start: value.start, end: value.end, value }))
  const found = children?.map((child) => ({ child, ...findObjects(child.value, isOurs) })) ?? []
  return {
    isAll: found.length > 0 && found.every(({ isAll }) => isAll),
    spans: found.flatMap(({ child, isAll, spans }) => (isAll ? [child] : spans)),
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

function toSpan({ start, value }: JsonMember): Span {
  return { start, end: value.end }
}

/** Also removes the comma after the span, or the one before it if it is the last. */
function cutOut(text: string, { start, end }: Span): string {
  const before = text.slice(0, start).trimEnd()
  const after = text.slice(end).trimStart()
  if (after.startsWith(',')) return before + after.slice(1)
  return before.replace(/,$/, '') + text.slice(end)
}

function indent(value: unknown, depth: number): string {
  return JSON.stringify(value, null, 2).replaceAll('\n', `\n${'  '.repeat(depth)}`)
}

/** Inserts a first member or item, so that the others keep their commas and comments. */
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
