/** Adds, lists and revokes the tokens of a server, and finds the caller of a token. */

import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Caller } from '../core/caller.js'
import { badInput, CairnError } from '../core/errors.js'
import { parseDeadline, TIME_FORMS, toIso } from '../core/time.js'
import { check } from '../schemas/check.js'
import { type TokenInput, tokenInput } from '../schemas/record-requests.js'
import type { StoredToken } from '../storage/tokens.js'
import type { Context } from './scope.js'

export type TokenShown = Caller & {
  readonly name: string
  readonly createdAt: string
  readonly expiresAt: string | null
  readonly hasExpired: boolean
  /** To the minute. */
  readonly usedAt: string | null
}

/** `token` is shown this once: the file has only a hash. */
export type AddedToken = TokenShown & { readonly token: string }

export type Tokens = ReturnType<typeof createTokens>

/** How soon this process notices that another one revoked a token. */
const RELOAD_MS = 1000
const NOTE_USES_MS = 60_000

export function createToken(): string {
  return randomBytes(32).toString('base64url')
}

/** A browser stores this key instead of the token: it grants the same access and does not reveal the token. */
export function deriveKey(token: string): string {
  return createHmac('sha256', token).update('the page').digest('base64url')
}

function hash(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

/** Compares in constant time: digests have one length. */
export function isSame(given: string, expected: string): boolean {
  return timingSafeEqual(hash(given), hash(expected))
}

export function createTokens({
  storage,
  log,
  now,
  timer,
}: Pick<Context, 'storage' | 'log' | 'now' | 'timer'>) {
  const { tokens } = storage
  let loaded: { readonly atMs: number; readonly all: Promise<StoredToken[]> } | null = null
  const used = new Set<string>()
  let notedMs = Number.NEGATIVE_INFINITY
  let timeout: NodeJS.Timeout | null = null

  const load = (): Promise<StoredToken[]> => {
    if (loaded === null || timer() - loaded.atMs >= RELOAD_MS) {
      const all = tokens.list()
      loaded = { atMs: timer(), all }
      all.catch(() => {
        loaded = null
      })
    }
    return loaded.all
  }

  /** Writes once a minute for all tokens. A failed write does not refuse anybody. */
  const noteUses = async (): Promise<void> => {
    if (timeout !== null) clearTimeout(timeout)
    timeout = null
    if (used.size === 0) return
    const names = [...used]
    used.clear()
    notedMs = timer()
    const atMs = Math.floor(now() / NOTE_USES_MS) * NOTE_USES_MS
    await tokens.noteUse(names, atMs).catch((error: unknown) => {
      log('warn', 'token.use', { reason: String(error) })
    })
  }
  const use = (name: string): void => {
    used.add(name)
    timeout ??= setTimeout(noteUses, Math.max(0, notedMs + NOTE_USES_MS - timer())).unref()
  }

  const hasExpired = ({ expiresAtMs }: StoredToken) => expiresAtMs !== null && expiresAtMs <= now()
  const show = (token: StoredToken): TokenShown => ({
    name: token.name,
    role: token.role,
    namespaces: token.namespaces,
    createdAt: toIso(token.createdAtMs),
    expiresAt: token.expiresAtMs === null ? null : toIso(token.expiresAtMs),
    hasExpired: hasExpired(token),
    usedAt: token.usedAtMs === null ? null : toIso(token.usedAtMs),
  })

  return {
    async add(input: TokenInput): Promise<AddedToken> {
      const { name, role, namespaces = null, expires } = check(tokenInput, input)
      if (namespaces?.length === 0) {
        throw badInput('A token needs a namespace.', 'Leave them out, and it is for all of them.')
      }
      const createdAtMs = now()
      const expiresAtMs = expires === undefined ? null : readExpiry(expires, createdAtMs)
      const token = createToken()
      const stored: StoredToken = {
        name,
        role,
        namespaces: namespaces && [...new Set(namespaces)],
        hash: hash(deriveKey(token)).toString('hex'),
        createdAtMs,
        expiresAtMs,
        usedAtMs: null,
      }
      if (!(await tokens.add(stored))) {
        throw badInput(
          `There is a token "${name}" already.`,
          'Choose another name, or revoke it first.',
        )
      }
      loaded = null
      await storage.log.note({ action: 'token.add', namespace: null, subject: name })
      return { token, ...show(stored) }
    },

    async list(): Promise<{ readonly tokens: readonly TokenShown[] }> {
      await noteUses()
      return { tokens: (await tokens.list()).map(show) }
    },

    async revoke(name: string): Promise<{ readonly revoked: string }> {
      if (!(await tokens.remove(name))) {
        const known = (await tokens.list()).map((token) => token.name)
        throw new CairnError('not_found', {
          message: `There is no token "${name}".`,
          hint: known.length === 0 ? 'There are none at all.' : `There are: ${known.join(', ')}.`,
        })
      }
      loaded = null
      await storage.log.note({ action: 'token.revoke', namespace: null, subject: name })
      return { revoked: name }
    },

    /** The caller that this key belongs to; null if there is none or its token has expired. */
    async find(key: string): Promise<Caller | null> {
      const given = hash(key)
      const token = (await load()).find((one) =>
        timingSafeEqual(given, Buffer.from(one.hash, 'hex')),
      )
      if (token === undefined || hasExpired(token)) return null
      const { name, namespaces, role } = token
      use(name)
      return { name, namespaces, role }
    },

    /** Whether the file has tokens, expired ones included. If so, a token is required. */
    async any(): Promise<boolean> {
      return (await load()).length > 0
    },

    close: noteUses,
  }
}

function readExpiry(text: string, nowMs: number): number {
  const ms = parseDeadline(text, nowMs)
  if (ms === null) throw badInput(`"${text}" is not a time.`, `Write ${TIME_FORMS}.`)
  if (ms <= nowMs) throw badInput(`A token that expires at "${text}" would be of no use.`)
  return ms
}
