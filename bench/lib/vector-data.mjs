/** Generates vectors in clusters of very unequal size, like a real collection; the same seed gives the same ones. */

const CLUSTERS = 1000
const NORMALS = 1 << 20

/** Unit vectors in one array, and queries that are members with a little noise. */
export function makeClusters({ size, dimensions, queries, seed = 1 }) {
  const random = seeded(seed)
  // Drawing from a table of normal numbers is ten times as fast as computing each.
  const table = Float32Array.from({ length: NORMALS }, () => normal(random))
  const draw = () => table[Math.floor(random() * NORMALS)]
  const root = Math.sqrt(dimensions)
  const centres = Array.from({ length: CLUSTERS }, () => ({
    centre: unit(Float32Array.from({ length: dimensions }, draw)),
    spread: 0.6 + random() * 0.6,
  }))
  const chances = []
  let total = 0
  for (let i = 0; i < CLUSTERS; i++) {
    total += 1 / (i + 1)
    chances.push(total)
  }
  const vectors = new Float32Array(size * dimensions)
  for (let i = 0; i < size; i++) {
    const { centre, spread } = centres[firstAtLeast(chances, random() * total)]
    const vector = vectors.subarray(i * dimensions, (i + 1) * dimensions)
    for (let d = 0; d < dimensions; d++) vector[d] = centre[d] + (spread * draw()) / root
    unit(vector)
  }
  const pushed = Array.from({ length: queries }, () => {
    const from = Math.floor(random() * size) * dimensions
    const vector = vectors.slice(from, from + dimensions)
    for (let d = 0; d < dimensions; d++) vector[d] += (0.3 * draw()) / root
    return unit(vector)
  })
  return { vectors, queries: pushed }
}

function seeded(seed) {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

function normal(random) {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
}

function unit(vector) {
  let squared = 0
  for (let d = 0; d < vector.length; d++) squared += vector[d] * vector[d]
  const scale = 1 / Math.sqrt(squared)
  for (let d = 0; d < vector.length; d++) vector[d] *= scale
  return vector
}

function firstAtLeast(sorted, value) {
  let low = 0
  let high = sorted.length - 1
  while (low < high) {
    const middle = (low + high) >> 1
    if (sorted[middle] < value) low = middle + 1
    else high = middle
  }
  return low
}
