/** Compiles tests of the metadata to SQL over `records r`; keys and values are bound. */

import { METADATA_SIGNS, type MetadataFilter, type MetadataTest } from '../../core/filter.js'
import { compileMetadata, readNumbers } from '../metadata-filter.js'
import type { Condition } from './statements.js'

export const compileWhere = (filter: MetadataFilter): Condition =>
  compileMetadata(filter, compileTest)

/** Of a list each item is tested; an object has no value. */
function compileTest({ path, test, values }: MetadataTest, name: string): Condition {
  const keys = path.split('.').map((key, i) => [`${name}Key${i}`, key] as const)
  const value = `(r.metadata${keys.map(([key]) => ` -> :${key}::text`).join('')})`
  const bound = Object.fromEntries(keys)
  if (test === 'exists') {
    return { sql: `coalesce(json_typeof${value} <> 'null', false)`, values: bound }
  }
  const compare = test === 'is' ? isAnyOf(name) : isBeyond(name, METADATA_SIGNS[test])
  const items = `json_array_elements(CASE json_typeof${value} WHEN 'array' THEN ${value}
    ELSE json_build_array(${value}) END)`
  return {
    sql: `EXISTS (SELECT 1 FROM ${items} AS item (value) WHERE ${compare('item.value')})`,
    values: { ...bound, [`${name}Texts`]: values, [`${name}Numbers`]: readNumbers(values) },
  }
}

type CompareSql = (item: string) => string

function isAnyOf(name: string): CompareSql {
  return (item) => `CASE json_typeof(${item})
    WHEN 'number' THEN (${item} #>> '{}')::float8 = ANY (:${name}Numbers::float8[])
    WHEN 'string' THEN ${item} #>> '{}' = ANY (:${name}Texts::text[])
    WHEN 'boolean' THEN ${item} #>> '{}' = ANY (:${name}Texts::text[]) END`
}

/** Text is compared by its bytes, as in SQLite. */
function isBeyond(name: string, sign: string): CompareSql {
  return (item) => `CASE json_typeof(${item})
    WHEN 'string' THEN ${item} #>> '{}' ${sign} (:${name}Texts::text[])[1] COLLATE "C"
    WHEN 'number' THEN (${item} #>> '{}')::float8 ${sign} (:${name}Numbers::float8[])[1] END`
}
