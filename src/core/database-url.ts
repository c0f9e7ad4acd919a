/** Distinguishes the address of a database from the path of a file, and hides its password. */

/** Addresses of other kinds of servers count too, so that none is taken for a path. */
export function isDatabaseUrl(text: string): boolean {
  return /^[a-z][a-z\d+.-]+:\/\//i.test(text)
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
