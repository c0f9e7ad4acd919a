/** Every table is in an archive or says why it need not be; a test refuses one that is forgotten. */

import type { ArchiveKind } from '../../archive.js'

/** The lines that a table is in, and the columns of it that no line has, each with the reason. */
export type ArchivedTable = {
  readonly kind: ArchiveKind
  readonly leftOut: Readonly<Record<string, string>>
}

const OWN_NUMBER = 'the number of a row in this file; lines name each other by ids'
const INDEXED_FORM = 'computed from the text'
const PAST_VECTOR = 'made anew by the model of the file'

export const ARCHIVED_TABLES: Readonly<Record<string, ArchivedTable>> = {
  models: {
    kind: 'model',
    leftOut: { row: OWN_NUMBER, state: 'only the model in charge is in an archive' },
  },
  sessions: {
    kind: 'session',
    leftOut: { row: OWN_NUMBER, owner: 'the process that holds a session open holds no copy' },
  },
  records: {
    kind: 'record',
    leftOut: {
      row: OWN_NUMBER,
      context: 'computed from the neighbours in the session',
      content_hash: 'computed from the text',
      title_ix: INDEXED_FORM,
      body_ix: INDEXED_FORM,
      tags_ix: INDEXED_FORM,
      people_ix: INDEXED_FORM,
      context_ix: INDEXED_FORM,
    },
  },
  works: { kind: 'record', leftOut: { record: OWN_NUMBER, details: 'the field `work`' } },
  work_identities: {
    kind: 'record',
    leftOut: { record: OWN_NUMBER, identity: 'the field `identities`' },
  },
  revisions: {
    kind: 'revision',
    leftOut: {
      row: OWN_NUMBER,
      title_ix: INDEXED_FORM,
      body_ix: INDEXED_FORM,
      tags_ix: INDEXED_FORM,
      people_ix: INDEXED_FORM,
      model: PAST_VECTOR,
      scale: PAST_VECTOR,
      codes: PAST_VECTOR,
    },
  },
  links: { kind: 'link', leftOut: { row: OWN_NUMBER } },
  facts: { kind: 'fact', leftOut: { row: OWN_NUMBER, topic: 'computed from its parts' } },
  session_records: { kind: 'usage', leftOut: {} },
  recalled_queries: { kind: 'recall', leftOut: { row: OWN_NUMBER } },
  recalls: {
    kind: 'recall',
    leftOut: {
      row: OWN_NUMBER,
      query: OWN_NUMBER,
      record: 'in the field `results`',
      fact: 'in the field `results`',
      rank: 'in the field `results`',
      score: 'in the field `results`',
    },
  },
  imports: { kind: 'import', leftOut: {} },
  lenses: { kind: 'lens', leftOut: {} },
}

export const DERIVED_TABLES: Readonly<Record<string, string>> = {
  meta: 'says which version of Cairn made the format of this file',
  record_tags: 'filled from the tags of the records by triggers',
  records_ft: 'the index, filled from the records by triggers',
  records_vocabulary: 'a view into the index',
  records_instances: 'a view into the index',
  revisions_ft: 'the index of the past, filled from the revisions by triggers',
  waiting: 'records that the model in charge has not read; all of a restored file, until it has',
  embedded: 'which model has read which record',
  chunks: 'the passages that a model made of the texts',
  vector_blocks: 'vectors, made anew from the texts',
  vectors: 'vectors, made anew from the texts',
  embedding_cache: 'vectors of texts that were read before',
  unindexed: 'empty outside of a transaction',
}
