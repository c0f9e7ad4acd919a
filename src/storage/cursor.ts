/** Where a page of a list ended, as the text that asks for the next one. */

import { Buffer } from 'node:buffer'
import { badInput } from '../core/errors.js'

export function writeCursor(at: string, id: string): string {
  return Buffer.from(`${Date.parse(at)}.${id}`).toString('base64url')
}

/** The last entry of the page before; ids tell entries of one time apart. */
export function readCursor(cursor: string | null) {
  if (cursor === null) return { atMs: Number.MAX_SAFE_INTEGER, id: '~' }
  const text = Buffer.from(cursor, 'base64url').toString()
  const [, time, id] = /^(-?\d{1,16})\.(.+)$/s.exec(text) ?? []
  if (time === undefined || id === undefined) {
    throw badInput(
      `"${cursor}" is not a place in a list.`,
      'Use the `next` of the page before, or leave it out.',
    )
  }
  return { atMs: Number(time), id }
}
