/** Serves `cairn serve` and a bare handler that makes the same call, on the same open file, in one process. */

import process from 'node:process'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { startServer } from '../../dist/http.js'
import { openCairn } from '../../dist/index.js'

const cairn = await openCairn({ file: process.argv[2] })
const ours = await startServer({ cairn, port: 0 })

const app = new Hono()
app.post('/search', async (context) =>
  context.json(await cairn.search(JSON.parse(await context.req.text()))),
)
const listen = { port: 0, hostname: '127.0.0.1', serverOptions: { keepAliveTimeout: 60_000 } }
const bare = serve({ fetch: app.fetch, ...listen }, ({ port }) => {
  process.stdout.write(`${JSON.stringify({ ours: ours.port, bare: port })}\n`)
})

process.once('SIGTERM', async () => {
  bare.close()
  bare.closeAllConnections()
  await ours.close()
  await cairn.close()
})
