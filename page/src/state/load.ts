/** Loads data for a view; late answers are dropped, quick ones do not flicker. */

import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { isAbort, type RequestFailure, toFailure } from '../api/request.js'

const SLOW_MS = 200
/** A request that takes longer than this does not hold up the next. */
const PATIENCE_MS = 1000

export type Loaded<T> = {
  readonly data: T | null
  readonly failure: RequestFailure | null
  /** It takes so long that it should be said. */
  readonly isSlow: boolean
  readonly reload: () => void
}

type State<T> = Omit<Loaded<T>, 'reload'> & { readonly key: string }

/** Loads again whenever the key changes; what was asked before is aborted. */
export function useLoad<T>(key: string, load: (signal: AbortSignal) => Promise<T>): Loaded<T> {
  const [round, setRound] = useState(0)
  const [state, setState] = useState<State<T>>(nothingYet(key))
  // The key stands for what `load` closes over.
  useEffect(() => {
    const controller = new AbortController()
    setState((before) => (before.key === key ? { ...before, isSlow: false } : nothingYet(key)))
    const slow = setTimeout(() => setState((before) => ({ ...before, isSlow: true })), SLOW_MS)
    load(controller.signal)
      .then((data) => {
        if (!controller.signal.aborted) setState({ key, data, failure: null, isSlow: false })
      })
      .catch((error: unknown) => {
        if (controller.signal.aborted || isAbort(error)) return
        const failure = toFailure(error)
        setState((before) => ({ ...before, failure, isSlow: false }))
      })
      .finally(() => clearTimeout(slow))
    return () => {
      controller.abort()
      clearTimeout(slow)
    }
  }, [key, round])
  const reload = useCallback(() => setRound((before) => before + 1), [])
  // Between the change of the key and the effect, what is shown must not be of another thing.
  return { ...(state.key === key ? state : nothingYet<T>(key)), reload }
}

const nothingYet = <T>(key: string): State<T> => ({
  key,
  data: null,
  failure: null,
  isSlow: false,
})

/**
 * Loads while the key keeps changing: the first request goes out at once, and when it is answered the one for the key
 * that is then current. Every answer is shown unless a later one was; the last one stays visible meanwhile.
 */
export function useLoadWhileTyping<T>(key: string, load: () => Promise<T>): Loaded<T> {
  const [round, setRound] = useState(0)
  const [state, setState] = useState<State<T>>(nothingYet(key))
  const running = useRef<Promise<unknown>>(Promise.resolve())
  const turns = useRef({ asked: 0, shown: 0 })
  useEffect(() => {
    let isCurrent = true
    const turn = ++turns.current.asked
    const show = (next: (before: State<T>) => State<T>): void => {
      if (turn < turns.current.shown) return
      turns.current.shown = turn
      setState(next)
    }
    const slow = setTimeout(() => setState((before) => ({ ...before, isSlow: true })), SLOW_MS)
    const run = async (): Promise<void> => {
      await running.current
      if (!isCurrent) return
      const answer = load().then(
        (data) =>
          show(({ isSlow }) => ({ key, data, failure: null, isSlow: isSlow && !isCurrent })),
        (error) => show((before) => ({ ...before, failure: toFailure(error), isSlow: false })),
      )
      running.current = Promise.race([answer, wait(PATIENCE_MS)])
      await answer
      clearTimeout(slow)
    }
    void run()
    return () => {
      isCurrent = false
      clearTimeout(slow)
    }
  }, [key, round])
  const reload = useCallback(() => setRound((before) => before + 1), [])
  return { ...state, reload }
}

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
