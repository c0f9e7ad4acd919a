/** Units in order, of which any that was read may still be replaced by smaller ones. */

import { type Measure, splitUnit, type Unit } from './chunk-units.js'

/** Two stacks: replacing a unit moves only what was read past it, never the rest of the text. */
export class UnitStream {
  readonly #measure: Measure
  readonly #ahead: Unit[]
  readonly #read: Unit[] = []

  constructor(units: readonly Unit[], measure: Measure) {
    this.#measure = measure
    this.#ahead = units.toReversed()
  }

  /** The unit at this place; undefined before the beginning and past the end of the text. */
  at(index: number): Unit | undefined {
    while (this.#read.length <= index) {
      const next = this.#ahead.pop()
      if (next === undefined) return undefined
      this.#read.push(next)
    }
    // An array that is asked for -1 looks for a property of that name, which is slow.
    return index < 0 ? undefined : this.#read[index]
  }

  /** Replaces a unit by its parts; false where it has none. */
  split(index: number): boolean {
    const unit = this.at(index)
    const parts = unit === undefined ? null : splitUnit(unit, this.#measure)
    if (parts === null) return false
    const ahead = this.#ahead
    for (const later of this.#read.splice(index).toReversed().slice(0, -1)) ahead.push(later)
    for (const part of parts.toReversed()) ahead.push(part)
    return true
  }
}
