/** Promise: an address is checked before a text or a key is sent to it. */

import { badInput } from '../../core/errors.js'

/** `base` without its last slash, as `{base}/path` wants it. The message never repeats a password. */
export function readBaseUrl(base: string): string {
  const url = URL.canParse(base) ? new URL(base) : null
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw badInput(
      'vectorSearch.baseUrl is not an http or https address.',
      'Give it like http://127.0.0.1:11434 or https://host/v1.',
    )
  }
  if (url.username !== '' || url.password !== '') {
    throw badInput(
      'vectorSearch.baseUrl holds a user name or password.',
      'Leave them out, and give a key in the environment variable CAIRN_API_KEY.',
    )
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`
}
