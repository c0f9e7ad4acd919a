/** Remembers which hit was opened. */

let opened: string | null = null

export function rememberOpened(id: string | null): void {
  opened = id
}

export const lastOpened = (): string | null => opened
