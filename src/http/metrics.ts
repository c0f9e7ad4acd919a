/** Counts what a server does, and prints it in the text format of Prometheus. */

import type { LogFields } from '../core/log.js'

/** The upper bounds of a histogram, in seconds. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, Infinity] as const
const STAGES = ['embedding', 'words', 'vectors', 'fusion', 'page'] as const

/** The type of each metric, and the help above its values. */
const METRICS = {
  cairn_requests_total: ['counter', 'Requests that were answered, by operation and status.'],
  cairn_request_seconds: ['histogram', 'How long requests took, by operation.'],
  cairn_search_stage_seconds: ['histogram', 'How long the stages of searches took.'],
  cairn_searches_total: ['counter', 'Searches, by whether the answer came from the cache.'],
  cairn_records: ['gauge', 'Records that can be found.'],
  cairn_vectors: ['gauge', 'Vectors of the active model.'],
  cairn_vectors_waiting: ['gauge', 'Records that wait for their vectors.'],
  cairn_database_bytes: ['gauge', 'The size of the database.'],
  cairn_wal_bytes: ['gauge', 'The size of the write-ahead log.'],
  cairn_connections: ['gauge', 'Connections of this process to the database server.'],
  cairn_connections_idle: ['gauge', 'Connections that are not in use.'],
  cairn_connections_awaited: ['gauge', 'Operations that wait for a connection.'],
  cairn_process_resident_bytes: ['gauge', 'The memory of the process.'],
} as const
type Name = keyof typeof METRICS

export type Metrics = ReturnType<typeof createMetrics>

export function createMetrics() {
  /** For each metric, its values by suffix and labels: `_bucket{stage="words",le="0.005"}`. */
  const metrics = new Map<Name, Map<string, number>>()
  const add = (name: Name, series: string, amount: number): void => {
    const values = metrics.get(name) ?? new Map<string, number>()
    metrics.set(name, values.set(series, (values.get(series) ?? 0) + amount))
  }
  // Labels are names of operations and stages, and numbers. None contains a quotation mark.
  const observe = (name: Name, label: string, seconds: number): void => {
    for (const limit of BUCKETS) {
      const le = limit === Infinity ? '+Inf' : limit
      add(name, `_bucket{${label},le="${le}"}`, seconds <= limit ? 1 : 0)
    }
    add(name, `_sum{${label}}`, seconds)
    add(name, `_count{${label}}`, 1)
  }
  return {
    countRequest(operation: string, status: number, seconds: number): void {
      add('cairn_requests_total', `{operation="${operation}",status="${status}"}`, 1)
      observe('cairn_request_seconds', `operation="${operation}"`, seconds)
    },
    /** Reads from the log of a library whether each search was cached, and how long its stages took. */
    readLog(event: string, fields: LogFields): void {
      if (event === 'search') add('cairn_searches_total', `{cached="${fields.cached}"}`, 1)
      if (event !== 'search.stages' || fields.cached) return
      for (const stage of STAGES) {
        const seconds = Number(fields[stage] ?? 0) / 1000
        observe('cairn_search_stage_seconds', `stage="${stage}"`, seconds)
      }
    },
    /** `gauges`: values that are read only when somebody asks. */
    print(gauges: Partial<Readonly<Record<Name, number>>>): string {
      const current = Object.entries(gauges).map(([name, value]) => {
        return [name as Name, new Map([['', value]])] as const
      })
      const lines = [...metrics, ...current].flatMap(([name, values]) => {
        const [type, help] = METRICS[name]
        return [
          `# HELP ${name} ${help}`,
          `# TYPE ${name} ${type}`,
          ...[...values].map(([series, value]) => `${name}${series} ${value}`),
        ]
      })
      return `${lines.join('\n')}\n`
    },
  }
}
