/** The view for an unknown URL. */

import { Nothing } from '../parts/states.js'
import { useTitle } from '../state/title.js'

export function LostView() {
  useTitle('Nothing here')
  return (
    <div class="narrow">
      <Nothing title="There is nothing at this address.">
        <p>
          <a href="/">Search</a> for what you meant.
        </p>
      </Nothing>
    </div>
  )
}
