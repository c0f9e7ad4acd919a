/** Converts a short piece of Markdown or HTML to plain text and maps offsets. */

import type { Range } from '../core/answer.js'
import { ADDRESS, BLOCK_TAGS, DEFINITION, OPEN_TAG, UNSEEN, URL } from './markup.js'

/** Names in code such as `__init__` are not emphasis. */
const NAMES =
  'all|call|class|del|dict|dirname|doc|enter|eq|exit|file|filename|hash|init|iter|len|main|mocks|name|new|next|proto|pycache|repr|str|tests|typename|version'

/**
 * Each rule removes its matches, except the group `shown`. Matches may overlap: `**[a](b)**`. A rule runs only if the text
 * contains one of its signs, because most snippets have one sign and there are thirty rules.
 */
const MARKUP: readonly (readonly [signs: string, rule: RegExp])[] = [
  ['<!-- <script <style %%', new RegExp(UNSEEN, 'dgim')],
  // Fences, horizontal rules and the line below a table header.
  ['``` ~~~', /^[ \t>]*(?:`{3,}|~{3,}).*$/dgm],
  ['- * _ =', /^[ \t]*(?:[-*_=][ \t]*){3,}$/dgm],
  ['--', /^[ \t]*\|?[ \t]*:?-{2,}:?[ \t]*(?:\|[ \t:-]*)*$/dgm],
  // Marks at the start of a line: quotes, headings, lists with check boxes, tables.
  ['>', /^[ \t]*(?:>[ \t]?)+/dgm],
  ['#', /^[ \t>]*#{1,6}[ \t]+/dgm],
  ['- * +', /^[ \t>]*[-*+][ \t]+(?:\[[ xX]\][ \t]+)?/dgm],
  ['|', /^[ \t]*\|[ \t]*|(?<=^[ \t]*\|.*)[ \t]*(?<!\\)\|[ \t]*$/dgm],
  // Links and images; the snippet may begin or end inside one.
  ['[[', /!?\[\[(?:[^[\]|\n]*\|)?(?<shown>[^[\]|\n]+)\]\]/dg],
  ['](', new RegExp(String.raw`!?\[(?<shown>[^[\]]*)\]\(${ADDRESS}\)`, 'gd')],
  [
    '](',
    new RegExp(
      String.raw`\[(?<shown>[^[\]]*!\[[^[\]]*\]\(${ADDRESS}\)[^[\]]*)\]\(${ADDRESS}\)`,
      'gd',
    ),
  ],
  ['](', new RegExp(String.raw`^(?<shown>[^[\]\n]*)\]\(${ADDRESS}\)`, 'gd')],
  ['](', /!?\[(?<shown>[^[\]]*)\]\([^()\s]*$/dg],
  ['][', /(?<![\w\])])\[(?<shown>[^[\]]+)\]\[[^[\]]*\]/dg],
  [']:', new RegExp(DEFINITION, 'dgm')],
  ['[^', /\[\^[^\]\s]+\]:?/dg],
  // Emphasis and code.
  ['`', /(?<ticks>`+)(?<shown>[^`\n]+)\k<ticks>/dg],
  ['`', /`(?=[^`]*$)/dg],
  ['** ~~ ==', /(?<mark>\*{2,3}|~~|==)(?=\S)(?<shown>(?:(?!\k<mark>)[^\n])+?)(?<=\S)\k<mark>/dg],
  ['*', /(?<![\w*\\])\*(?=[^\s*])(?<shown>[^*\n]*[^\s*])\*(?![\w*])/dg],
  ['_', /(?<![\w_\\])_(?=[^\s_])(?<shown>[^_\n]*[^\s_])_(?![\w_])/dg],
  [
    '__',
    new RegExp(
      String.raw`(?<![\w\\.])__(?=\S)(?!(?:${NAMES})__)(?<shown>[^_\n]+)(?<=\S)__(?![\w(])`,
      'dg',
    ),
  ],
  ['\\', /\\(?=[*_`~#|<>[\]])/dg],
  // Tags; the snippet may begin or end inside one.
  ['<!--', /(?<!`)<!--(?:(?!-->)[\s\S])*$/dg],
  ['<', new RegExp(`${OPEN_TAG}(?:>|$)`, 'dgi')],
  // Links in angle brackets.
  [':// @', /<(?<shown>(?:https?:\/\/|mailto:|[\w.+-]+@)[^<>\s]+)>/dg],
  ['>', /^[^<>]*?=["'][^"'<>]*["'][ \t]*\/?>/dg],
]
const RULES = MARKUP.map(([signs, rule]) => ({ signs: signs.split(' '), rule }))
const AFTER_HEADING = /(?<=^[ \t>]*#{1,6}[ \t]+[^\n]*[^\s#:])[ \t#]*\n\s*(?=\S)/gm
const BETWEEN_CELLS = /(?<=^[ \t]*\|.*\S)[ \t]*(?<!\\)\|[ \t]*(?=\S)/gm
const ENTITY = /&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,8}));/gi
const BLOCK = new RegExp(BLOCK_TAGS, 'gi')
const ADDRESSES = new RegExp(URL, 'g')

type Edit = Range & { readonly text: string }

/**
 * Maps ranges of the text to ranges of the plain text. Drops ranges in removed text and in URLs.
 * @example
 * toPlainText('See [the *plan*](plan.md).', [{ start: 10, end: 14 }])
 * // { text: 'See the plan.', ranges: [{ start: 8, end: 12 }] }
 */
export function toPlainText(text: string, ranges: readonly Range[] = []) {
  const edits = listEdits(text)
  const whole = applyEdits(text, edits)
  const lead = whole.length - whole.trimStart().length
  // Without the dot after a heading whose text was removed.
  const plain = whole.trim().replace(/ ·$/, '').trimEnd()
  const urls = [...plain.matchAll(ADDRESSES)].map(({ 0: url, index }) => [
    index,
    index + url.length,
  ])
  const toPlain = (offset: number): number =>
    Math.min(plain.length, Math.max(0, mapOffset(edits, offset) - lead))
  const mapped = ranges
    .map(({ start, end }) => ({ start: toPlain(start), end: toPlain(end) }))
    .filter(({ start, end }) => start < end)
    .filter(({ start, end }) => !urls.some(([from = 0, to = 0]) => start < to && end > from))
  return { text: plain, ranges: mapped }
}

/** A text without any of these is already plain. */
const SIGN = /[*_`[<&|#~>\\]|%%|==|---|===|^[ \t]*[-+][ \t]/m

/** Sorted, without overlaps. */
function listEdits(text: string): Edit[] {
  if (!SIGN.test(text)) return []
  const applying = RULES.filter(({ signs }) => signs.some((sign) => text.includes(sign)))
  const removed = applying.flatMap(({ rule }) =>
    [...text.matchAll(rule)].flatMap(({ index, 0: found, indices }) => {
      const end = index + found.length
      const [from, to] = indices?.groups?.shown ?? [end, end]
      return [
        { start: index, end: from, text: '' },
        { start: to, end, text: '' },
      ]
    }),
  )
  const replaced = [
    ...findAll(text, '|', BETWEEN_CELLS).map((found) => toEdit(found, ' · ')),
    ...findAll(text, '#', AFTER_HEADING).map((found) => toEdit(found, ' · ')),
    ...findAll(text, '<', BLOCK).map((found) => toEdit(found, separate(found[0]))),
    ...findAll(text, '&', ENTITY).map((found) => toEdit(found, decodeEntities(found[0]))),
  ]
  const edits: Edit[] = []
  let at = 0
  for (const edit of [...replaced, ...removed].sort((a, b) => a.start - b.start || b.end - a.end)) {
    const start = Math.max(edit.start, at)
    if (start >= edit.end) continue
    edits.push({ ...edit, start })
    at = edit.end
  }
  return edits
}

/** Runs the rule only if the sign occurs: its lookbehind is slow. */
function findAll(text: string, sign: string, rule: RegExp): RegExpExecArray[] {
  return text.includes(sign) ? [...text.matchAll(rule)] : []
}

function toEdit({ index, 0: found }: RegExpExecArray, text: string): Edit {
  return { start: index, end: index + found.length, text }
}

/** Between the cells of a row there is a dot, between other blocks a new line. */
function separate(tags: string): string {
  return /<\/t[dh]\b/i.test(tags) && !/<\/?tr\b/i.test(tags) ? ' · ' : '\n'
}

function applyEdits(text: string, edits: readonly Edit[]): string {
  let at = 0
  let plain = ''
  for (const { start, end, text: inserted } of edits) {
    plain += text.slice(at, start) + inserted
    at = end
  }
  return plain + text.slice(at)
}

/** An offset inside an edit maps to the end of the inserted text. */
function mapOffset(edits: readonly Edit[], offset: number): number {
  let shift = 0
  for (const { start, end, text } of edits) {
    if (start >= offset) break
    shift += text.length - (Math.min(end, offset) - start)
  }
  return offset + shift
}

const ENTITIES: ReadonlyMap<string, string> = new Map(
  `amp:& lt:< gt:> quot:" apos:' nbsp:\u00a0 ndash:– mdash:— hellip:… rsquo:’ lsquo:‘ rdquo:” ldquo:“ euro:€`
    .split(' ')
    .map((pair) => pair.split(':') as [string, string]),
)

export function decodeEntities(text: string): string {
  return text.replace(ENTITY, decodeEntity)
}

function decodeEntity(whole: string, decimal?: string, hex?: string, name?: string): string {
  if (name !== undefined) return ENTITIES.get(name.toLowerCase()) ?? whole
  const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal)
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code).toWellFormed() : whole
}
