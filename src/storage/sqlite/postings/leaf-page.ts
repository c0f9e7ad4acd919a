/** A term is found on a leaf page of FTS5, with the place where its rows begin and where they end. */

import { expectThat } from './unreadable.js'

/** Two bytes: where the first row of a list begins that goes on from the page before; two: where the footer begins. */
export const HEADER_BYTES = 4

export type Place = {
  /** The first byte after the term. */
  readonly start: number
  /** The first byte that belongs to something else. */
  readonly end: number
  /** Whether the rows may go on on the next page: the term is the last one of this page. */
  readonly isCut: boolean
}

/** Where the content ends and the footer begins, which holds the places of the terms. */
export function footerOf(page: Uint8Array): number {
  const footer = readU16(page, 2)
  expectThat(footer >= HEADER_BYTES && footer <= page.length, 'a leaf page')
  return footer
}

/** Where the first row of a list stands that goes on from the page before; 0 where there is none. */
export function firstRowOf(page: Uint8Array): number {
  return readU16(page, 0)
}

/** Where the first term of the page begins, or the footer where there is no term. */
export function firstTermOf(page: Uint8Array): number {
  const footer = footerOf(page)
  if (footer === page.length) return footer
  const cursor = { at: footer }
  const first = readVarint(page, cursor)
  expectThat(first >= HEADER_BYTES && first < footer, 'a place of a term')
  return first
}

/**
 * A term on a page is the length that it shares with the term before (not for the first), the length of the rest and
 * the rest. What the sought term shares with the last one that was smaller decides mostly without a look at the bytes.
 */
export function findTerm(page: Uint8Array, term: Uint8Array): Place | null {
  const footer = footerOf(page)
  const index = { at: footer }
  const cursor = { at: 0 }
  let offset = 0
  let matched = 0
  for (let isFirst = true; index.at < page.length; isFirst = false) {
    offset += readVarint(page, index)
    expectThat(offset >= HEADER_BYTES && offset < footer, 'a place of a term')
    cursor.at = offset
    const shared = isFirst ? 0 : readVarint(page, cursor)
    const rest = readVarint(page, cursor)
    const end = cursor.at + rest
    expectThat(end <= footer, 'a whole term')
    // Less in common with its predecessor than the sought term has: it is beyond.
    if (shared < matched) return null
    if (shared > matched) continue
    const least = Math.min(rest, term.length - matched)
    let same = 0
    while (same < least && page[cursor.at + same] === term[matched + same]) same++
    const isWhole = matched + same === term.length
    if (isWhole && same === rest) return placeAfter(page, { end, offset, index: index.at, footer })
    const isBeyond =
      isWhole || (same < rest && (page[cursor.at + same] ?? 0) > (term[matched + same] ?? 0))
    if (isBeyond) return null
    matched += same
  }
  return null
}

type After = {
  readonly end: number
  readonly offset: number
  readonly index: number
  readonly footer: number
}

function placeAfter(page: Uint8Array, { end, offset, index, footer }: After): Place {
  if (index >= page.length) return { start: end, end: footer, isCut: true }
  const next = offset + readVarint(page, { at: index })
  expectThat(next > end && next <= footer, 'rows after a term')
  return { start: end, end: next, isCut: false }
}

/** Seven bits a byte, the highest bits first. */
export function readVarint(bytes: Uint8Array, cursor: { at: number }): number {
  let value = 0
  for (;;) {
    const byte = bytes[cursor.at++]
    expectThat(byte !== undefined, 'a whole number')
    value = value * 128 + (byte & 127)
    if (byte < 128) return value
  }
}

function readU16(page: Uint8Array, at: number): number {
  expectThat(page.length >= HEADER_BYTES, 'a leaf page')
  return (page[at] ?? 0) * 256 + (page[at + 1] ?? 0)
}
