/** Whatever is added or edited is stored as it was given, or refused in a sentence. */

import { fuzzInChild, tellInputs } from './lib/fuzz.mjs'

export const about = 'records, facts, links and works that nobody would write'
export const seconds = 30
export const isPostgresToo = true
export const tell = (figures) => tellInputs((key) => figures[key])

export function run(task) {
  return fuzzInChild('fuzz-add', task)
}
