/** A record as nearly all are given is checked at a glance, any other by the rules, and both give the same. */

import type * as z from 'zod/mini'
import { KINDS, SECTORS, TIERS } from '../core/record.js'
import { LEAST_SALIENCE } from '../core/salience.js'
import { check } from './check.js'
import { LONGEST_LABEL, MAX_BODY_CHARS } from './fields.js'
import { RECORD_DEFAULTS, recordInput } from './record-requests.js'

const SPACE = 0x20
const DELETE = 0x7f

export type CheckedRecord = z.output<typeof recordInput>

/** The rules take ten times as long as a look: of an import of many short records that was a tenth. */
export function checkRecord(input: unknown): CheckedRecord {
  return readPlain(input) ?? check(recordInput, input)
}

/** Null where the rules must decide: they alone say what is wrong, and what becomes of a text that is nearly right. */
function readPlain(input: unknown): CheckedRecord | null {
  if (typeof input !== 'object' || input === null) return null
  if (Object.getPrototypeOf(input) !== Object.prototype) return null
  const given = input as Readonly<Record<string, unknown>>
  const record: Record<string, unknown> = withDefaults()
  for (const key in given) {
    const value = given[key]
    const isPlain = IS_PLAIN.get(key)
    if (isPlain === undefined) return null
    if (value === undefined) continue
    if (!isPlain(value)) return null
    record[key] = Array.isArray(value) ? [...value] : value
  }
  return record.body === undefined ? null : (record as CheckedRecord)
}

/** Written out: to spread an object takes longer than all the checks. */
function withDefaults(): Record<keyof CheckedRecord, unknown> {
  return {
    body: undefined,
    namespace: undefined,
    title: RECORD_DEFAULTS.title,
    kind: RECORD_DEFAULTS.kind,
    tags: [],
    people: [],
    source: RECORD_DEFAULTS.source,
    metadata: {},
    importance: RECORD_DEFAULTS.importance,
    sector: RECORD_DEFAULTS.sector,
    tier: RECORD_DEFAULTS.tier,
    occurredAt: RECORD_DEFAULTS.occurredAt,
    salience: RECORD_DEFAULTS.salience,
    session: RECORD_DEFAULTS.session,
    createdIn: RECORD_DEFAULTS.createdIn,
    extractFacts: RECORD_DEFAULTS.extractFacts,
  }
}

/** Moments and metadata are not among them, nor is what there is no such thing as. */
const IS_PLAIN: ReadonlyMap<string, (value: unknown) => boolean> = new Map([
  ['body', isPlainBody],
  ['title', orNull(isPlainText)],
  ['kind', isOneOf(KINDS)],
  ['tags', isListOfLabels],
  ['people', isListOfLabels],
  ['namespace', isPlainLabel],
  ['source', orNull(isPlainLabel)],
  ['session', orNull(isPlainLabel)],
  ['createdIn', orNull(isPlainLabel)],
  ['importance', isShare(0)],
  ['salience', isShare(LEAST_SALIENCE)],
  ['sector', orNull(isOneOf(SECTORS))],
  ['tier', isOneOf(TIERS)],
])

function isPlainBody(value: unknown): boolean {
  return isPlainText(value) && value.length <= MAX_BODY_CHARS && value.trim() !== ''
}

/** One that is stored as it is. */
function isPlainText(value: unknown): value is string {
  return typeof value === 'string' && value.isWellFormed()
}

/** Printed ASCII without white space around it. */
function isPlainLabel(value: unknown): boolean {
  if (typeof value !== 'string' || value === '' || value.length > LONGEST_LABEL) return false
  if (value.charCodeAt(0) === SPACE || value.charCodeAt(value.length - 1) === SPACE) return false
  for (let i = 0; i < value.length; i++) {
    const code = value.charCodeAt(i)
    if (code < SPACE || code >= DELETE) return false
  }
  return true
}

function isListOfLabels(value: unknown): boolean {
  return Array.isArray(value) && value.every(isPlainLabel)
}

function isOneOf(values: readonly unknown[]): (value: unknown) => boolean {
  return (value) => values.includes(value)
}

function isShare(least: number): (value: unknown) => boolean {
  return (value) => typeof value === 'number' && value >= least && value <= 1
}

function orNull(isPlain: (value: unknown) => boolean): (value: unknown) => boolean {
  return (value) => value === null || isPlain(value)
}
