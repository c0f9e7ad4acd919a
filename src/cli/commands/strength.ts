/** `cairn reinforce` and `cairn deemphasize` say how salient each record is now. */

import type { Show } from '../operation-command.js'

export const showStrength: Show<'reinforce' | 'deemphasize'> = ({ records }) => ({
  text: () =>
    records.map(({ id, salience }) => `${id}  salience ${salience.toFixed(3)}\n`).join(''),
})
