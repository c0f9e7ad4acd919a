/** What stands inside braces is one thing, and nothing splits it. */

/** Where the brace at `open` is closed, or -1. A backslash changes nothing, as in BibTeX itself. */
export function closingBrace(text: string, open: number): number {
  let depth = 0
  for (let i = open; i < text.length; i += 1) {
    if (text[i] === '{') depth += 1
    else if (text[i] === '}') {
      depth -= 1
      if (depth === 0) return i
    }
  }
  return -1
}

/** Is all of it one pair of braces? `{World Health Organization}` is, `{A} and {B}` is not. */
export function isWrapped(text: string): boolean {
  return text.startsWith('{') && closingBrace(text, 0) === text.length - 1
}

/** Never below zero, and zero at the end. */
export function isBalanced(text: string): boolean {
  let depth = 0
  for (const char of text) {
    if (char === '{') depth += 1
    else if (char === '}') depth -= 1
    if (depth < 0) return false
  }
  return depth === 0
}

/** `split` that leaves braces whole. By hand: `a, {b, c}` at /,/y → `a`, ` {b, c}`. The pattern must be sticky. */
export function splitOutsideBraces(text: string, pattern: RegExp): string[] {
  const parts: string[] = []
  let depth = 0
  let start = 0
  let at = 0
  while (at < text.length) {
    const char = text[at]
    if (char === '{') depth += 1
    else if (char === '}') depth = Math.max(0, depth - 1)
    pattern.lastIndex = at
    const found = depth === 0 ? pattern.exec(text)?.[0] : undefined
    if (found === undefined || found === '') {
      at += 1
      continue
    }
    parts.push(text.slice(start, at))
    at += found.length
    start = at
  }
  return [...parts, text.slice(start)]
}
