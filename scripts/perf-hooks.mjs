// Stands in the scripts of the command for `node:perf_hooks`, of which the clock alone is used: to load it takes a millisecond.

export const performance = {
  now() {
    const [seconds, nanoseconds] = globalThis.process.hrtime()
    return seconds * 1e3 + nanoseconds / 1e6
  },
}
