/** The list of keyboard shortcuts. */

import { useEffect, useRef } from 'preact/hooks'
import { isHelpOpen, KEYS } from '../state/keys.js'
import { Button } from './button.js'

export function Help() {
  const dialog = useRef<HTMLDialogElement>(null)
  const isOpen = isHelpOpen.value
  useEffect(() => {
    if (isOpen) dialog.current?.showModal()
    else dialog.current?.close()
  }, [isOpen])
  const close = (): void => {
    isHelpOpen.value = false
  }
  return (
    <dialog ref={dialog} class="help" aria-labelledby="help-title" onClose={close}>
      <h2 id="help-title">Keyboard shortcuts</h2>
      <dl>
        {KEYS.map(({ keys, does }) => (
          <div key={does}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <Button onClick={close}>Close</Button>
    </dialog>
  )
}
