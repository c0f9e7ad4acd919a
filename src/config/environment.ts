/** What a configuration is read from is handed in; nothing here looks for it by itself. */

import { join } from 'node:path'

export type Environment = {
  /** The working folder. */
  readonly folder: string
  readonly home: string
  /** As Node names it: `linux`, `darwin`, `win32` … */
  readonly platform: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** The text of a file; null where there is none. */
  readonly readText: (path: string) => string | null
}

type Place = Pick<Environment, 'env' | 'home' | 'platform'>

/** Where a user's settings are, as the system has it; `XDG_CONFIG_HOME` counts on macOS too. */
export function configFolder({ env, home, platform }: Place): string {
  if (platform === 'win32') return env.APPDATA || join(home, 'AppData', 'Roaming')
  if (env.XDG_CONFIG_HOME) return env.XDG_CONFIG_HOME
  return platform === 'darwin'
    ? join(home, 'Library', 'Application Support')
    : join(home, '.config')
}

export function dataFolder({ env, home, platform }: Place): string {
  if (platform === 'win32') return env.LOCALAPPDATA ?? join(home, 'AppData', 'Local')
  if (platform === 'darwin') return join(home, 'Library', 'Application Support')
  return env.XDG_DATA_HOME || join(home, '.local', 'share')
}

export function cacheFolder({ env, home, platform }: Place): string {
  if (platform === 'win32') return env.LOCALAPPDATA ?? join(home, 'AppData', 'Local')
  if (platform === 'darwin') return join(home, 'Library', 'Caches')
  return env.XDG_CACHE_HOME || join(home, '.cache')
}
