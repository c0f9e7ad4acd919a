/** Whatever is in an archive, what is taken of it is sound and makes an archive that is taken whole. */

import { fuzzInChild, tellInputs } from './lib/fuzz.mjs'

export const about = 'archives whose lines were cut, doubled, swapped and changed'
export const seconds = 30
export const isPostgresToo = true
export const tell = (figures) => tellInputs((key) => figures[key])

export function run(task) {
  return fuzzInChild('fuzz-archive', task)
}
