/** The notices that are shown, each with its undo. */

import { signal } from '@preact/signals'
import { toFailure } from '../api/request.js'

export type Notice = {
  readonly id: number
  readonly text: string
  readonly isTrouble: boolean
  readonly undo: (() => Promise<void>) | null
}

const SHOWN_MS = 8000

export const notices = signal<readonly Notice[]>([])
let last = 0

function show(notice: Omit<Notice, 'id'>): void {
  const id = ++last
  notices.value = [...notices.value.slice(-2), { ...notice, id }]
  setTimeout(() => dismiss(id), SHOWN_MS)
}

export function dismiss(id: number): void {
  notices.value = notices.value.filter((notice) => notice.id !== id)
}

export function say(text: string, undo: (() => Promise<void>) | null = null): void {
  show({ text, undo, isTrouble: false })
}

/** Runs what a person asked for; where it fails, says so. */
export async function attempt(action: () => Promise<void>): Promise<void> {
  try {
    await action()
  } catch (error) {
    const { message, hint } = toFailure(error)
    show({ text: hint === null ? message : `${message} ${hint}`, undo: null, isTrouble: true })
  }
}
