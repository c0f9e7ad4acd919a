/** An address is checked before a text or a key is sent to it. */

import { badInput } from './errors.js'

export type BaseUrlSetting = {
  /** As the user wrote it in a configuration: `vectorSearch.baseUrl`. */
  readonly name: string
  readonly example: string
  /** The environment variable that holds the key. */
  readonly keyVariable: string
}

/** `base` without its last slash, as `{base}/path` wants it. The message never repeats a password. */
export function readBaseUrl(base: string, { name, example, keyVariable }: BaseUrlSetting): string {
  const url = URL.canParse(base) ? new URL(base) : null
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw badInput(`${name} is not an http or https address.`, `Give it like ${example}.`)
  }
  if (url.username !== '' || url.password !== '') {
    throw badInput(
      `${name} holds a user name or password.`,
      `Leave them out, and give a key in the environment variable ${keyVariable}.`,
    )
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`
}
