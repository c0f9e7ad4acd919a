/** A browser is told to run nothing that did not come from here, and to show it to nobody else. */

/** Sent with every answer, whatever it is. */
export const SAFETY_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "font-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
}

/** Answers of the API are of the moment. */
export const NO_STORE: Readonly<Record<string, string>> = { 'cache-control': 'no-store' }
