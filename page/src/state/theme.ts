/** Light or dark: the system's choice until the user overrides it. */

import { effect, signal } from '@preact/signals'

export type Theme = 'light' | 'dark'
const KEY = 'cairn-theme'

const systemIsDark = matchMedia('(prefers-color-scheme: dark)')

function remembered(): Theme | null {
  try {
    const value = localStorage.getItem(KEY)
    return value === 'light' || value === 'dark' ? value : null
  } catch {
    return null
  }
}

export const theme = signal<Theme>(remembered() ?? (systemIsDark.matches ? 'dark' : 'light'))

export function switchTheme(): void {
  theme.value = theme.value === 'dark' ? 'light' : 'dark'
  try {
    localStorage.setItem(KEY, theme.value)
  } catch {
    // A browser that keeps nothing still switches.
  }
}

export function startTheme(): void {
  systemIsDark.addEventListener('change', ({ matches }) => {
    if (remembered() === null) theme.value = matches ? 'dark' : 'light'
  })
  effect(() => {
    document.documentElement.dataset.theme = theme.value
  })
}
