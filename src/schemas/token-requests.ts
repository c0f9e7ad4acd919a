/** The inputs about the tokens of a server. */

import * as z from 'zod/mini'
import { ROLES } from '../core/caller.js'
import * as field from './fields.js'
import { optional, options, required, withDefault } from './fields.js'
import { MAX_TIME_CHARS } from './limits.js'
import type { WithSingular } from './names.js'

const tokenName = required(field.label, '<name> the person or program that uses it')

export const tokenInput = options(() => ({
  name: tokenName,
  role: withDefault(
    z.enum(ROLES),
    'read',
    '<role> read, write (also changes) or admin (everything)',
  ),
  namespaces: optional(
    field.list(field.namespace),
    '<name> the only namespaces that it may use (default: all)',
  ),
  expires: optional(
    z.string().check(z.maxLength(MAX_TIME_CHARS)),
    '<time> when it expires: 90d, 1y, 2027-01-01 (default: never)',
  ),
}))
export type TokenInput = WithSingular<z.input<typeof tokenInput>>

export const oneToken = options(() => ({ name: tokenName }))
