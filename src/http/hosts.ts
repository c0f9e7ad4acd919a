/** A request that came by a name which is not ours, as from a page of another site, is told apart. */

import { isIP } from 'node:net'

const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]'])

/** Whether only programs of this machine reach a server that listens there. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.has(host) || host === '::1'
}

/** Whether a `Host` header names this machine and this port. */
export function isOwnHost(header: string, port: number): boolean {
  const { name, port: given } = splitHost(header)
  return LOOPBACK.has(name) && given === port
}

/**
 * Whether a `Host` header may name a server that listens beyond this machine. An address cannot be pointed elsewhere as a
 * name can, so any address will do, and of names only those given here; the port may have been mapped on the way.
 */
export function isNamedHost(header: string, names: readonly string[]): boolean {
  const { name } = splitHost(header)
  const isAddress = isIP(name.replace(/^\[|\]$/g, '')) !== 0
  return isAddress || name === 'localhost' || names.some((one) => one.toLowerCase() === name)
}

/** Whether an `Origin` header is a page that this machine served, at whichever port. */
export function isLoopbackOrigin(origin: string): boolean {
  return URL.canParse(origin) && LOOPBACK.has(new URL(origin).hostname)
}

/** Whether an `Origin` header is the very server that the `Host` header names. */
export function isSameOrigin(origin: string, host: string): boolean {
  return URL.canParse(origin) && new URL(origin).host === host.toLowerCase()
}

function splitHost(header: string): { readonly name: string; readonly port: number } {
  const [, name = '', port] = /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(header.toLowerCase()) ?? []
  return { name, port: Number(port ?? 80) }
}
