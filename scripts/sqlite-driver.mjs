// Stands in the scripts of the command for better-sqlite3: to find and compile its twelve files takes 5 ms.

import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import Bundled from '../node_modules/better-sqlite3/lib/database.js'
import { version } from '../node_modules/better-sqlite3/package.json'

const load = createRequire(import.meta.url)
const nativeBinding = loadBinding()

export default nativeBinding === null
  ? load('better-sqlite3')
  : function Database(file, options) {
      return new Bundled(file, { ...options, nativeBinding })
    }

/** Null where npm installed another version, or put it elsewhere: the package then finds its own. */
function loadBinding() {
  try {
    const description = load.resolve('better-sqlite3/package.json')
    if (load(description).version !== version) return null
    return load(join(dirname(description), 'build/Release/better_sqlite3.node'))
  } catch {
    return null
  }
}
