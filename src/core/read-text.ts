/** A body is read to its end or not at all, and never more of it than agreed. */

export class TooLargeError extends Error {
  constructor() {
    super('The body is larger than agreed.')
    this.name = 'TooLargeError'
  }
}

/** The whole body as text; `maxBytes` counts what arrives after decompression. */
export async function readText(response: Response, maxBytes: number): Promise<string> {
  if (response.body === null) return ''
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  // Leaving the loop by a throw cancels the stream, which closes the connection.
  for await (const part of response.body) {
    bytes += part.byteLength
    if (bytes > maxBytes) throw new TooLargeError()
    text += decoder.decode(part, { stream: true })
  }
  return text + decoder.decode()
}
