/** A value reads the same however its file wrapped, padded or prefixed it. */

/** One line: every run of white space is one space; nothing left is null. */
export function tidyLine(text: string | null | undefined): string | null {
  const line = text?.replace(/\s+/g, ' ').trim() ?? ''
  return line === '' ? null : line
}

/** Lines keep their ends and paragraphs their blank line. */
export function tidyLines(text: string | null | undefined): string | null {
  const lines = text?.split(/\r\n|[\n\r]/).map((line) => tidyLine(line) ?? '') ?? []
  return (
    lines
      .join('\n')
      .replace(/\n{3,}/g, '\n\n')
      .trim() || null
  )
}

/** Paragraphs keep their blank line; a single line end is where the file was wrapped. */
export function tidyParagraphs(text: string | null | undefined): string | null {
  return tidyLines(text)?.replace(/(?<!\n)\n(?!\n)/g, ' ') ?? null
}

/** `https://doi.org/10.1000/ABC` → `10.1000/abc`; what is no DOI is null. */
export function tidyDoi(text: string | null | undefined): string | null {
  const bare = tidyLine(text)?.replace(/^(?:https?:\/\/(?:dx\.|www\.)?doi\.org\/|doi:?\s*)+/i, '')
  return bare !== undefined && /^10\.\d+.*\/./.test(bare) ? bare.toLowerCase() : null
}

const ARXIV_ID =
  /^(?:arxiv:\s*)?(?:abs\/)?(\d{4}\.\d{4,5}|[a-z]+(?:-[a-z]+)*(?:\.[a-z]{2})?\/\d{7})(?:v\d+)?(?![\w.])/i

/** `arXiv:1706.03762v5 [cs.CL]` → `1706.03762` */
export function tidyArxivId(text: string | null | undefined): string | null {
  return ARXIV_ID.exec(text?.trim() ?? '')?.[1] ?? null
}

/** The id that an address, a DOI or the name of a journal spells out, as in `arXiv preprint arXiv:1706.03762`. */
export function arxivIdWithin(text: string | null): string | null {
  const place = /\barxiv(?:\.org\/(?:abs|pdf)\/|:\s*|\.)(?=\d|[a-z-]+(?:\.[a-z]{2})?\/\d)/i.exec(
    text ?? '',
  )
  return place === null ? null : tidyArxivId(text?.slice(place.index + place[0].length))
}

/** `https://openalex.org/W2741809807` → `W2741809807` */
export function tidyOpenAlexId(text: string | null | undefined): string | null {
  const id = /^(?:https?:\/\/(?:api\.)?openalex\.org\/(?:works\/)?)?(W\d+)$/i.exec(
    text?.trim() ?? '',
  )?.[1]
  return id?.toUpperCase() ?? null
}

/** `12--34`, `12 – 34` → `12-34` */
export function tidyPages(text: string | null | undefined): string | null {
  return tidyLine(text)?.replace(/\s*[-‐‑‒–—−]+\s*/g, '-') ?? null
}

/** Without what is empty or there already; `Deep Learning` and `deep learning` are two tags here. */
export function tidyTags(tags: readonly string[]): string[] {
  return [...new Set(tags.flatMap((tag) => tidyLine(tag) ?? []))]
}
