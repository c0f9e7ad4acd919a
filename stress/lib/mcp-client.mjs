/** A server for agents in a process of its own, spoken to line by line, with every answer waited for at most so long. */

import { spawn } from 'node:child_process'
import process from 'node:process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { LIBRARY } from './children.mjs'

const COMMAND = fileURLToPath(new URL('cairn.cjs', LIBRARY))
const PROTOCOL = '2025-06-18'

/** Over standard input and output, already greeted. */
export async function startServer(file, { timeoutMs = 60_000 } = {}) {
  const child = spawn(process.execPath, [COMMAND, 'mcp', '--db', file], {
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const waiting = new Map()
  let err = ''
  let next = 1
  child.stderr.on('data', (part) => {
    err += part
  })
  const ended = new Promise((resolve) => child.on('close', resolve))
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message = JSON.parse(line)
    waiting.get(message.id)?.(message)
    waiting.delete(message.id)
  })

  /** Any line at all; it need not be an answer's question. */
  const sendLine = (line) => child.stdin.write(`${line}\n`)

  const ask = (method, params) => {
    const id = next++
    const answer = new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        waiting.delete(id)
        reject(new Error(`${method} was not answered within ${timeoutMs} ms; ${err.slice(-300)}`))
      }, timeoutMs)
      waiting.set(id, (message) => {
        clearTimeout(timer)
        resolve(message)
      })
    })
    sendLine(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
    return answer
  }

  const info = { name: 'stress', version: '1' }
  await ask('initialize', { protocolVersion: PROTOCOL, capabilities: {}, clientInfo: info })
  sendLine(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }))
  return {
    ask,
    sendLine,
    child,
    errors: () => err,
    call: async (name, args) => {
      const { result, error } = await ask('tools/call', { name, arguments: args })
      if (error !== undefined) return { text: error.message, isError: true }
      return { text: result.content[0]?.text ?? '', isError: result.isError === true }
    },
    close: async () => {
      child.stdin.end()
      await ended
    },
  }
}
