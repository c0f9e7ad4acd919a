/** Loads data for a view; late answers are dropped, quick ones do not flicker. */

import { useCallback, useEffect, useState } from 'preact/hooks'
import { isAbort, type RequestFailure, toFailure } from '../api/request.js'

const SLOW_MS = 200

export type Loaded<T> = {
  readonly data: T | null
  readonly failure: RequestFailure | null
  /** It takes so long that it should be said. */
  readonly isSlow: boolean
  readonly reload: () => void
}

type State<T> = Omit<Loaded<T>, 'reload'> & { readonly key: string }

/**
 * Loads again whenever the key changes; what was asked before is aborted. `keep`: the old answer stays visible
 * until the new one is there.
 */
export function useLoad<T>(
  key: string,
  load: (signal: AbortSignal) => Promise<T>,
  { keep = false }: { readonly keep?: boolean } = {},
): Loaded<T> {
  const [round, setRound] = useState(0)
  const [state, setState] = useState<State<T>>({
    key,
    data: null,
    failure: null,
    isSlow: false,
  })
  // The key stands for what `load` closes over.
  useEffect(() => {
    const controller = new AbortController()
    const isCurrent = (): boolean => !controller.signal.aborted
    setState((before) => ({
      ...before,
      key,
      isSlow: false,
      data: keep || before.key === key ? before.data : null,
      failure: before.key === key ? before.failure : null,
    }))
    const slow = setTimeout(() => setState((before) => ({ ...before, isSlow: true })), SLOW_MS)
    load(controller.signal)
      .then((data) => {
        if (isCurrent()) setState({ key, data, failure: null, isSlow: false })
      })
      .catch((error: unknown) => {
        if (!isCurrent() || isAbort(error)) return
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
  const isStale = state.key !== key && !keep
  return isStale ? { data: null, failure: null, isSlow: false, reload } : { ...state, reload }
}
