/** A list that is read page by page, newest first, goes on exactly where it stopped. */

import { Buffer } from 'node:buffer'
import { badInput } from '../../core/errors.js'

/** The last thing of a page; ids tell apart what has one time. */
export type Place = { readonly atMs: number; readonly id: string }

const FROM_THE_TOP: Place = { atMs: Number.MAX_SAFE_INTEGER, id: '~' }

export function writeCursor(at: string, id: string): string {
  return Buffer.from(`${Date.parse(at)}.${id}`).toString('base64url')
}

export function readCursor(cursor: string | null): Place {
  if (cursor === null) return FROM_THE_TOP
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
