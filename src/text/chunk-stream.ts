/** Promise: units in order, of which any that was read may still be replaced by smaller ones. */

import { type Measure, splitUnit, type Unit } from './chunk-units.js'

export type UnitStream = {
  /** The unit at this place; undefined past the end of the text. */
  at(index: number): Unit | undefined
  /** Replaces a unit by its parts; false where it has none. */
  split(index: number): boolean
}

/** Two stacks: replacing a unit moves only what was read past it, never the rest of the text. */
export function createUnitStream(units: readonly Unit[], measure: Measure): UnitStream {
  const ahead = units.toReversed()
  const read: Unit[] = []
  const at = (index: number): Unit | undefined => {
    while (read.length <= index) {
      const next = ahead.pop()
      if (next === undefined) return undefined
      read.push(next)
    }
    return read[index]
  }
  const split = (index: number): boolean => {
    const unit = at(index)
    const parts = unit === undefined ? null : splitUnit(unit, measure)
    if (parts === null) return false
    for (const later of read.splice(index).toReversed().slice(0, -1)) ahead.push(later)
    for (const part of parts.toReversed()) ahead.push(part)
    return true
  }
  return { at, split }
}
