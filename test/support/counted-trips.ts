/** A proxy in front of a PostgreSQL server that counts round trips: answers pass once every request has got its own. */

import { Buffer } from 'node:buffer'
import { connect, createServer, type Socket } from 'node:net'

const [QUERY, SYNC, READY] = ['Q', 'S', 'Z'].map((letter) => letter.charCodeAt(0))

export async function countTrips(url: string) {
  const target = new URL(url)
  const [port, host] = [Number(target.port), target.hostname]
  const held: { readonly to: Socket; readonly bytes: Buffer }[] = []
  let waiting = 0
  let trips = 0
  const release = (): void => {
    // A client may send on several connections at once.
    setTimeout(() => {
      if (waiting > 0 || held.length === 0) return
      trips += 1
      for (const { to, bytes } of held.splice(0)) to.write(bytes)
    }, 3)
  }
  const server = createServer((client) => {
    const there = connect(port, host)
    const countSent = createReader(true, (type) => {
      if (type === QUERY || type === SYNC) waiting += 1
    })
    const countAnswered = createReader(false, (type) => {
      if (type === READY) waiting -= 1
    })
    // The first message of a client is answered too.
    waiting += 1
    client.on('data', (bytes) => {
      countSent(bytes)
      there.write(bytes)
    })
    there.on('data', (bytes) => {
      held.push({ to: client, bytes })
      countAnswered(bytes)
      if (waiting === 0) release()
    })
    for (const [one, other] of [
      [client, there],
      [there, client],
    ] as const) {
      one.on('error', () => other.destroy())
      one.on('close', () => other.destroy())
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  target.hostname = '127.0.0.1'
  target.port = String(typeof address === 'object' ? address?.port : '')
  return {
    url: target.href,
    close: () => server.close(),
    /** Until the outcome is there; what nobody waits for does not count. */
    async count<T>(
      work: () => Promise<T>,
    ): Promise<{ readonly outcome: T; readonly trips: number }> {
      const before = trips
      const outcome = await work()
      return { outcome, trips: trips - before }
    },
  }
}

/** Messages have a letter and a length; the first one of a client has no letter. */
function createReader(isClient: boolean, note: (type: number) => void): (bytes: Buffer) => void {
  let isFirst = isClient
  let rest: Buffer = Buffer.alloc(0)
  return (bytes) => {
    rest = Buffer.concat([rest, bytes])
    for (;;) {
      const letter = isFirst ? 0 : 1
      if (rest.length < letter + 4) return
      const end = letter + rest.readUInt32BE(letter)
      if (rest.length < end) return
      if (!isFirst) note(rest[0] as number)
      isFirst = false
      rest = rest.subarray(end)
    }
  }
}
