/** Notices about finished actions, with undo. */

import { attempt, dismiss, notices } from '../state/notices.js'
import { Icon } from './icon.js'

export function Notices() {
  return (
    <div class="notices" role="status" aria-live="polite">
      {notices.value.map(({ id, text, undo, isTrouble }) => (
        <div key={id} class={isTrouble ? 'notice notice-trouble' : 'notice'}>
          <span>{text}</span>
          {undo !== null && (
            <button
              type="button"
              class="notice-undo"
              onClick={() => {
                dismiss(id)
                void attempt(undo)
              }}
            >
              Undo
            </button>
          )}
          <button type="button" class="notice-close" onClick={() => dismiss(id)}>
            <Icon name="close" size={14} />
            <span class="visually-hidden">dismiss</span>
          </button>
        </div>
      ))}
    </div>
  )
}
