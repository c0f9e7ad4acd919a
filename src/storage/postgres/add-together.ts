/** Adds records; what several callers add to one namespace at once is written in one transaction. */

import { CairnError, type ErrorCode } from '../../core/errors.js'
import type { AddOutcome } from '../../core/record.js'
import type { Addition } from '../storage.js'
import type { EmbeddedRecords } from '../vectors.js'
import type { Parts } from './open-postgres.js'
import { addWithAll } from './record-writes.js'
import type { Runners } from './runner.js'

const MOST_RECORDS = 1000
/** These errors are not about one of the records: adding each call by itself would give the same. */
const OF_THE_SERVER: readonly ErrorCode[] = [
  'service_unavailable',
  'locked',
  'disk_full',
  'read_only',
  'closed',
]

type Call = {
  readonly records: readonly Addition[]
  readonly vectors: EmbeddedRecords | undefined
  readonly resolve: (outcomes: AddOutcome[]) => void
  readonly reject: (error: unknown) => void
}

/** Writers of a namespace take turns, and each turn ends with a commit: calls that wait for theirs share the next one. */
export function createAdder(
  write: Runners['write'],
  parts: Parts,
  author: () => string | null,
): (records: readonly Addition[], vectors?: EmbeddedRecords) => Promise<AddOutcome[]> {
  const queues = new Map<string, Call[]>()

  const addAll = async (calls: readonly Call[]): Promise<void> => {
    const records = calls.flatMap((call) => call.records)
    const vectors = joinVectors(calls)
    try {
      const outcomes = await write(findNamespace(records), (statements) =>
        addWithAll(statements, parts, { records, vectors }),
      )
      for (const call of calls) call.resolve(outcomes.splice(0, call.records.length))
    } catch (error) {
      const isOfAll = error instanceof CairnError && OF_THE_SERVER.includes(error.code)
      if (calls.length === 1 || isOfAll) for (const { reject } of calls) reject(error)
      else for (const call of calls) await addAll([call])
    }
  }

  return (records, vectors) =>
    new Promise((resolve, reject) => {
      const call = { records, vectors, resolve, reject }
      const key = JSON.stringify([findNamespace(records), author(), vectors?.model ?? null])
      const queue = queues.get(key)
      if (queue !== undefined) {
        queue.push(call)
        return
      }
      const calls: Call[] = [call]
      queues.set(key, calls)
      const addWaiting = async (): Promise<void> => {
        while (calls.length > 0) await addAll(takeSome(calls))
        queues.delete(key)
      }
      void addWaiting()
    })
}

/** The first one, and as many more as fit. */
function takeSome(calls: Call[]): Call[] {
  let records = 0
  const end = calls.findIndex((call, i) => {
    records += call.records.length
    return i > 0 && records > MOST_RECORDS
  })
  return calls.splice(0, end < 0 ? calls.length : end)
}

/** All of one model, or none of any. */
function joinVectors(calls: readonly Call[]): EmbeddedRecords | undefined {
  const given = calls.flatMap(({ vectors }) => vectors ?? [])
  const [first] = given
  return first && { model: first.model, vectors: given.flatMap(({ vectors }) => vectors) }
}

/** Null where there are several. */
function findNamespace(records: readonly Addition[]): string | null {
  const [first] = records
  const isOne = records.every(({ namespace }) => namespace === first?.namespace)
  return first !== undefined && isOne ? first.namespace : null
}
