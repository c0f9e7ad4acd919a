/** What a Markdown file says of itself at its top is told apart from its text, whole or not at all. */

export type FrontMatter = {
  /** Values as YAML 1.2 reads them: dates stay as they were written. Empty where there is no front matter. */
  readonly data: Readonly<Record<string, unknown>>
  /** `text.slice(bodyStart)`: the whole text where the front matter could not be read. */
  readonly body: string
  readonly bodyStart: number
  /** One sentence, where there is front matter and it could not be read. */
  readonly problem: string | null
}

type Block = { readonly mark: string; readonly inner: string; readonly end: number }

/** Longer than this it is a text between two rules. */
const MAX_CHARS = 100_000
const OPENING = /^\ufeff?(---|\+\+\+)[ \t]*\r?\n/
const LOOP = 'a value contains itself'
const TOML = 'The front matter is TOML, which is not read; it stays in the text.'

/**
 * @example
 * await readFrontMatter('---\ntags: [a, b]\n---\n# Title\n')
 * // { data: { tags: ['a', 'b'] }, body: '# Title\n', bodyStart: 22, problem: null }
 */
export async function readFrontMatter(text: string): Promise<FrontMatter> {
  const whole = { data: {}, body: text, bodyStart: 0 }
  const block = findBlock(text)
  if (block === null) return { ...whole, problem: null }
  if (block.mark === '+++') return { ...whole, problem: TOML }
  const { data, problem } = await readYaml(block.inner)
  if (data === null) return { ...whole, problem }
  return { data, body: text.slice(block.end), bodyStart: block.end, problem: null }
}

/** From the mark in the first line to the line that closes it; without one it is a rule of the text. */
function findBlock(text: string): Block | null {
  const opening = OPENING.exec(text)
  const mark = opening?.[1]
  if (opening === null || mark === undefined) return null
  const start = opening[0].length
  const closing = mark === '---' ? /^(?:---|\.\.\.)[ \t]*\r?$/m : /^\+\+\+[ \t]*\r?$/m
  const found = closing.exec(text.slice(start, start + MAX_CHARS))
  if (found === null) return null
  const newline = text.indexOf('\n', start + found.index)
  const end = newline < 0 ? text.length : newline + 1
  return { mark, inner: text.slice(start, start + found.index), end }
}

type Read = { readonly data: Record<string, unknown> | null; readonly problem: string | null }

async function readYaml(inner: string): Promise<Read> {
  const { LineCounter, parseDocument } = await import('yaml')
  const lineCounter = new LineCounter()
  try {
    const document = parseDocument(inner, { lineCounter, logLevel: 'silent', prettyErrors: false })
    const [error] = document.errors
    if (error !== undefined) {
      const line = lineCounter.linePos(error.pos[0]).line + 1
      return { data: null, problem: sentence(`line ${line}: ${error.message}`) }
    }
    const value: unknown = document.toJS()
    if (value === null || value === undefined) return { data: {}, problem: null }
    // Prose between two rules: nothing is wrong with it.
    if (!isRecord(value)) return { data: null, problem: null }
    return isTree(value) ? { data: value, problem: null } : { data: null, problem: sentence(LOOP) }
  } catch (error) {
    // Aliases that multiply without end are refused only when they are followed.
    return { data: null, problem: sentence(error instanceof Error ? error.message : String(error)) }
  }
}

function sentence(reason: string): string {
  const [line = ''] = reason.split('\n')
  return `The front matter is no valid YAML (${line.replace(/[\s.:]+$/, '')}); it stays in the text.`
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Whether no value contains itself, so that it can be walked and written down. */
function isTree(value: unknown, above: readonly unknown[] = []): boolean {
  if (typeof value !== 'object' || value === null) return true
  if (above.includes(value)) return false
  return Object.values(value).every((part) => isTree(part, [...above, value]))
}
