/** Compiles tests of the metadata to SQL over `records r`; paths and values are bound. */

import { METADATA_SIGNS, type MetadataFilter, type MetadataTest } from '../../core/filter.js'
import { compileMetadata, readNumbers } from '../metadata-filter.js'
import type { Condition } from './statements.js'

export const compileWhere = (filter: MetadataFilter): Condition =>
  compileMetadata(filter, compileTest)

/** Of a list each item is tested; an object has no value. */
function compileTest({ path, test, values }: MetadataTest, name: string): Condition {
  const keys = path.split('.').map((key) => `."${key}"`)
  const bound = { [`${name}Path`]: `$${keys.join('')}` }
  const value = `json_extract(r.metadata, :${name}Path)`
  if (test === 'exists') return { sql: `${value} IS NOT NULL`, values: bound }

  const type = `json_type(r.metadata, :${name}Path)`
  const compare = test === 'is' ? isAnyOf(name) : isBeyond(name, METADATA_SIGNS[test])
  const isAnyItem = `EXISTS (SELECT 1 FROM json_each(r.metadata, :${name}Path) item
    WHERE ${compare('item.type', 'item.value')})`
  const sql = `coalesce(iif(${type} = 'array', ${isAnyItem}, ${compare(type, value)}), 0)`
  const wanted = { [`${name}Texts`]: values, [`${name}Numbers`]: readNumbers(values) }
  const lists = Object.entries(wanted).map(([key, list]) => [key, JSON.stringify(list)])
  return { sql, values: { ...bound, ...Object.fromEntries(lists) } }
}

type CompareSql = (type: string, value: string) => string

/** The type of a boolean is its name in JSON, so the text `true` finds it. */
function isAnyOf(name: string): CompareSql {
  const isIn = (value: string, list: string) =>
    `${value} IN (SELECT value FROM json_each(:${name}${list}))`
  return (type, value) => `CASE WHEN ${type} = 'text' THEN ${isIn(value, 'Texts')}
    WHEN ${type} IN ('integer', 'real') THEN ${isIn(value, 'Numbers')}
    WHEN ${type} IN ('true', 'false') THEN ${isIn(type, 'Texts')} END`
}

function isBeyond(name: string, sign: string): CompareSql {
  return (
    type,
    value,
  ) => `CASE WHEN ${type} = 'text' THEN ${value} ${sign} json_extract(:${name}Texts, '$[0]')
    WHEN ${type} IN ('integer', 'real') THEN ${value} ${sign} json_extract(:${name}Numbers, '$[0]') END`
}
