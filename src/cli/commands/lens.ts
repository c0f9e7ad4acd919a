/** Search options that are kept under a name are shown as they would be typed. */

import type { CommandSteps, Show } from '../operation-command.js'
import { renderLens, renderLenses } from '../render/lenses.js'
import { withKnownSessions } from '../resolve-ids.js'

export const showLenses: Show<'lens.list'> = ({ lenses }) => ({
  text: (style) => renderLenses(lenses, style),
})

export const LENS_SAVE: CommandSteps<'lens.save'> = {
  resolve: async (input, cairn) => ({
    ...input,
    options: await withKnownSessions(input.options ?? {}, cairn),
  }),
  show: (lens) => ({ text: (style) => `${style.good('saved')} ${renderLens(lens, style)}` }),
}

export const showLens: Show<'lens.show'> = (lens) => ({
  text: (style) => renderLens(lens, style),
})

export const showRemovedLens: Show<'lens.remove'> = ({ removed }) => ({
  text: () => `removed the lens ${removed}\n`,
})
