/** `cairn optimize` makes a file quick and small again, and says by how much. */

import type { Show } from '../operation-command.js'
import { showBytes } from '../render/size.js'

export const showOptimized: Show<'optimize'> = ({ bytesBefore, bytesAfter }) => ({
  text: (style) =>
    `${style.good('optimized')} ${showBytes(bytesBefore)} → ${showBytes(bytesAfter)}\n`,
})
