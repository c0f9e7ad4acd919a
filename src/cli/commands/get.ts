/** `cairn get` shows whole records, and names each id that leads nowhere. */

import type { Cairn } from '../../cairn/cairn.js'
import type { CitationsAnswer } from '../../cairn/works.js'
import type { RecordId } from '../../core/ids.js'
import type { CairnRecord } from '../../core/record.js'
import type { Show } from '../operation-command.js'
import { renderRecord } from '../render/records.js'

export const showRecords: Show<'get'> = async ({ records, missing }, { cairn }) => {
  const around = await citationsOf(cairn, records)
  const names = missing.map((id) => `"${id}"`).join(', ')
  return {
    text: (style) =>
      records.map((record) => renderRecord(record, style, around.get(record.id))).join('\n'),
    ...(missing.length > 0 && {
      exitCode: 1,
      problem: `No record has the id ${names}. \`cairn list\` shows the ids there are.`,
    }),
  }
}

/** What each work cites and is cited by; of other records nothing. */
async function citationsOf(
  cairn: Cairn,
  records: readonly CairnRecord[],
): Promise<ReadonlyMap<RecordId, CitationsAnswer>> {
  const works = records.filter(({ kind, deletedAt }) => kind === 'work' && deletedAt === null)
  const answers = await Promise.all(works.map(({ id }) => cairn.works.citations(id)))
  return new Map(answers.map((answer) => [answer.id, answer]))
}
