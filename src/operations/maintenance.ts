/** The operations that import, measure, copy, check and tidy a file, and manage its models and its tokens. */

import { omitUndefined } from '../core/json-fields.js'
import * as requests from '../schemas/record-requests.js'
import { erases, reads, writes } from './operation.js'

export const MAINTENANCE_OPERATIONS = {
  import: writes('import notes, conversations, mail, PDFs and references from a path', {
    schema: requests.importPathRequest,
    examples: [{ path: 'notes', tags: ['notes'], dryRun: true }],
    role: 'admin',
    run: (cairn, { path, ...options }, { signal, onProgress }) =>
      cairn.import(path, {
        ...options,
        ...omitUndefined({ signal }),
        onProgress: ({ read }) => onProgress?.({ done: read, total: null }),
      }),
  }),
  mirror: writes('keep memories in sync with a folder of Markdown files', {
    schema: requests.mirrorFolderRequest,
    examples: [
      { folder: 'notes', dryRun: true },
      { folder: 'vault/memories', tags: ['garden'] },
    ],
    role: 'admin',
    run: (cairn, { folder, ...options }) => cairn.mirror(folder, options),
  }),
  embed: writes('compute the missing vectors', {
    schema: requests.nothing,
    examples: [{}],
    run: (cairn, _, { onProgress }) => cairn.embed(null, onProgress),
  }),
  models: reads('list the embedding models that have vectors in the file', {
    schema: requests.nothing,
    examples: [{}],
    run: (cairn) => cairn.models(),
  }),
  'models.remove': erases('delete the vectors of a model that is not active', {
    schema: requests.oneModel,
    examples: [{ id: 'ollama/nomic-embed-text' }],
    run: async (cairn, { id }) => {
      await cairn.removeModel(id)
      return cairn.models()
    },
  }),
  stats: reads('show the counts and sizes of the file', {
    schema: requests.statsRequest,
    examples: [{}],
    run: (cairn, { sizes = false }) => cairn.stats({ sizes }),
  }),
  backup: reads('copy the file as it is now, while others write', {
    schema: requests.backupRequest,
    examples: [{ file: 'copies/cairn.db' }, { file: '/mnt/disk/copies', keep: 7 }],
    role: 'admin',
    run: (cairn, { file, force = false, keep }, { onProgress }) =>
      cairn.backup(file, { force, ...omitUndefined({ keep, onProgress }) }),
  }),
  copy: reads('copy everything to another file or database, with its vectors', {
    schema: requests.copyRequest,
    examples: [{ to: 'postgres://ada@db.example/notes' }, { to: 'merged.cairn', force: true }],
    role: 'admin',
    run: (cairn, { to, force = false }, { onProgress, signal }) =>
      cairn.copy(to, { force, ...omitUndefined({ onProgress, signal }) }),
  }),
  overview: reads('count records over time, by salience and by recalls', {
    schema: requests.overviewRequest,
    examples: [{}, { by: 'month', namespaces: ['default'] }],
    method: (cairn, input) => cairn.overview(input),
  }),
  doctor: writes('check the file for damage, and repair derived data', {
    schema: requests.doctorRequest,
    examples: [{}, { repair: true }],
    role: 'admin',
    run: (cairn, input) => cairn.doctor(input),
  }),
  optimize: writes('make a file fast and small again after many changes', {
    schema: requests.optimizeRequest,
    examples: [{}, { vacuum: true }],
    role: 'admin',
    run: (cairn, input) => cairn.optimize(input),
  }),
  // Tokens are for admins alone.
  'token.add': writes('create a token for a server, and show it once', {
    schema: requests.tokenInput,
    examples: [
      { name: 'ada' },
      { name: 'ci', role: 'write', namespaces: ['a', 'b'], expires: '90d' },
    ],
    role: 'admin',
    method: (cairn, input) => cairn.tokens.add(input),
  }),
  'token.list': reads('list the tokens, with their roles and last use', {
    schema: requests.nothing,
    examples: [{}],
    role: 'admin',
    run: (cairn) => cairn.tokens.list(),
  }),
  'token.revoke': erases('revoke a token at once', {
    schema: requests.oneToken,
    examples: [{ name: 'ada' }],
    run: (cairn, { name }) => cairn.tokens.revoke(name),
  }),
}
