/** Builds the URL of each view. */

export function addressOf(path: string, params: URLSearchParams | Record<string, string>): string {
  const text = new URLSearchParams(params).toString()
  return text === '' ? path : `${path}?${text}`
}

export const recordAddress = (id: string, params: Record<string, string> = {}): string =>
  addressOf(`/record/${encodeURIComponent(id)}`, params)
export const sessionAddress = (id: string): string => `/sessions/${encodeURIComponent(id)}`
export const graphAddress = (from: string): string => addressOf('/graph', { from })

/** A lone `%` in an address is text. */
export function decodeText(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
