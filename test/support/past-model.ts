/** What was true at any moment, told by plain copies of the whole world; slow, and obviously right. */

import type { Cairn, FactType, RecordId } from '../../src/index.js'

export type ModelFact = { readonly type: FactType; readonly object: string; readonly id: string }

export type ModelRecord = {
  readonly body: string
  readonly tags: readonly string[]
  readonly isDeleted: boolean
  /** `gone`: what took its place was purged since. */
  readonly successor: RecordId | 'gone' | null
  readonly facts: readonly ModelFact[]
}

type World = ReadonlyMap<RecordId, ModelRecord>
type Moment = { readonly atMs: number; readonly world: World }

/** A library and its model, changed by the same events at the same moments. */
export class Twin {
  readonly cairn: Cairn
  readonly #clock: { now: number }
  #moments: Moment[]

  constructor(cairn: Cairn, clock: { now: number }) {
    this.cairn = cairn
    this.#clock = clock
    this.#moments = [{ atMs: Number.NEGATIVE_INFINITY, world: new Map() }]
  }

  /** All records that were never purged, oldest first. */
  get ids(): RecordId[] {
    return [...this.now().keys()]
  }

  now(): World {
    return this.at(Number.POSITIVE_INFINITY)
  }

  at(atMs: number): World {
    return this.#moments.findLast((moment) => moment.atMs <= atMs)?.world ?? new Map()
  }

  #change(id: RecordId, change: Partial<ModelRecord>): void {
    const before = this.now().get(id)
    const empty = { body: '', tags: [], isDeleted: false, successor: null, facts: [] }
    const world = new Map(this.now()).set(id, { ...empty, ...before, ...change })
    this.#moments.push({ atMs: this.#clock.now, world })
  }

  async add(body: string, tags: readonly string[] = []): Promise<RecordId> {
    const { id, created } = await this.cairn.add({ body, tags: [...tags] })
    if (created) this.#change(id, { body, tags })
    return id
  }

  async edit(id: RecordId, change: { body?: string; tags?: string[] }): Promise<void> {
    await this.cairn.edit(id, change)
    this.#change(id, change)
  }

  async delete(id: RecordId): Promise<void> {
    await this.cairn.delete([id])
    this.#change(id, { isDeleted: true })
  }

  async restore(id: RecordId): Promise<void> {
    await this.cairn.restore([id])
    this.#change(id, { isDeleted: false })
  }

  async supersede(older: RecordId, newer: RecordId): Promise<void> {
    await this.cairn.supersede(older, newer)
    this.#change(older, { successor: newer })
  }

  async reinstate(older: RecordId): Promise<void> {
    const newer = this.now().get(older)?.successor
    if (!newer || newer === 'gone') throw new Error('nothing to take back')
    await this.cairn.links.remove({ from: newer, to: older, type: 'SUPERSEDES' })
    this.#change(older, { successor: null })
  }

  async addFact(record: RecordId, type: FactType, object: string): Promise<void> {
    const known = this.now().get(record)?.facts ?? []
    const { id } = await this.cairn.facts.add({
      record,
      type,
      subject: `subject ${object}`,
      predicate: 'is',
      object,
    })
    this.#change(record, { facts: [...known, { id, type, object }] })
  }

  async endFact(record: RecordId): Promise<void> {
    const [first, ...rest] = this.now().get(record)?.facts ?? []
    if (first === undefined) throw new Error('no fact to end')
    await this.cairn.facts.remove(first.id)
    this.#change(record, { facts: rest })
  }

  /** A purged record was never there; what it had replaced goes over to what replaces it, or is valid again. */
  async purge(id: RecordId): Promise<void> {
    const next = this.now().get(id)?.successor ?? null
    await this.cairn.purge([id])
    const heir = next === 'gone' ? null : next
    const orphans = [...this.now()].filter(([, { successor }]) => successor === id)
    const since = new Map(orphans.map(([orphan]) => [orphan, this.#supersededSince(orphan)]))
    this.#moments = this.#moments.map(({ atMs, world }, i) => ({
      atMs,
      world: new Map(
        [...world].flatMap(([other, record]): [RecordId, ModelRecord][] => {
          if (other === id) return []
          if (record.successor !== id) return [[other, record]]
          const isOfNow = i >= (since.get(other) ?? Number.POSITIVE_INFINITY)
          return [[other, { ...record, successor: (isOfNow ? heir : null) ?? 'gone' }]]
        }),
      ),
    }))
    if (heir === null) for (const [orphan] of orphans) this.#change(orphan, { successor: null })
  }

  /** Since which moment it has been superseded without a break. */
  #supersededSince(id: RecordId): number {
    return this.#moments.findLastIndex(({ world }) => world.get(id)?.successor === null) + 1
  }

  /** What a search for a word must find; an empty word is in every text. */
  found(word: string, atMs: number, includeSuperseded: boolean): Set<RecordId> {
    const world = this.at(atMs)
    const matching = [...world].filter(
      ([, { body, tags, isDeleted }]) => !isDeleted && `${body} ${tags.join(' ')}`.includes(word),
    )
    const found = new Set<RecordId>()
    for (const [id, { successor }] of matching) {
      if (successor === null || includeSuperseded) found.add(id)
      const chain = this.chain(id, atMs)
      const last = chain.at(-1)
      if (includeSuperseded) for (const one of chain) found.add(one)
      else if (last !== undefined && world.get(last)?.successor === null) found.add(last)
    }
    return found
  }

  /** What stood in the place of a record at a moment, step by step, without what was deleted then. */
  chain(id: RecordId, atMs: number): RecordId[] {
    const world = this.at(atMs)
    const chain: RecordId[] = []
    let next = world.get(id)?.successor ?? null
    while (next !== null && next !== 'gone') {
      const record = world.get(next)
      if (record !== undefined && !record.isDeleted) chain.push(next)
      next = record?.successor ?? null
    }
    return chain
  }
}

/** How often each value stands in a list of lists. */
export function countValues(lists: readonly (readonly string[])[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const list of lists) {
    for (const value of new Set(list)) counts[value] = (counts[value] ?? 0) + 1
  }
  return counts
}
