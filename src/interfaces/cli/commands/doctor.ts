/** Promise: `cairn doctor` finds what is wrong with a file and says what would mend it. */

import type { Context, Outcome } from '../command.js'

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

export async function runDoctor(context: Context): Promise<Outcome> {
  const cairn = await context.open()
  const answer = await cairn.doctor({ repair: context.flags.repair === true })
  return {
    json: answer,
    text: (style) => {
      const lines = answer.checks.map(({ name, ok, detail }) => {
        const mark = ok ? style.good('ok  ') : style.bad('bad ')
        return `${mark} ${name.padEnd(11)}  ${ok ? style.dim(MEANING[name] ?? '') : detail}\n`
      })
      return (answer.repaired ? 'the index was built anew\n' : '') + lines.join('')
    },
    ...(answer.ok
      ? {}
      : {
          exitCode: 1,
          problem: answer.repaired
            ? 'The file is damaged beyond its index; restore a copy.'
            : '`cairn doctor --repair` builds the index anew.',
        }),
  }
}
