/** In one file every work has a key of its own, which BibTeX accepts. */

import type { Work } from '../core/work.js'

const SMALL_WORDS: ReadonlySet<string> = new Set(
  'a an the on of in for and or to from with by at as is are how what why der die das le la les un une'.split(
    ' ',
  ),
)

/**
 * The key a work has, or author + year + word; the second of two equal ones gets a letter. BibTeX does not tell
 * `Smith2019` from `smith2019`. By hand: Vaswani, 2017, "Attention is all you need" → `vaswani2017attention`.
 */
export function assignKeys(works: readonly Work[]): string[] {
  const taken = new Set<string>()
  return works.map((work) => {
    const base = usableKey(work.citationKey ?? '') || madeKey(work)
    let key = base
    for (let copy = 1; taken.has(key.toLowerCase()); copy += 1) key = `${base}${suffix(copy)}`
    taken.add(key.toLowerCase())
    return key
  })
}

/** a … z, then -27, -28 … */
function suffix(copy: number): string {
  return copy <= 26 ? String.fromCharCode(96 + copy) : `-${copy}`
}

/** Without the characters that end a key or mean something else to TeX. */
function usableKey(key: string): string {
  return key.replace(/[\s,{}()"'#%~\\=@$&^[\]]/g, '')
}

function madeKey(work: Work): string {
  const person = work.authors[0] ?? work.editors[0]
  const words = fold(work.title).split(/[^a-z0-9]+/)
  const word = words.find((candidate) => candidate !== '' && !SMALL_WORDS.has(candidate)) ?? ''
  const name = fold(person?.family ?? '').replace(/[^a-z0-9]+/g, '')
  return `${name}${work.year ?? ''}${word}` || 'work'
}

function fold(text: string): string {
  return text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replaceAll('ø', 'o')
}
