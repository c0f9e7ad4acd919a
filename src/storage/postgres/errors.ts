/** Explains errors of PostgreSQL and of the connection to it: one sentence that names the server, and the next step. */

import { CairnError, type ErrorCode } from '../../core/errors.js'

type Explanation = readonly [ErrorCode, message: string, hint: string]

const NO_SERVER: Explanation = [
  'service_unavailable',
  'No PostgreSQL server answers at SERVER.',
  'Check the host and the port of the address, and that the server runs.',
]
const REFUSED: Explanation = [
  'service_unavailable',
  'SERVER refuses this user or password.',
  'Check both in the address, or set PGPASSWORD; special characters of a password are written as %40.',
]
const STARTING: Explanation = [
  'service_unavailable',
  'SERVER is starting or stopping.',
  'Try again in a moment; nothing was changed.',
]
const LOST: Explanation = [
  'service_unavailable',
  'The connection to SERVER was lost; nothing was changed.',
  'Check that the server runs and try again.',
]
const NOT_ALLOWED: Explanation = [
  'read_only',
  'This user may not do that on SERVER.',
  'Grant it the rights to the schema, or name another user in the address.',
]
const FULL: Explanation = [
  'disk_full',
  'The disk of SERVER is full; nothing was changed.',
  'Free some space on that server and try again.',
]
const TOO_MANY: Explanation = [
  'service_unavailable',
  'SERVER accepts no more connections.',
  'Close other programs, raise max_connections of the server, or open fewer with ?pool=5.',
]
const BUSY: Explanation = [
  'service_unavailable',
  'All connections of this process to SERVER are busy.',
  'Try again in a moment, or open more with ?pool=20.',
]
const READ_ONLY: Explanation = [
  'read_only',
  'SERVER is a replica or set to reading only; nothing was changed.',
  'Name the primary server to write.',
]

/** By SQLSTATE (https://www.postgresql.org/docs/current/errcodes-appendix.html), or by the code of the system. */
const EXPLANATIONS: Readonly<Record<string, Explanation>> = {
  ECONNREFUSED: NO_SERVER,
  ENOTFOUND: NO_SERVER,
  EAI_AGAIN: NO_SERVER,
  EHOSTUNREACH: NO_SERVER,
  ENETUNREACH: NO_SERVER,
  ETIMEDOUT: NO_SERVER,
  ENOENT: NO_SERVER,
  '28P01': REFUSED,
  '28000': REFUSED,
  '3D000': [
    'no_database',
    'SERVER has no database of this name.',
    'Create it with `createdb`, or name another in the address.',
  ],
  '57P01': LOST,
  '57P02': LOST,
  '57P03': STARTING,
  '57P05': LOST,
  '25P03': LOST,
  '53100': FULL,
  '53200': [
    'service_unavailable',
    'SERVER has no memory left for this; nothing was changed.',
    'Try again later, or give the server more memory.',
  ],
  '53300': TOO_MANY,
  '25006': READ_ONLY,
  '42501': NOT_ALLOWED,
  '55P03': [
    'locked',
    'Another program is writing to SERVER and did not finish in time.',
    'Try again in a moment; nothing was changed.',
  ],
  '57014': [
    'service_unavailable',
    'SERVER stopped a statement that took too long; nothing was changed.',
    'Raise statement_timeout of the server, or ask for less at once.',
  ],
  '40001': [
    'locked',
    'Others kept changing the same records of SERVER; nothing was changed.',
    'Try again in a moment.',
  ],
}

/** Errors of the driver that have no code. */
const LOST_MESSAGES =
  /^(Connection terminated|Client has encountered a connection error|Client was closed)/
const ALL_BUSY = /timeout exceeded when trying to connect/
const NO_ANSWER = /due to connection timeout/
const NO_PASSWORD = /client password must be a string|SASL/

/** Returns an error that is not PostgreSQL's as it is. */
export function explainPostgresError(error: unknown, server: string): unknown {
  if (error instanceof CairnError) return error
  const explanation = findExplanation(error)
  return explanation === null ? error : explain(explanation, server, error)
}

function findExplanation(error: unknown): Explanation | null {
  const code = errorCode(error)
  const message = error instanceof Error ? error.message : ''
  if (code === '40P01') return EXPLANATIONS['40001'] ?? null
  if (code !== null && EXPLANATIONS[code] !== undefined) return EXPLANATIONS[code]
  if (ALL_BUSY.test(message)) return BUSY
  if (NO_ANSWER.test(message)) return NO_SERVER
  if (NO_PASSWORD.test(message)) return REFUSED
  return isLost(error) ? LOST : null
}

function explain([code, message, hint]: Explanation, server: string, cause: unknown): CairnError {
  return new CairnError(code, { message: message.replace('SERVER', () => server), hint, cause })
}

/** For a COMMIT that was not answered. */
export function unsureCommit(server: string, cause: unknown): CairnError {
  return new CairnError('service_unavailable', {
    message: `The connection to ${server} was lost while a write was being finished: it may be stored or not.`,
    hint: 'Look for it before you repeat it; adding the same text again is safe.',
    cause,
  })
}

export function noVectors(server: string, cause: unknown): CairnError {
  return new CairnError('service_unavailable', {
    message: `${server} has no pgvector 0.8 or later, which Cairn needs.`,
    hint: 'Install it on the server, then run `CREATE EXTENSION vector` there as a user who may.',
    cause,
  })
}

export function noCairn(server: string, schema: string): CairnError {
  return new CairnError('no_database', {
    message: `There is no Cairn in the schema ${schema} of ${server}.`,
    hint: 'Add something first, or name another schema with ?schema=.',
  })
}

/** The transaction did not happen and can be tried again: a serialisation failure or a deadlock. */
export function isConflict(error: unknown): boolean {
  const code = errorCode(error)
  return code === '40001' || code === '40P01'
}

/** The connection is gone: a statement that was not answered may have run, but nothing was committed without COMMIT. */
export function isLost(error: unknown): boolean {
  const code = errorCode(error) ?? ''
  if (/^(08...|57P0[1235]|25P03|ECONNRESET|EPIPE|ECONNABORTED)$/.test(code)) return true
  return error instanceof Error && LOST_MESSAGES.test(error.message)
}

export function isCancelled(error: unknown): boolean {
  return errorCode(error) === '57014'
}

function errorCode(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error)) return null
  return typeof error.code === 'string' ? error.code : null
}
