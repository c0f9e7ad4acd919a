/** What stands between two lines of a PDF is what a writer would have typed there. */

import type { Line } from './lines.js'

export type Joint = {
  readonly between: '' | ' ' | '\n' | '\n\n'
  /** Whether the hyphen at the end of the first line goes. */
  readonly dropsHyphen: boolean
}

/** What is known about the surroundings of two lines. */
export type Surroundings = {
  readonly isSamePage: boolean
  /** From line to line within a paragraph, as a multiple of the size of the letters. */
  readonly leading: number
  /** The line after the second one, on the same page. */
  readonly after: Line | undefined
  /** Whether the second line could have begun on the first one, and did not. */
  readonly beginsAnew: boolean
  /** What `wordsOf` found in the document: in lower case, compounds with their hyphens. */
  readonly words: ReadonlySet<string>
}

/** A gap this much wider than the leading ends a paragraph. */
const PARAGRAPH_GAP = 1.35
const SAME_SIZE = 1.12
export const SOFT_HYPHEN = '\u00ad'
const BREAK: Joint = { between: '\n\n', dropsHyphen: false }

const HYPHEN = /(?<=\p{L}\p{M}*)[-\u2010\u00ad]$/u
const LAST_WORD = /([\p{L}\p{M}]+(?:[-\u2010][\p{L}\p{M}]+)*)[-\u2010\u00ad]$/u
const FIRST_WORD = /^[\p{L}\p{M}]+/u
const SENTENCE_END = /[.!?:;…。！？][\p{Pe}\p{Pf}"'\d]*$/u
const ITEM = /^(?:[•◦▪‣∙●■–—] ?\S|\[\d{1,3}\] |\(?\d{1,2}[.)] )/
/** An entry of a table of contents, after its dots were taken together. */
const CONTENTS = / … ?[\divxlc]+$/
const OPEN_ADDRESS = /(?:https?:\/\/|doi\.org\/|\b10\.\d{4,9}\/)\S*[/_=&?-]$/i
const NO_SPACES =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3001-\u303f\uff00-\uff65]/u

export function jointOf(above: Line, below: Line, around: Surroundings): Joint {
  const joint = plainJointOf(above, below, around)
  // A soft hyphen is never a character of the text, whatever follows it.
  return above.text.endsWith(SOFT_HYPHEN) ? { ...joint, dropsHyphen: true } : joint
}

function plainJointOf(above: Line, below: Line, around: Surroundings): Joint {
  const flow = flowOf(above, below, around)
  if (flow === 'apart') return BREAK
  const hyphen = hyphenOf(above, below, around.words)
  if (hyphen !== null) return hyphen
  if (flow === 'jump' && !isUnfinished(above, below)) return BREAK
  if (around.beginsAnew || ITEM.test(below.text) || CONTENTS.test(above.text)) {
    return { between: '\n', dropsHyphen: false }
  }
  return { between: isWithoutSpace(above, below, around.words) ? '' : ' ', dropsHyphen: false }
}

/** Whether the lines follow each other, or over the end of a column or a page, or not at all. */
function flowOf(above: Line, below: Line, around: Surroundings): 'next' | 'jump' | 'apart' {
  if (above.angle !== below.angle) return 'apart'
  const size = Math.max(above.size, below.size)
  if (size > Math.min(above.size, below.size) * SAME_SIZE) return 'apart'
  if (!around.isSamePage) return 'jump'
  const step = above.height - below.height
  const isBeside = below.left >= above.right || above.left >= below.right
  if (step <= 0 || isBeside) return 'jump'
  if (step > around.leading * PARAGRAPH_GAP * size) return 'apart'
  return isIndented(above, below, around.after) ? 'apart' : 'next'
}

/** The first line of a paragraph that is indented instead of set apart: the next one is not. */
function isIndented(above: Line, below: Line, after: Line | undefined): boolean {
  if (after === undefined || !SENTENCE_END.test(above.text)) return false
  const indent = below.left - above.left
  const isBack = Math.abs(after.left - above.left) < below.size * 0.3
  return isBack && indent > below.size * 0.7 && indent < below.size * 4
}

function isUnfinished(above: Line, below: Line): boolean {
  return !SENTENCE_END.test(above.text) && /^\p{Ll}/u.test(below.text)
}

/**
 * "infor-" and "mation" are one word. The hyphen of "state-of-the-" stays, and that of "well-" where
 * the document writes "well-known" elsewhere and never "wellknown".
 */
function hyphenOf(above: Line, below: Line, words: ReadonlySet<string>): Joint | null {
  if (!HYPHEN.test(above.text) || !/^\p{Ll}/u.test(below.text)) return null
  if (above.text.endsWith(SOFT_HYPHEN)) return { between: '', dropsHyphen: true }
  const left = LAST_WORD.exec(above.text)?.[1]?.toLowerCase() ?? ''
  const right = FIRST_WORD.exec(below.text)?.[0].toLowerCase() ?? ''
  const isCompound =
    /[-\u2010]/.test(left) || (words.has(`${left}-${right}`) && !words.has(left + right))
  return { between: '', dropsHyphen: !isCompound }
}

function isWithoutSpace(above: Line, below: Line, words: ReadonlySet<string>): boolean {
  if (isTornWord(above, below, words)) return true
  if (OPEN_ADDRESS.test(above.text)) return true
  return NO_SPACES.test(above.text.slice(-1)) && NO_SPACES.test(below.text.slice(0, 1))
}

/**
 * PDF.js leaves soft hyphens out, also where one is shown at the end of a line. What the document has
 * as one word elsewhere, and neither part of it as a word, was torn by such a hyphen.
 */
function isTornWord(above: Line, below: Line, words: ReadonlySet<string>): boolean {
  const left = /\p{L}\p{Ll}+$/u.exec(above.text)?.[0].toLowerCase()
  const right = /^\p{Ll}{2,}/u.exec(below.text)?.[0]
  if (left === undefined || right === undefined) return false
  return words.has(left + right) && !words.has(left) && !words.has(right)
}

/** The words within the lines: those at their ends may be parts of words. */
export function wordsOf(lines: Iterable<Line>): ReadonlySet<string> {
  const words = new Set<string>()
  for (const { text } of lines) {
    const within = text.toLowerCase().replaceAll('\u2010', '-').split(' ').slice(1, -1).join(' ')
    for (const [word] of within.matchAll(/[\p{L}\p{M}]+(?:-[\p{L}\p{M}]+)*/gu)) words.add(word)
  }
  return words
}
