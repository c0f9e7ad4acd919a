/** Marks matches in text that is already on the page. */

const MAX_FORMS = 200
/** Scripts that write words without spaces between them. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u

/** Finds these words; null where there are none. Rendered text has no offsets of its source, only its words. */
export function buildPattern(matches: readonly string[]): RegExp | null {
  const forms = new Set(matches.map((match) => match.trim().toLowerCase()))
  const written = [...forms]
    .filter((form) => form !== '')
    .sort((a, b) => b.length - a.length)
    .slice(0, MAX_FORMS)
    .map((form) => {
      const text = form.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/\s+/g, '\\s+')
      return UNSPACED.test(form) ? text : `(?<![\\p{L}\\p{N}])${text}(?![\\p{L}\\p{N}])`
    })
  return written.length === 0 ? null : new RegExp(written.join('|'), 'giu')
}

/** Wraps each match in `<mark>`; one that spans several elements is marked in each, and counted once. */
export function markMatches(root: Node, pattern: RegExp): void {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
  const nodes: { readonly node: Text; readonly start: number }[] = []
  let whole = ''
  while (walker.nextNode()) {
    const node = walker.currentNode as Text
    nodes.push({ node, start: whole.length })
    whole += node.data
  }
  const matches = [...whole.matchAll(pattern)].reverse()
  let last = nodes.length - 1
  // From the end, so that what is before keeps its offsets.
  for (const { index, 0: text } of matches) {
    const end = index + text.length
    while (last > 0 && (nodes[last]?.start ?? 0) >= end) last--
    for (let i = last; i >= 0; i--) {
      const { node, start } = nodes[i] ?? { node: new Text(), start: 0 }
      if (start + node.data.length <= index) break
      const from = Math.max(0, index - start)
      const mark = document.createElement('mark')
      if (from > 0 || index >= start) mark.dataset.match = ''
      const matched = node.splitText(from)
      matched.splitText(Math.min(matched.data.length, end - start - from))
      matched.replaceWith(mark)
      mark.append(matched)
      if (index >= start) break
    }
  }
}
