/** Small choices that this browser remembers. */

import { type Signal, signal } from '@preact/signals'

export function readKept(key: string): string {
  try {
    return localStorage.getItem(key) ?? ''
  } catch {
    return ''
  }
}

/** A browser that keeps nothing still has the value until the page is closed. */
export function keep(key: string, value: string): void {
  try {
    if (value === '') localStorage.removeItem(key)
    else localStorage.setItem(key, value)
  } catch {
    // Nothing is kept.
  }
}

const PROJECT = 'cairn-project'

/** The project of new records; empty: the default one of the server. */
export const ownProject: Signal<string> = signal(readKept(PROJECT))

export function chooseProject(name: string): void {
  ownProject.value = name
  keep(PROJECT, name)
}

/** A cookie, since the server must say to the browser that other sites may be asked. */
const IMAGES = 'cairn-images'

export const showsImages: boolean = document.cookie.includes(`${IMAGES}=web`)

/** Loads the page again, with the other policy. */
export function chooseImages(isShown: boolean): void {
  const seconds = isShown ? 31_536_000 : 0
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser
  document.cookie = `${IMAGES}=web; path=/; max-age=${seconds}; samesite=strict`
  location.reload()
}
