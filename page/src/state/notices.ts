/** The notices that are shown, each with its undo. */

import { signal } from '@preact/signals'
import { toFailure } from '../api/request.js'

type Notice = {
  readonly id: number
  readonly text: string
  readonly isTrouble: boolean
  readonly undo: (() => Promise<void>) | null
  /** Shown until it is dismissed. */
  readonly stays: boolean
}

const SHOWN_MS = 8000

export const notices = signal<readonly Notice[]>([])
let last = 0

function show(notice: Omit<Notice, 'id'>): void {
  const id = ++last
  const passing = notices.value.filter(({ stays }) => !stays).slice(0, -2)
  notices.value = [...notices.value.filter((one) => !passing.includes(one)), { ...notice, id }]
  if (!notice.stays) setTimeout(() => dismiss(id), SHOWN_MS)
}

export function dismiss(id: number): void {
  notices.value = notices.value.filter((notice) => notice.id !== id)
}

export function say(
  text: string,
  undo: (() => Promise<void>) | null = null,
  { stays = false }: { readonly stays?: boolean } = {},
): void {
  show({ text, undo, stays, isTrouble: false })
}

/** Runs what a person asked for; where it fails, says so. */
export async function attempt(action: () => Promise<void>): Promise<void> {
  try {
    await action()
  } catch (error) {
    const { message, hint } = toFailure(error)
    show({
      text: hint === null ? message : `${message} ${hint}`,
      undo: null,
      stays: false,
      isTrouble: true,
    })
  }
}
