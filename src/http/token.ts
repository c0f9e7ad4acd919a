/** A token is long enough to be worth the name, and is compared without telling how much of a guess was right. */

import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { badInput } from '../core/errors.js'

export const LEAST_TOKEN_CHARACTERS = 16

/** A token that nobody guesses. */
export function createToken(): string {
  return randomBytes(32).toString('base64url')
}

export function assertToken(token: string): void {
  if (token.length >= LEAST_TOKEN_CHARACTERS) return
  throw badInput(
    `The token must have at least ${LEAST_TOKEN_CHARACTERS} characters.`,
    'Leave it out, and one is made.',
  )
}

/** In the same time however much of it is right: digests have one length. */
export function isSame(given: string, expected: string): boolean {
  return timingSafeEqual(digest(given), digest(expected))
}

/** Stands for the token where others may see it, and does not give it away. */
export function derivedFrom(token: string, use: string): string {
  return createHmac('sha256', token).update(use).digest('base64url')
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
