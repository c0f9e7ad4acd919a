/** A search leaves counts and milliseconds in the log, and its text at the level for debugging alone. */

import type { SearchAnswer } from '../core/answer.js'
import type { Log } from '../core/log.js'
import type { SearchRequest } from '../schemas/search-request.js'

export function logSearch(log: Log, { query, mode }: SearchRequest, answer: SearchAnswer): void {
  log('info', 'search', {
    queryChars: query.length,
    mode,
    hits: answer.hits.length,
    total: answer.total.value,
    cached: answer.cached,
    ms: Math.round(answer.tookMs * 100) / 100,
  })
  log('debug', 'search.text', { query })
}
