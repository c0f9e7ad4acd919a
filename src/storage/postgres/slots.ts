/** Lets a few run at once; the others wait in the order in which they came. */
export function createSlots(count: number) {
  let free = count
  const waiting: (() => void)[] = []
  return {
    async run<T>(work: () => Promise<T>): Promise<T> {
      if (free > 0) free -= 1
      else await new Promise<void>((resolve) => waiting.push(resolve))
      try {
        return await work()
      } finally {
        const next = waiting.shift()
        if (next === undefined) free += 1
        else next()
      }
    },
    countWaiting: () => waiting.length,
  }
}
