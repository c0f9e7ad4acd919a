/** Speaks what Ollama speaks, with vectors made of words, until it has read so many texts; then it falls silent or babbles. */

import { createServer } from 'node:http'
import process from 'node:process'

const { port, dimensions, texts = Infinity, afterwards = 'hang' } = JSON.parse(process.argv[2])
let read = 0

const server = createServer(async (request, response) => {
  let body = ''
  for await (const part of request) body += part
  if (request.url !== '/api/embed') return response.writeHead(404).end('{"error":"not found"}')
  const { input, model } = JSON.parse(body)
  const list = [input].flat()
  read += list.length
  if (read > texts) {
    if (afterwards === 'hang') return
    if (afterwards === 'reset') return request.socket.destroy()
    if (afterwards === 'refuse') return response.writeHead(500).end('{"error":"out of memory"}')
    return response.writeHead(200).end('{"embeddings": [[1, "two", null')
  }
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ model, embeddings: list.map((text) => vectorOf(text)) }))
})
server.listen(port, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`))

/** Texts that share words are near to each other. */
function vectorOf(text) {
  const vector = new Array(dimensions).fill(0.01)
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
    let hash = 0
    for (const letter of word) hash = (Math.imul(hash, 31) + letter.codePointAt(0)) >>> 0
    vector[hash % dimensions] += 1
  }
  return vector
}
