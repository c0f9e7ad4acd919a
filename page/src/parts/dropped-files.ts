/** Collects dropped files and folders with their paths. */

import type { FileToSend } from '../api/import-files.js'

/** A folder of a repository or of packages is never what was meant. */
const LEFT_OUT = new Set(['.git', 'node_modules', '.DS_Store'])

export async function filesOfDrop(transfer: DataTransfer): Promise<FileToSend[]> {
  const entries = [...transfer.items].flatMap((item) => item.webkitGetAsEntry() ?? [])
  // A drop that a program made has files and no entries.
  if (entries.length === 0) return filesOfInput(transfer.files)
  return (await Promise.all(entries.map(readEntry))).flat()
}

export function filesOfInput(files: FileList | null): FileToSend[] {
  return [...(files ?? [])]
    .map((file) => ({ file, path: file.webkitRelativePath || file.name }))
    .filter(({ path }) => !path.split('/').some((part) => LEFT_OUT.has(part)))
}

async function readEntry(entry: FileSystemEntry): Promise<FileToSend[]> {
  if (LEFT_OUT.has(entry.name)) return []
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) =>
      (entry as FileSystemFileEntry).file(resolve, reject),
    )
    return [{ file, path: entry.fullPath.replace(/^\//, '') }]
  }
  const inside = await readFolder((entry as FileSystemDirectoryEntry).createReader())
  return (await Promise.all(inside.map(readEntry))).flat()
}

/** A reader gives a hundred at a time, until it gives none. */
async function readFolder(reader: FileSystemDirectoryReader): Promise<FileSystemEntry[]> {
  const all: FileSystemEntry[] = []
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    )
    if (some.length === 0) return all
    all.push(...some)
  }
}
