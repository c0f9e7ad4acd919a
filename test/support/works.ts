/** A test says of a work only what it is about. */

import { NO_DETAILS, type PersonName, type Work } from '../../src/index.js'

export function work(title: string, parts: Partial<Work> = {}): Work {
  return { ...NO_DETAILS, title, abstract: null, tags: [], references: [], ...parts }
}

/** @example people('Ada Stone', 'Bo Berg') */
export function people(...names: readonly string[]): PersonName[] {
  return names.map((name) => {
    const [given = '', family = ''] = name.split(' ')
    return { given, family }
  })
}
