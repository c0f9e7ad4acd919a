/** Serves a bare Hono handler that answers a search with one FTS5 query: the least that a search over HTTP can cost. */

import process from 'node:process'
import { serve } from '@hono/node-server'
import Database from 'better-sqlite3'
import { Hono } from 'hono'
import { createCorpus } from './corpus.mjs'

const [file, records] = process.argv.slice(2)
const db = new Database(file)
db.pragma('journal_mode = WAL')
db.exec(`CREATE VIRTUAL TABLE texts USING fts5 (title, body, tokenize = 'porter unicode61')`)
const add = db.prepare('INSERT INTO texts (title, body) VALUES (?, ?)')
db.transaction(() => {
  for (const { title, body } of createCorpus().records(Number(records))) add.run(title, body)
})()
const find = db.prepare(
  'SELECT rowid, title, body FROM texts WHERE texts MATCH ? ORDER BY rank LIMIT 10',
)

const app = new Hono()
app.post('/search', async (context) => {
  const { query } = JSON.parse(await context.req.text())
  const words = query.match(/[\p{L}\p{N}]+/gu) ?? []
  return context.json({ hits: find.all(words.map((word) => `"${word}"`).join(' OR ')) })
})
const listen = { port: 0, hostname: '127.0.0.1', serverOptions: { keepAliveTimeout: 60_000 } }
const bare = serve({ fetch: app.fetch, ...listen }, ({ port }) => {
  process.stdout.write(`${JSON.stringify({ port })}\n`)
})
process.once('SIGTERM', () => {
  bare.close()
  bare.closeAllConnections()
})
