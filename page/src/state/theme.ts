/** Light or dark: the system's choice until the user overrides it. */

import { computed, effect, signal } from '@preact/signals'
import { keep, readKept } from './remembered.js'

type Theme = 'light' | 'dark'
const KEY = 'cairn-theme'

const systemIsDark = matchMedia('(prefers-color-scheme: dark)')
const system = signal<Theme>(systemIsDark.matches ? 'dark' : 'light')

/** Null: as the system says. */
export const chosenTheme = signal<Theme | null>(toTheme(readKept(KEY)))
export const theme = computed<Theme>(() => chosenTheme.value ?? system.value)

function toTheme(value: string): Theme | null {
  return value === 'light' || value === 'dark' ? value : null
}

export function chooseTheme(next: Theme | null): void {
  chosenTheme.value = next
  keep(KEY, next ?? '')
}

export const switchTheme = (): void => chooseTheme(theme.value === 'dark' ? 'light' : 'dark')

export function startTheme(): void {
  systemIsDark.addEventListener('change', ({ matches }) => {
    system.value = matches ? 'dark' : 'light'
  })
  effect(() => {
    document.documentElement.dataset.theme = theme.value
  })
}
