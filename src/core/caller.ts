/** Who makes a request: the name, the namespaces and the role of a token. */

import { CairnError } from './errors.js'

export const ROLES = ['read', 'write', 'admin'] as const
/** `read` sees, `write` also changes, `admin` may do everything. */
export type Role = (typeof ROLES)[number]

export type Caller = {
  /** The name of the token; null for the person who started the server. */
  readonly name: string | null
  /** Never empty; null means all. */
  readonly namespaces: readonly string[] | null
  readonly role: Role
}

/** The caller with the token of the server itself, and every caller of a server without tokens. */
export const OWNER: Caller = { name: null, namespaces: null, role: 'admin' }

/** Refuses a caller whose role is too low. */
export function assertRole({ role }: Caller, needed: Role): void {
  if (ROLES.indexOf(role) >= ROLES.indexOf(needed)) return
  throw new CairnError('forbidden', {
    message: `This needs a token with the role "${needed}", and yours has "${role}".`,
    hint: 'Ask an admin of the server for such a token.',
  })
}
