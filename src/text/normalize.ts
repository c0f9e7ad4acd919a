/** Normalizes Unicode in linear time. */

/** Normalization sorts the marks of a letter in quadratic time. Stream-safe text (UAX 15) has at most 30 in a row. */
const MANY_MARKS = /(\p{M}{30})\p{M}+/gu

export function normalizeText(text: string, form: 'NFC' | 'NFKC' | 'NFKD'): string {
  return text.replace(MANY_MARKS, '$1').normalize(form)
}
