/** Whoever comes back to the hits finds the one that was opened. */

let opened: string | null = null

export function rememberOpened(id: string | null): void {
  opened = id
}

export const lastOpened = (): string | null => opened
