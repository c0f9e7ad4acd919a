/** Every text field and every importer gets a megabyte of one character, and takes neither long nor much memory. */

import { fuzzInChild } from './lib/fuzz.mjs'

export const about =
  'a megabyte of one letter, of spaces, brackets, line ends or marks, in every field and file'
export const seconds = 600
export const tell = ({ inputs, refused, slowestMs, mostMegabytes }) =>
  `${inputs} inputs, ${refused} refused, the slowest took ${slowestMs} ms, the largest ${mostMegabytes} MB`

export function run(task) {
  return fuzzInChild('long-texts', task)
}
