/** `cairn doctor` finds what is wrong with a file and says what would mend it. */

import type { Show } from '../operation-command.js'

const MEANING: Readonly<Record<string, string>> = {
  format: 'the format is this program’s',
  pages: 'every page of the file is sound',
  foreignKeys: 'everything that points to a record finds it',
  fts: 'the full-text index holds what the records say',
  past: 'what records were can be searched',
  counts: 'every live record is indexed, and nothing else',
  vectors: 'every vector belongs to a passage',
  tags: 'every tag can be filtered by',
}

export const showCheckup: Show<'doctor'> = ({ ok, checks, repaired }) => ({
  text: (style) => {
    const lines = checks.map((check) => {
      const mark = check.ok ? style.good('ok  ') : style.bad('bad ')
      const about = check.ok ? style.dim(MEANING[check.name] ?? '') : check.detail
      return `${mark} ${check.name.padEnd(11)}  ${about}\n`
    })
    return (repaired ? 'the index was built anew\n' : '') + lines.join('')
  },
  ...(!ok && {
    exitCode: 1,
    problem: repaired
      ? 'The file is damaged beyond its index; restore a copy.'
      : '`cairn doctor --repair` builds the index anew.',
  }),
})
