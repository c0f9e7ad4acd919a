/** A file can be filled, measured, examined and kept quick. */

import { defineOperation } from './operation.js'
import { NAMESPACE, NAMESPACES } from './options.js'

export const CARE_OPERATIONS = [
  defineOperation({
    name: 'import',
    summary: 'read notes, conversations, mail, PDFs and references from a path',
    effect: 'writes',
    schema: async () => (await import('../schemas/operation-requests.js')).transferPathRequest,
    options: {
      path: { help: 'a file or a folder', value: 'path' },
      format: {
        help: 'archive, markdown, text, pdf, jsonl, chatgpt, claude, claude-code, codex, chat, beir, mbox, git, bibtex, ris, csl',
        value: 'format',
        unset: 'read from the path and its beginning',
      },
      namespace: NAMESPACE,
      tags: { help: 'give each record these tags', value: 'tag' },
      source: {
        help: 'the name it is remembered under',
        value: 'text',
        unset: 'its format and path',
      },
      dryRun: { help: 'say what would be done, and write nothing' },
      prune: {
        help: 'delete what is gone from the source',
        unset: 'for folders of notes, texts and PDFs',
      },
      batch: { help: 'how many records are written at once', value: 'n' },
    },
    examples: [{ path: 'notes', tags: ['notes'], dryRun: true }],
    run: (cairn, { path, ...options }, { signal, onProgress }) =>
      cairn.import(path, {
        ...options,
        ...(signal !== undefined && { signal }),
        ...(onProgress !== undefined && {
          onProgress: ({ read }) => onProgress({ done: read, total: null }),
        }),
      }),
  }),
  defineOperation({
    name: 'embed',
    summary: 'make the vectors that are missing',
    effect: 'writes',
    schema: async () => (await import('../schemas/operation-requests.js')).nothing,
    options: {},
    examples: [{}],
    run: (cairn, _, { onProgress }) => cairn.embed(null, onProgress),
  }),
  defineOperation({
    name: 'models',
    summary: 'list the models that have vectors here',
    effect: 'reads',
    schema: async () => (await import('../schemas/operation-requests.js')).nothing,
    options: {},
    examples: [{}],
    run: (cairn) => cairn.models(),
  }),
  defineOperation({
    name: 'models.remove',
    summary: 'forget the vectors of a model that is not in charge',
    effect: 'erases',
    schema: async () => (await import('../schemas/operation-requests.js')).oneId,
    options: { id: { help: 'the model', value: 'id' } },
    examples: [{ id: 'ollama/nomic-embed-text' }],
    run: async (cairn, { id }) => {
      await cairn.removeModel(id)
      return cairn.models()
    },
  }),
  defineOperation({
    name: 'stats',
    summary: 'tell what the file holds',
    effect: 'reads',
    schema: async () => (await import('../schemas/operation-requests.js')).statsRequest,
    options: { sizes: { help: 'say also what takes how much room' } },
    examples: [{}],
    run: (cairn, { sizes = false }) => cairn.stats({ sizes }),
  }),
  defineOperation({
    name: 'backup',
    summary: 'copy the file as it is now, while others write',
    effect: 'reads',
    schema: async () => (await import('../schemas/operation-requests.js')).backupRequest,
    options: {
      file: { help: 'where the copy goes', value: 'file' },
      force: { help: 'replace the file if it is there' },
    },
    examples: [{ file: 'copies/cairn.db' }, { file: '/mnt/disk/notes.cairn', force: true }],
    run: (cairn, { file, force = false }, { onProgress }) =>
      cairn.backup(file, { force, ...(onProgress !== undefined && { onProgress }) }),
  }),
  defineOperation({
    name: 'overview',
    summary: 'count records over time, by salience and by recalls',
    effect: 'reads',
    schema: async () => (await import('../schemas/record-requests.js')).overviewRequest,
    options: {
      by: {
        help: 'how long each stretch of time is',
        value: 'step',
        unset: 'by how much time there is',
      },
      namespaces: NAMESPACES,
    },
    examples: [{}, { by: 'month', namespaces: ['default'] }],
    run: (cairn, input) => cairn.overview(input),
  }),
  defineOperation({
    name: 'doctor',
    summary: 'look for damage, and mend what can be built anew',
    effect: 'writes',
    schema: async () => (await import('../schemas/operation-requests.js')).doctorRequest,
    options: { repair: { help: 'build the index and all that is derived anew' } },
    examples: [{}, { repair: true }],
    run: (cairn, input) => cairn.doctor(input),
  }),
  defineOperation({
    name: 'optimize',
    summary: 'make a file that was changed much quick and small again',
    effect: 'writes',
    schema: async () => (await import('../schemas/operation-requests.js')).optimizeRequest,
    options: { vacuum: { help: 'write the file anew, without the room of what was removed' } },
    examples: [{}, { vacuum: true }],
    run: (cairn, input) => cairn.optimize(input),
  }),
]
