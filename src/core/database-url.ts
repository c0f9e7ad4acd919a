/** Tells the address of a PostgreSQL database from a file, and writes it without its password. */

export function isDatabaseUrl(text: string): boolean {
  return /^postgres(ql)?:\/\//i.test(text)
}

export function hasPassword(url: string): boolean {
  return hidePassword(url) !== url
}

/** For messages and logs. An address that cannot be parsed is cut before anything that may be a password. */
export function hidePassword(url: string): string {
  const [own = '', replica] = url.split(/(?<=[?&]replica=)(.*)/is)
  const hidden = own
    .replace(/([?&]password=)[^&]*/gi, '$1…')
    .replace(/^(\w+:\/\/[^:@/?]*):.*(?=@)/, '$1')
  return replica === undefined ? hidden : hidden + hidePassword(decode(replica))
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return '…'
  }
}
