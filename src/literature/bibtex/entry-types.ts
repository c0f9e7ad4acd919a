/** Every type of BibTeX and biblatex is a type of work, and every type of work can be written. */

import { WORK_TYPES, type WorkType } from '../../core/work.js'
import type { Fields } from './parse-entry.js'

const READ: Readonly<Record<string, WorkType>> = {
  article: 'article',
  suppperiodical: 'article',
  review: 'article',
  inproceedings: 'conference',
  conference: 'conference',
  book: 'book',
  mvbook: 'book',
  booklet: 'book',
  proceedings: 'book',
  mvproceedings: 'book',
  collection: 'book',
  mvcollection: 'book',
  reference: 'book',
  mvreference: 'book',
  inbook: 'chapter',
  incollection: 'chapter',
  inreference: 'chapter',
  bookinbook: 'chapter',
  suppbook: 'chapter',
  suppcollection: 'chapter',
  phdthesis: 'thesis',
  mastersthesis: 'thesis',
  bathesis: 'thesis',
  thesis: 'thesis',
  techreport: 'report',
  report: 'report',
  manual: 'report',
  unpublished: 'preprint',
  preprint: 'preprint',
  dataset: 'dataset',
  data: 'dataset',
  software: 'software',
  online: 'webpage',
  electronic: 'webpage',
  www: 'webpage',
  webpage: 'webpage',
}

const WRITE: Readonly<Record<WorkType, string>> = {
  article: 'article',
  conference: 'inproceedings',
  book: 'book',
  chapter: 'incollection',
  thesis: 'phdthesis',
  report: 'techreport',
  preprint: 'misc',
  dataset: 'dataset',
  software: 'software',
  webpage: 'online',
  other: 'misc',
}

/** `@misc` with a number of arXiv is a preprint, and so is an article in "arXiv preprint" or "CoRR". */
export function typeOfEntry(entryType: string, fields: Fields, arxivId: string | null): WorkType {
  const stated = fields.get('entrysubtype')?.trim().toLowerCase()
  const subtype = WORK_TYPES.find((type) => type === stated)
  if (subtype !== undefined) return subtype
  const type = READ[entryType] ?? 'other'
  if (type === 'other') return arxivId === null ? 'other' : 'preprint'
  const journal = fields.get('journal') ?? fields.get('journaltitle') ?? ''
  const isRepository = /^\W*(?:arxiv\b|corr\W*$|biorxiv|medrxiv|ssrn\b)/i.test(journal)
  return type === 'article' && isRepository ? 'preprint' : type
}

export function entryTypeOf(type: WorkType): string {
  return WRITE[type]
}
