/** `My%20note.md` → "My note.md"; a text with an invalid code stays. */
export function decodePercent(written: string): string {
  try {
    return decodeURIComponent(written)
  } catch {
    return written
  }
}
