/** The view for an unknown URL. */

import { Nothing } from '../parts/states.js'
import { useTitle } from '../parts/view.js'

export function LostView() {
  useTitle('Nothing here')
  return (
    <div class="narrow">
      <Nothing title="There is no such page.">
        <p>
          <a href="/">Search</a> for what you meant.
        </p>
      </Nothing>
    </div>
  )
}
