/** Keeps what is typed in the browser until it is saved or discarded. */

import { useLayoutEffect, useState } from 'preact/hooks'

/** `at`: when it was last typed in. */
export type Kept<T> = { readonly value: T; readonly at: string }

const PREFIX = 'cairn-draft '

export function readDraft<T>(key: string): Kept<T> | null {
  try {
    return JSON.parse(localStorage.getItem(PREFIX + key) ?? 'null') as Kept<T> | null
  } catch {
    return null
  }
}

/** False where the browser keeps nothing, or is full. */
function writeDraft<T>(key: string, value: T): boolean {
  try {
    localStorage.setItem(PREFIX + key, JSON.stringify({ value, at: new Date().toISOString() }))
    return true
  } catch {
    return false
  }
}

export function dropDraft(key: string): void {
  try {
    localStorage.removeItem(PREFIX + key)
  } catch {
    // A browser that keeps nothing has nothing to drop.
  }
}

export type Draft<T> = {
  readonly value: T
  readonly state: 'untouched' | 'kept' | 'unkept'
  /** When the draft that was found was typed; null where the form began empty. */
  readonly foundAt: string | null
  readonly set: (value: T) => void
  /** Forgets the draft: it was saved, or is not wanted. */
  readonly drop: (value: T) => void
}

/** The value of a form, begun from its draft; every change is written before the next key. */
export function useDraft<T>(key: string, initial: T): Draft<T> {
  const [found] = useState(() => readDraft<T>(key))
  const [value, setValue] = useState(found?.value ?? initial)
  const [foundAt, setFoundAt] = useState(found?.at ?? null)
  const [state, setState] = useState<Draft<T>['state']>(found === null ? 'untouched' : 'kept')
  useLayoutEffect(
    () =>
      state === 'untouched' ? undefined : holdBack({ isKept: state === 'kept', isForm: true }),
    [state],
  )
  const drop = (next: T): void => {
    dropDraft(key)
    setValue(next)
    setState('untouched')
    setFoundAt(null)
  }
  const set = (next: T): void => {
    if (JSON.stringify(next) === JSON.stringify(initial)) drop(next)
    else {
      setValue(next)
      setState(writeDraft(key, next) ? 'kept' : 'unkept')
    }
  }
  return { value, state, foundAt, set, drop }
}

type Unfinished = { readonly isKept: boolean; readonly isForm: boolean }

const unfinished = new Set<Unfinished>()

/** Something on the page is not finished; call the returned function when it is. */
export function holdBack(what: Unfinished): () => void {
  unfinished.add(what)
  return () => void unfinished.delete(what)
}

export const isFormUnfinished = (): boolean => [...unfinished].some(({ isForm }) => isForm)

/** The browser asks before it closes a window that holds what is kept nowhere. */
export function startDrafts(): void {
  addEventListener('beforeunload', (event) => {
    if ([...unfinished].some(({ isKept }) => !isKept)) event.preventDefault()
  })
}
