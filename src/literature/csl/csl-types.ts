/** Every type of CSL is a type of work, and every type of work has one that reads back as itself. */

import { WORK_TYPES, type WorkType } from '../../core/work.js'

/** In CSL 1.0.2 a plain `article` is one without a journal: a preprint. */
const WRITE: Readonly<Record<WorkType, string>> = {
  article: 'article-journal',
  conference: 'paper-conference',
  book: 'book',
  chapter: 'chapter',
  thesis: 'thesis',
  report: 'report',
  preprint: 'article',
  dataset: 'dataset',
  software: 'software',
  webpage: 'webpage',
  other: 'document',
}

const READ: ReadonlyMap<string, WorkType> = new Map<string, WorkType>([
  ['article-magazine', 'article'],
  ['article-newspaper', 'article'],
  ['review', 'article'],
  ['review-book', 'article'],
  ['speech', 'conference'],
  ['collection', 'book'],
  ['classic', 'book'],
  ['entry', 'chapter'],
  ['entry-dictionary', 'chapter'],
  ['entry-encyclopedia', 'chapter'],
  ['standard', 'report'],
  ['manuscript', 'preprint'],
  ['post', 'webpage'],
  ['post-weblog', 'webpage'],
  // Crossref's own words, in files made from its answers.
  ['journal-article', 'article'],
  ['proceedings-article', 'conference'],
  ['book-chapter', 'chapter'],
  ['posted-content', 'preprint'],
  ['dissertation', 'thesis'],
  ...WORK_TYPES.map((type): [string, WorkType] => [WRITE[type], type]),
])

export function typeOfCsl(name: unknown): WorkType {
  return (typeof name === 'string' ? READ.get(name) : undefined) ?? 'other'
}

export function cslTypeOf(type: WorkType): string {
  return WRITE[type]
}
