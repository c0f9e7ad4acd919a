/** `cairn history` shows what a record was before each change. */

import type { Show } from '../operation-command.js'
import { renderHistory } from '../render/history.js'

export const showHistory: Show<'history'> = (answer) => ({
  text: (style) => renderHistory(answer, style),
})
