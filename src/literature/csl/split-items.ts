/** Each item of a JSON list is found with its line, so that one broken item costs that item alone. */

export type ItemSource = { readonly text: string; readonly line: number }

/** The values of the outermost list, or the one value that is there. Strings hide whatever stands in them. */
export function splitItems(text: string): ItemSource[] {
  const isList = /^\s*\[/.test(text)
  const items: ItemSource[] = []
  const inner = isList ? 1 : 0
  let depth = 0
  let line = 1
  let start = -1
  let startLine = 1
  const end = (at: number): void => {
    if (start !== -1) items.push({ text: text.slice(start, at).trim(), line: startLine })
    start = -1
  }
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at]
    if (char === '\n') line += 1
    const isBoundary = depth === inner && (char === ',' || char === ']') && isList
    if (isBoundary) end(at)
    else if (start === -1 && depth === inner && !/\s/.test(char ?? '')) {
      start = at
      startLine = line
    }
    if (char === '"') {
      const close = endOfString(text, at)
      line += text.slice(at, close).split('\n').length - 1
      at = close
    } else if (char === '{' || char === '[') depth += 1
    else if (char === '}' || char === ']') depth -= 1
  }
  end(text.length)
  return items
}

/** Where the string that begins at `open` ends: its closing quote, or the end of the text. */
function endOfString(text: string, open: number): number {
  for (let at = open + 1; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1
    else if (text[at] === '"') return at
  }
  return text.length
}
