/** Reads what a briefing tells: the records that recent sessions used, and those that were corrected. */

import type { DatedRecord, MemoryStorage } from '../../memory.js'
import {
  convertRow,
  inNamespaces,
  joinConditions,
  type Statements,
  withinSql,
} from '../statements.js'

const SQL = {
  used: (condition: string) => `SELECT r.id, max(u.last_at) AS at
    FROM sessions s CROSS JOIN session_records u ON u.session = s.row CROSS JOIN records r ON r.row = u.record
    WHERE s.started_at >= :sinceMs AND u.usage <> 'created' AND r.present AND ${withinSql('s')} AND ${condition}
    GROUP BY r.row ORDER BY sum(u.times) DESC, at DESC, r.id DESC LIMIT :limit`,
  corrections: (condition: string) => `SELECT n.id, o.superseded_at AS at
    FROM records o CROSS JOIN links l ON l.target = o.row AND l.type = 'SUPERSEDES' CROSS JOIN records n ON n.row = l.source
    WHERE o.superseded_at IS NOT NULL AND o.deleted_at IS NULL AND n.present AND ${condition}
    ORDER BY o.superseded_at DESC, o.id DESC LIMIT :limit`,
} as const

export function createBriefingReads(statements: Statements) {
  return {
    used(request: Parameters<MemoryStorage['listUsed']>[0]): DatedRecord[] {
      const { namespaces, pinnedNamespace: namespace, sinceMs, limit } = request
      const { sql, values } = joinConditions([inNamespaces('r', namespaces)])
      const rows = statements.all(SQL.used(sql), { ...values, namespace, sinceMs, limit })
      return rows.map((row) => convertRow(row, { times: ['at'] }))
    },

    corrections(namespaces: readonly string[] | null, limit: number): DatedRecord[] {
      const both = [inNamespaces('n', namespaces), inNamespaces('o', namespaces)]
      const { sql, values } = joinConditions(both)
      const rows = statements.all(SQL.corrections(sql), { ...values, limit })
      return rows.map((row) => convertRow(row, { times: ['at'] }))
    },
  }
}
