/** Whatever became of a file, its import gives records and reasons, or one sentence. */

import { fuzzInChild, tellInputs } from './lib/fuzz.mjs'

export const about = 'real files of every format, cut, doubled, swapped and with noise in them'
export const seconds = 30
export const isPostgresToo = true
export const tell = (figures) => tellInputs((key) => figures[key])

export function run(task) {
  return fuzzInChild('fuzz-importers', task)
}
