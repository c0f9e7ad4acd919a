/** A name in one piece becomes family and given name as well as can be told, and none is lost. */

import type { PersonName } from '../../core/work.js'

/** They begin a family name wherever they stand before its last word, however they are written. */
const PARTICLES = new Set(
  'van von vom zu zum zur der den het de del della dei degli di du des ter ten la las los ó ní nic uí'.split(
    ' ',
  ),
)
/** These are given or family names as well, and count only in lower case: "Bin Li", "Da Silva". */
const PARTICLES_IN_LOWER_CASE = new Set('da das do dos le al el bin ibn ben af av y e'.split(' '))
const SUFFIX = /^(?:jr|sr|ii|iii|iv)\.?$/i
const GROUP =
  /\b(?:collaboration|consortium|group|team|network|committee|society|association|university|institute|initiative|project|organi[sz]ation|working party)\b/i

/** @example readName('Ludwig van Beethoven') // { family: 'van Beethoven', given: 'Ludwig' } */
export function readName(name: string): PersonName | null {
  const written = name.replace(/\s+/g, ' ').trim()
  if (written === '') return null
  if (GROUP.test(written)) return { family: written, given: null }
  const comma = /^([^,]+), *([^,]+)$/.exec(written)
  if (comma !== null && !SUFFIX.test(comma[2] ?? '')) {
    return { family: comma[1]?.trim() ?? '', given: comma[2]?.trim() ?? null }
  }
  const words = written.split(' ')
  const first = familyStart(words)
  const given = words.slice(0, first).join(' ')
  return { family: words.slice(first).join(' '), given: given === '' ? null : given }
}

/** Where the family name begins. The first word is never taken for a particle: "Van Nguyen", "De Wang". */
function familyStart(words: readonly string[]): number {
  let start = words.length - 1
  while (start > 0 && SUFFIX.test(words[start] ?? '')) start--
  while (start > 1 && isParticle(words[start - 1] ?? '')) start--
  return start
}

function isParticle(word: string): boolean {
  return PARTICLES.has(word.toLowerCase()) || PARTICLES_IN_LOWER_CASE.has(word)
}
