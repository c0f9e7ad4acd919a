/** Copies a file and says when it has begun. */

import process from 'node:process'

const { file, target, library } = JSON.parse(process.argv[2])
const { openCairn } = await import(library)
const cairn = await openCairn({ file, vectors: false })
await cairn.backup(target, { force: true, onProgress: () => process.stdout.write('begun\n') })
await cairn.close()
