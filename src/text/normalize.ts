/** Normalises Unicode in time that grows with the length of the text. */

/** Unicode sorts the marks on a letter, which takes the square of their number. Stream-safe text (UAX 15) has at most 30. */
const MANY_MARKS = /(\p{M}{30})\p{M}+/gu

export function normalizeText(text: string, form: 'NFC' | 'NFKC' | 'NFKD'): string {
  return text.replace(MANY_MARKS, '$1').normalize(form)
}
