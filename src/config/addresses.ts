/** A folder that somebody else made cannot send the user's texts and keys to a machine of its choice. */

import { badInput } from '../core/errors.js'
import type { SettingName } from './settings.js'

export const ADDRESSES = ['vectorSearch.baseUrl', 'openAlex.baseUrl'] as const

/** Refuses what a project's file says where it leads to another machine. */
export function assertOwnAddress(name: SettingName, value: unknown, path: string): void {
  if (!ADDRESSES.some((known) => known === name) || typeof value !== 'string') return
  if (isThisMachine(value)) return
  throw badInput(
    `${name} in ${path} would send texts to ${new URL(value).host}, which a project's file cannot decide.`,
    `If you want that: \`cairn config set ${name} ${value} --user\`, and take it out of that file.`,
  )
}

function isThisMachine(address: string): boolean {
  const { hostname } = new URL(address)
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname)
}
