/** Small inputs that ask for much: each is answered or refused in a sentence, and what stands beside it is kept. */

import { fuzzInChild } from './lib/fuzz.mjs'

export const about =
  'small inputs that ask for much: macros that double, endless metadata, links out of a folder'
export const seconds = 60
export const tell = ({ inputs, refused, slowestMs }) =>
  `${inputs} inputs, ${refused} refused, the slowest took ${slowestMs} ms`

export function run(task) {
  return fuzzInChild('hostile-inputs', task)
}
