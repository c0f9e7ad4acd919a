/** The same seed gives the same choices, so that a failure can be seen again. */

export function createChance(seed) {
  let state = seed >>> 0
  const share = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const below = (limit) => Math.floor(share() * limit)
  const pick = (list) => list[below(list.length)]
  return { share, below, pick, between: (low, high) => low + share() * (high - low) }
}
