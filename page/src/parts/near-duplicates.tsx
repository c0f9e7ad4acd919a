/** Records that say nearly the same as one that was added, with what differs. */

import type { NearDuplicate } from '../../../src/core/record.js'
import { getRecords, supersede } from '../api/client.js'
import { recordAddress } from '../state/addresses.js'
import { useLoad } from '../state/load.js'
import { attempt, say } from '../state/notices.js'
import { Button } from './button.js'
import { Difference } from './difference-text.js'
import { nameOf } from './names.js'
import { percent } from './numbers.js'
import { Shown } from './states.js'

export function NearDuplicates({
  id,
  near,
}: {
  readonly id: string
  readonly near: readonly NearDuplicate[]
}) {
  const ids = near.map((one) => one.id)
  const loaded = useLoad(`near ${id} ${ids}`, (signal) => getRecords([id, ...ids], signal))
  const replace = (older: string): Promise<void> =>
    attempt(async () => {
      await supersede(older, id)
      say('The earlier record is marked as superseded.')
    })
  return (
    <Shown loaded={loaded}>
      {({ records }) => {
        const added = records.find((record) => record.id === id)
        return (
          <section class="near" aria-label="Nearly the same">
            <p>Nearly the same is stored already:</p>
            <ul>
              {near.map(({ id: other, similarity, changed }) => {
                const record = records.find((one) => one.id === other)
                return record === undefined ? null : (
                  <li key={other}>
                    <p>
                      <a href={recordAddress(other)}>
                        <bdi>{nameOf(record)}</bdi>
                      </a>{' '}
                      <span class="quiet">
                        {percent(similarity)} alike
                        {changed.length > 0 && `, changed: ${changed.join(', ')}`}
                      </span>
                    </p>
                    <Difference before={record.body} after={added?.body ?? ''} />
                    <Button class="button-small" onClick={() => replace(other)}>
                      Mark the earlier one as superseded
                    </Button>
                  </li>
                )
              })}
            </ul>
          </section>
        )
      }}
    </Shown>
  )
}
