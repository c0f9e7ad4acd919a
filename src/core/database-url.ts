/** Tells the address of a PostgreSQL database from a file, and writes it without its password. */

export function isDatabaseUrl(text: string): boolean {
  return /^postgres(ql)?:\/\//i.test(text)
}

export function hasPassword(url: string): boolean {
  return hidePassword(url) !== url
}

/** For messages and logs. An address that cannot be parsed is cut before anything that may be a password. */
export function hidePassword(url: string): string {
  const hidden = url.replace(/([?&]password=)[^&]*/gi, '$1…')
  return hidden.replace(/^(\w+:\/\/[^:@/?]*):.*(?=@)/, '$1')
}
