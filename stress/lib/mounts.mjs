/** A program sees a folder as a small or a read-only disk, and nobody else does; the mount ends with the program. */

import { spawnSync } from 'node:child_process'
import process from 'node:process'

/** A disk of this size, empty. */
export function smallDisk(folder, size) {
  return mounted(folder, `mount -t tmpfs -o size=${size} tmpfs "$0"`)
}

/** The folder as it is, and nothing in it can be written, by a super-user neither. */
export function readOnlyDisk(folder) {
  return mounted(folder, 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0"')
}

/** Somebody who owns nothing; null where this process may not become anybody else. */
export function asNobody() {
  return usable(['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'])
}

/** What to put before a command, or null where the system does not allow it. */
function mounted(folder, mount) {
  // Whoever is no super-user may be one in a world of their own.
  const world = process.getuid?.() === 0 ? '-m' : '-rm'
  return usable(['unshare', world, 'sh', '-c', `${mount} && exec "$@"`, folder])
}

function usable(command) {
  const [program, ...given] = [...command, 'true']
  return spawnSync(program, given, { stdio: 'ignore' }).status === 0 ? command : null
}
