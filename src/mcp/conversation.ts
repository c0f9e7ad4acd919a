/** A connection is one session: it starts when it first leaves a trace, and ends with the connection. */

import type { Cairn } from '../cairn/cairn.js'
import type { Log } from '../core/log.js'

export type ConversationParts = {
  /** Opens the file at the first use, and gives the same library each time. */
  readonly open: () => Promise<Cairn>
  /** The program at the other end, such as `claude-code 2.1.0`. */
  readonly client: () => string | null
  readonly log: Log
}

/** Holds the session of one connection. */
export class Conversation {
  readonly #parts: ConversationParts
  /** With the library that holds it: a file that was replaced by another knows nothing of it. */
  #session: { readonly of: Cairn; readonly id: Promise<string> } | null = null
  #isOver = false

  constructor(parts: ConversationParts) {
    this.#parts = parts
  }

  cairn(): Promise<Cairn> {
    return this.#parts.open()
  }

  /** Who makes the links and corrections of this conversation. */
  get author(): string | null {
    return this.#parts.client()
  }

  /** The session if it has begun. */
  async begun(): Promise<string | null> {
    const session = this.#session
    if (session === null) return null
    try {
      return session.of === (await this.cairn()) ? await session.id : null
    } catch {
      return null
    }
  }

  /** The session, begun now if need be; null where none can be written, so that reading goes on. */
  async session(): Promise<string | null> {
    if (this.#isOver) return this.begun()
    try {
      const cairn = await this.cairn()
      if (this.#session?.of !== cairn) this.#session = { of: cairn, id: this.#start(cairn) }
      return await this.#session.id
    } catch (error) {
      this.#session = null
      this.#warn('mcp.session.failed', error)
      return null
    }
  }

  /** Ends the session with a summary of its own sentences; the second time nothing happens. */
  async end(): Promise<void> {
    if (this.#isOver) return
    this.#isOver = true
    const id = await this.begun()
    if (id === null) return
    try {
      const cairn = await this.cairn()
      await cairn.sessions.end(id)
      this.#parts.log('info', 'mcp.session.end', { session: id })
    } catch (error) {
      this.#warn('mcp.session.end.failed', error)
    }
  }

  async #start(cairn: Cairn): Promise<string> {
    const { id } = await cairn.sessions.start({ title: this.author, attached: true })
    this.#parts.log('info', 'mcp.session.start', { session: id, client: this.author })
    return id
  }

  #warn(event: string, error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error)
    this.#parts.log('warn', event, { reason })
  }
}
