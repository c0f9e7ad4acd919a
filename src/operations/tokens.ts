/** The operations on the tokens of a server. All of them are for its admins. */

import { nothing } from '../schemas/record-requests.js'
import { oneToken, tokenInput } from '../schemas/token-requests.js'
import { erases, reads, writes } from './operation.js'

export const TOKEN_OPERATIONS = {
  'token.add': writes('create a token for a server, and show it once', {
    schema: tokenInput,
    examples: [
      { name: 'ada' },
      { name: 'ci', role: 'write', namespaces: ['a', 'b'], expires: '90d' },
    ],
    role: 'admin',
    method: (cairn, input) => cairn.tokens.add(input),
  }),
  'token.list': reads('list the tokens, with their roles and last use', {
    schema: nothing,
    examples: [{}],
    role: 'admin',
    run: (cairn) => cairn.tokens.list(),
  }),
  'token.revoke': erases('revoke a token at once', {
    schema: oneToken,
    examples: [{ name: 'ada' }],
    run: (cairn, { name }) => cairn.tokens.revoke(name),
  }),
}
