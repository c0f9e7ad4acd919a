/** Adapters for LangChain: a retriever over a Cairn file, and the history of a chat kept in one of its sessions. */

import { BaseListChatMessageHistory } from '@langchain/core/chat_history'
import { Document } from '@langchain/core/documents'
import {
  type BaseMessage,
  mapStoredMessagesToChatMessages,
  type StoredMessage,
} from '@langchain/core/messages'
import { BaseRetriever, type BaseRetrieverInput } from '@langchain/core/retrievers'
import type { Cairn } from './cairn/cairn.js'
import type { CairnRecord } from './core/record.js'
import type { SearchInput } from './schemas/search-request.js'

const PAGE = 1000

export type CairnRetrieverInput = BaseRetrieverInput & {
  readonly cairn: Cairn
  /** The options of every search: `limit`, `kinds`, `namespaces`, `lens` … */
  readonly search?: Omit<SearchInput, 'query'>
}

/** The best passage of each hit as a document; its id and the other fields of the record are in the metadata. */
export class CairnRetriever extends BaseRetriever {
  lc_namespace = ['cairn-search', 'langchain']
  readonly #cairn: Cairn
  readonly #search: Omit<SearchInput, 'query'>

  constructor({ cairn, search = {}, ...fields }: CairnRetrieverInput) {
    super(fields)
    this.#cairn = cairn
    this.#search = search
  }

  override async _getRelevantDocuments(query: string): Promise<Document[]> {
    const { hits } = await this.#cairn.search({ ...this.#search, query })
    return hits
      .filter(({ weak }) => !weak)
      .map(({ id, title, kind, score, chunks, snippet, identity, record }) => {
        const { namespace, tags, people, source, createdAt, occurredAt, metadata } = record
        return new Document({
          id,
          pageContent: chunks[0]?.text ?? snippet?.text ?? record.body,
          metadata: {
            ...metadata,
            ...{ id, title, kind, score, identity },
            ...{ namespace, tags, people, source, createdAt, occurredAt },
          },
        })
      })
  }
}

/** The messages of one session, each a record that searches find like any other turn of a conversation. */
export class CairnChatMessageHistory extends BaseListChatMessageHistory {
  lc_namespace = ['cairn-search', 'langchain']
  readonly #cairn: Cairn
  readonly #session: string
  #lastMs = 0

  constructor({ cairn, session }: { readonly cairn: Cairn; readonly session: string }) {
    super()
    this.#cairn = cairn
    this.#session = session
  }

  async getMessages(): Promise<BaseMessage[]> {
    const records = await this.#list()
    return mapStoredMessagesToChatMessages(
      records.map(({ metadata }) => metadata.message as StoredMessage),
    )
  }

  addMessage(message: BaseMessage): Promise<void> {
    return this.addMessages([message])
  }

  /** Each message has a time of its own, so that equal ones are kept and all stay in order. */
  override async addMessages(messages: BaseMessage[]): Promise<void> {
    await this.#cairn.addMany(
      messages.map((message) => {
        this.#lastMs = Math.max(Date.now(), this.#lastMs + 1)
        return {
          body: message.text.trim() === '' ? `(${message.type})` : message.text,
          people: [message.type],
          session: this.#session,
          occurredAt: new Date(this.#lastMs).toISOString(),
          metadata: { message: JSON.parse(JSON.stringify(message.toDict())) },
        }
      }),
    )
  }

  /** Hides the messages; `cairn.restore` brings them back. */
  override async clear(): Promise<void> {
    await this.#cairn.delete((await this.#list()).map(({ id }) => id))
  }

  async #list(): Promise<CairnRecord[]> {
    const { namespace } = this.#cairn
    const filter = { sessions: [this.#session], namespaces: [namespace], limit: PAGE }
    let page = await this.#cairn.list(filter)
    const records = [...page.records]
    while (page.next !== null) {
      page = await this.#cairn.list({ ...filter, cursor: page.next })
      records.push(...page.records)
    }
    const said = ({ occurredAt, createdAt }: CairnRecord): string => occurredAt ?? createdAt
    return records
      .filter(({ metadata }) => metadata.message !== undefined)
      .sort((a, b) => said(a).localeCompare(said(b)))
  }
}
