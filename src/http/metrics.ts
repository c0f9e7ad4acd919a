/** Counts what a server does, and prints it in the text form that Prometheus reads. */

import type { LogFields } from '../core/log.js'

/** In seconds. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const
const STAGES = ['embedding', 'words', 'vectors', 'fusion', 'page'] as const

type Labels = Readonly<Record<string, string>>

/** What a name means, for the line above its values. */
const HELP = {
  cairn_requests_total: 'Requests that were answered, by operation and status.',
  cairn_request_seconds: 'How long requests took, by operation.',
  cairn_search_stage_seconds: 'How long the stages of searches took.',
  cairn_searches_total: 'Searches, by whether the answer came from the cache.',
  cairn_records: 'Records that can be found.',
  cairn_vectors: 'Vectors of the active model.',
  cairn_vectors_waiting: 'Records that wait for their vectors.',
  cairn_database_bytes: 'The size of the database.',
  cairn_wal_bytes: 'What was written and is not yet in the file.',
  cairn_connections: 'Connections of this process to the database server.',
  cairn_connections_idle: 'Those of them that nobody uses.',
  cairn_connections_awaited: 'Operations that wait for a connection.',
  cairn_process_resident_bytes: 'The memory of the process.',
} as const
type Name = keyof typeof HELP

type Distribution = { readonly counts: number[]; sum: number; count: number }

export type Metrics = ReturnType<typeof createMetrics>

export function createMetrics() {
  const counters = new Map<Name, Map<string, number>>()
  const distributions = new Map<Name, Map<string, Distribution>>()

  const count = (name: Name, labels: Labels): void => {
    const known = findOrAdd(counters, name, () => new Map<string, number>())
    const key = printLabels(labels)
    known.set(key, (known.get(key) ?? 0) + 1)
  }
  const observe = (name: Name, labels: Labels, seconds: number): void => {
    const known = findOrAdd(distributions, name, () => new Map<string, Distribution>())
    const one = findOrAdd(known, printLabels(labels), () => ({
      counts: BUCKETS.map(() => 0),
      sum: 0,
      count: 0,
    }))
    for (const [i, limit] of BUCKETS.entries())
      if (seconds <= limit) one.counts[i] = (one.counts[i] ?? 0) + 1
    one.sum += seconds
    one.count += 1
  }
  return {
    countRequest(operation: string, status: number, seconds: number): void {
      count('cairn_requests_total', { operation, status: String(status) })
      observe('cairn_request_seconds', { operation }, seconds)
    },
    /** Takes what a library tells its log: of every search, whether it was cached and how long its stages took. */
    readLog(event: string, fields: LogFields): void {
      if (event === 'search') count('cairn_searches_total', { cached: String(fields.cached) })
      if (event !== 'search.stages' || fields.cached) return
      for (const stage of STAGES) {
        observe('cairn_search_stage_seconds', { stage }, Number(fields[stage] ?? 0) / 1000)
      }
    },
    /** `gauges`: what is known only when it is asked for. */
    print(gauges: Partial<Readonly<Record<Name, number>>>): string {
      const lines: string[] = []
      const head = (name: Name, type: string): void => {
        lines.push(`# HELP ${name} ${HELP[name]}`, `# TYPE ${name} ${type}`)
      }
      for (const [name, values] of counters) {
        head(name, 'counter')
        for (const [labels, value] of values) lines.push(`${name}{${labels}} ${value}`)
      }
      for (const [name, values] of distributions) {
        head(name, 'histogram')
        for (const [labels, { counts, sum, count }] of values) {
          for (const [i, limit] of BUCKETS.entries()) {
            lines.push(`${name}_bucket{${labels},le="${limit}"} ${counts[i]}`)
          }
          lines.push(`${name}_bucket{${labels},le="+Inf"} ${count}`)
          lines.push(`${name}_sum{${labels}} ${sum}`, `${name}_count{${labels}} ${count}`)
        }
      }
      for (const [name, value] of Object.entries(gauges)) {
        head(name as Name, 'gauge')
        lines.push(`${name} ${value}`)
      }
      return `${lines.join('\n')}\n`
    },
  }
}

/** Labels are names of operations, stages and numbers: none holds a quotation mark. */
function printLabels(labels: Labels): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}="${value}"`)
    .join(',')
}

function findOrAdd<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const found = map.get(key)
  if (found !== undefined) return found
  const made = make()
  map.set(key, made)
  return made
}
