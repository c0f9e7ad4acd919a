/** Whatever is typed into a search, with whatever options, is answered or refused in a sentence. */

import { fuzzInChild, tellInputs } from './lib/fuzz.mjs'

export const about = 'texts and options of searches that nobody would write'
export const seconds = 30
export const isPostgresToo = true
export const tell = (figures) => tellInputs((key) => figures[key])

export function run(task) {
  return fuzzInChild('fuzz-query', task)
}
