/** Keeps the session of one connection: it starts when the connection first writes, and ends with it. */

import type { Cairn } from '../cairn/cairn.js'
import type { Log } from '../core/log.js'

export class Conversation {
  /** Opens the file at the first use, and returns the same library each time. */
  readonly cairn: () => Promise<Cairn>
  readonly #log: Log
  /** The author of links and corrections: the program at the other end, such as `claude-code 2.1.0`. */
  author: string | null
  /** With the library that holds it: after the file was replaced, the session is gone. */
  #session: { readonly cairn: Cairn; readonly id: Promise<string> } | null = null
  #hasEnded = false

  constructor(open: () => Promise<Cairn>, log: Log, author: string | null = null) {
    this.cairn = open
    this.#log = log
    this.author = author
  }

  /** The first name that the client gives is the author. */
  withAuthor(name: string | null): this {
    this.author ??= name
    return this
  }

  /** The session if it has started. */
  async startedSession(): Promise<string | null> {
    const session = this.#session
    if (session === null) return null
    return this.#tryOrWarn('mcp.session.failed', async () =>
      session.cairn === (await this.cairn()) ? session.id : null,
    )
  }

  /** The session, started if there is none; null if it cannot be written, so that reading still works. */
  async session(): Promise<string | null> {
    if (this.#hasEnded) return this.startedSession()
    const id = await this.#tryOrWarn('mcp.session.failed', async () => {
      const cairn = await this.cairn()
      if (cairn.caller.role === 'read') return null
      if (this.#session?.cairn !== cairn) this.#session = { cairn, id: this.#start(cairn) }
      return this.#session.id
    })
    if (id === null) this.#session = null
    return id
  }

  /** Ends the session; the second call does nothing. */
  async end(): Promise<void> {
    if (this.#hasEnded) return
    this.#hasEnded = true
    const id = await this.startedSession()
    if (id === null) return
    await this.#tryOrWarn('mcp.session.end.failed', async () => {
      await (await this.cairn()).sessions.end(id)
      this.#log('info', 'mcp.session.end', { session: id })
    })
  }

  async #start(cairn: Cairn): Promise<string> {
    const { id } = await cairn.sessions.start({ title: this.author, attached: true })
    this.#log('info', 'mcp.session.start', { session: id, client: this.author })
    return id
  }

  async #tryOrWarn<T>(event: string, work: () => Promise<T>): Promise<T | null> {
    try {
      return await work()
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      this.#log('warn', event, { reason })
      return null
    }
  }
}
