/** Which files hold a configuration is one rule: the nearest `cairn.json` upwards, then the user's. */

import { dirname, join } from 'node:path'
import { configFolder, type Environment } from './environment.js'

export const PROJECT_FILE = 'cairn.json'

export type ConfigFile = {
  readonly kind: 'project' | 'user'
  readonly path: string
  /** Null: it is not there. */
  readonly text: string | null
}

/** Every file that was looked for, in the order in which they count; above the nearest `cairn.json` none is. */
export function findFiles(surroundings: Environment): readonly ConfigFile[] {
  const { readText } = surroundings
  const files: ConfigFile[] = []
  for (const folder of upwards(surroundings.folder)) {
    const path = join(folder, PROJECT_FILE)
    const text = readText(path)
    files.push({ kind: 'project', path, text })
    if (text !== null) break
  }
  const path = userFile(surroundings)
  return [...files, { kind: 'user', path, text: readText(path) }]
}

export function userFile(surroundings: Environment): string {
  return join(configFolder(surroundings), 'cairn', 'config.json')
}

function upwards(folder: string): readonly string[] {
  const above = dirname(folder)
  return above === folder ? [folder] : [folder, ...upwards(above)]
}
