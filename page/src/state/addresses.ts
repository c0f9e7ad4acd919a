/** Builds the URL of each view. */

export function addressOf(path: string, params: URLSearchParams | Record<string, string>): string {
  const text = new URLSearchParams(params).toString()
  return text === '' ? path : `${path}?${text}`
}

export const recordAddress = (id: string): string => `/record/${encodeURIComponent(id)}`
export const sessionAddress = (id: string): string => `/sessions/${encodeURIComponent(id)}`
export const graphAddress = (from: string): string => addressOf('/graph', { from })
