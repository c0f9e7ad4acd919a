/** The tokens of a text, guessed without the model's tokenizer and rather too many than too few. */

const WORD_OR_SIGN = /[A-Za-z]+|[0-9]+|[^\sA-Za-z0-9]/gu
const LETTERS_PER_TOKEN = 4
const DIGITS_PER_TOKEN = 2
const FIXED = 2

/** The start and end markers that most models add are part of the count. */
export function estimateTokens(text: string): number {
  let tokens = FIXED
  for (const [part] of text.matchAll(WORD_OR_SIGN)) tokens += cost(part)
  return tokens
}

/** The beginning of `text` that is estimated at `maxTokens` or fewer. */
export function cutToTokens(text: string, maxTokens: number): string {
  // No character costs more than two, so a short text needs no look at all.
  if (text.length * 2 + FIXED <= maxTokens) return text
  let tokens = FIXED
  for (const match of text.matchAll(WORD_OR_SIGN)) {
    const [part] = match
    const more = cost(part)
    if (tokens + more > maxTokens) {
      // A word is cut in the middle, a sign is not: an endless word would otherwise leave nothing.
      const room = part.charCodeAt(0) < 128 ? (maxTokens - tokens) * perToken(part) : 0
      return text.slice(0, match.index + room)
    }
    tokens += more
  }
  return text
}

function cost(part: string): number {
  return part.charCodeAt(0) < 128 ? Math.ceil(part.length / perToken(part)) : part.length
}

function perToken(part: string): number {
  const code = part.charCodeAt(0)
  return code >= 48 && code <= 57 ? DIGITS_PER_TOKEN : LETTERS_PER_TOKEN
}
