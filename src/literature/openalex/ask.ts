/** One address is asked for JSON, politely and within limits, and no key leaves by any other way. */

import { type Attempt, type Pace, readBody, retry, type Timers } from '../../core/http-client.js'
import type { AnswerCache } from './answer-cache.js'
import { MAX_BYTES, RedirectError, refusal, silence, wrongAnswer } from './failures.js'

export type Service = {
  readonly baseUrl: string
  readonly mailto: string | null
  readonly apiKey: string | null
  readonly userAgent: string
  readonly timeoutMs: number
  readonly attempts: number
  readonly fetch: typeof fetch
  readonly world: Timers
  readonly pace: Pace
  readonly cache: AnswerCache
  /** Told when a request leaves, an answer comes from the cache, a work is left out for want of a title. */
  readonly note: (event: 'request' | 'from_cache' | 'untitled') => void
}

export type Question = {
  /** After the base address, with its slash. */
  readonly path: string
  readonly params: Readonly<Record<string, string>>
  /** What the answer has to be. Anything else is refused, and never kept. */
  readonly expects: Expected
  readonly signal?: AbortSignal | undefined
}

export type Expected = {
  /** As it is named in messages: "a list of works". */
  readonly name: string
  readonly fits: (answer: unknown) => boolean
}

const MAX_REDIRECTS = 3

/** The answer, or undefined where there is nothing at this address (404). */
export async function ask(service: Service, question: Question): Promise<unknown> {
  const { cache, world, attempts, note } = service
  const { expects, signal } = question
  signal?.throwIfAborted()
  const url = `${service.baseUrl}${question.path}?${new URLSearchParams(question.params)}`
  const kept = await cache.read(url)
  if (kept !== undefined && expects.fits(kept)) {
    note('from_cache')
    return kept
  }
  const answer = await retry(() => askOnce(service, url, question), {
    timers: world,
    attempts,
    signal,
  })
  const isWorthKeeping = answer !== undefined && !tells(service, JSON.stringify(answer))
  if (isWorthKeeping) await cache.write(url, answer)
  return answer
}

async function askOnce(
  service: Service,
  url: string,
  { expects, signal }: Question,
): Promise<Attempt<unknown>> {
  await service.pace.waitTurn(signal)
  const timeout = AbortSignal.timeout(service.timeoutMs)
  try {
    const limits = signal === undefined ? timeout : AbortSignal.any([signal, timeout])
    const response = await follow(service, url, limits)
    if (response.status === 404) {
      await response.body?.cancel()
      return { kind: 'answer', answer: undefined }
    }
    if (!response.ok) {
      const failure = await refusal(response, { ...service, nowMs: service.world.now() })
      if (failure.retryAfterMs !== null) service.pace.pause(failure.retryAfterMs)
      return { kind: 'failure', failure }
    }
    return await readAnswer(response, { host: new URL(url).host, expects })
  } catch (cause) {
    signal?.throwIfAborted()
    const lateMs = timeout.aborted ? service.timeoutMs : null
    return { kind: 'failure', failure: silence(new URL(url).host, { cause, lateMs }) }
  }
}

/** Works that were merged redirect to the one that remains. Another host is never asked: nobody chose it. */
async function follow(service: Service, from: string, signal: AbortSignal): Promise<Response> {
  let url = from
  for (let redirects = 0; ; redirects++) {
    if (redirects > 0) await service.pace.waitTurn(signal)
    service.note('request')
    const response = await service.fetch(withSecrets(service, url), {
      headers: { accept: 'application/json', 'user-agent': service.userAgent },
      redirect: 'manual',
      signal,
    })
    const location = response.headers.get('location')
    if (response.status < 300 || response.status > 399 || location === null) return response
    await response.body?.cancel()
    if (!URL.canParse(location, url) || redirects === MAX_REDIRECTS) throw new RedirectError(null)
    const next = new URL(location, url)
    if (next.origin !== new URL(url).origin) throw new RedirectError(next.host)
    url = next.href
  }
}

/** The key and the mail address are added last, so that no other line ever sees an address with them. */
function withSecrets({ mailto, apiKey }: Service, url: string): string {
  const whole = new URL(url)
  if (mailto !== null) whole.searchParams.set('mailto', mailto)
  if (apiKey !== null) whole.searchParams.set('api_key', apiKey)
  return whole.href
}

async function readAnswer(
  response: Response,
  { host, expects }: { readonly host: string; readonly expects: Expected },
): Promise<Attempt<unknown>> {
  if (response.headers.get('content-type')?.includes('text/html')) {
    await response.body?.cancel()
    return { kind: 'failure', failure: wrongAnswer(host, 'a web page instead of data') }
  }
  const answer: unknown = JSON.parse(await readBody(response, MAX_BYTES))
  if (expects.fits(answer)) return { kind: 'answer', answer }
  return { kind: 'failure', failure: wrongAnswer(host, `data that is not ${expects.name}`) }
}

/** Whether an answer repeats what must not be written down. */
function tells({ mailto, apiKey }: Service, text: string): boolean {
  return [mailto, apiKey].some(
    (secret) =>
      secret !== null && (text.includes(secret) || text.includes(encodeURIComponent(secret))),
  )
}
