/** Gives a text to the user: as a file, or to the clipboard. */

export function download(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/plain;charset=utf-8' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}

export const copyText = (text: string): Promise<void> => navigator.clipboard.writeText(text)
