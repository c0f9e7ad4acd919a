/** Every type of RIS is a type of work, and every type of work has one that reads back as itself. */

import { WORK_TYPES, type WorkType } from '../../core/work.js'

const WRITE: Readonly<Record<WorkType, string>> = {
  article: 'JOUR',
  conference: 'CONF',
  book: 'BOOK',
  chapter: 'CHAP',
  thesis: 'THES',
  report: 'RPRT',
  preprint: 'UNPB',
  dataset: 'DATA',
  software: 'COMP',
  webpage: 'ELEC',
  other: 'GEN',
}

const READ: ReadonlyMap<string, WorkType> = new Map<string, WorkType>([
  ['JFULL', 'article'],
  ['EJOUR', 'article'],
  ['ABST', 'article'],
  ['INPR', 'article'],
  ['MGZN', 'article'],
  ['NEWS', 'article'],
  ['CPAPER', 'conference'],
  ['EBOOK', 'book'],
  ['EDBOOK', 'book'],
  ['SER', 'book'],
  ['ECHAP', 'chapter'],
  ['ENCYC', 'chapter'],
  ['DICT', 'chapter'],
  ['GOVDOC', 'report'],
  ['MANSCPT', 'preprint'],
  ['AGGR', 'dataset'],
  ['DBASE', 'dataset'],
  ['WEB', 'webpage'],
  ['BLOG', 'webpage'],
  ['ICOMM', 'webpage'],
  ...WORK_TYPES.map((type): [string, WorkType] => [WRITE[type], type]),
])

export function typeOfRis(tag: string): WorkType {
  return READ.get(tag.trim().toUpperCase()) ?? 'other'
}

export function risTypeOf(type: WorkType): string {
  return WRITE[type]
}
