/** Opens the PDF of a record at a page, where the file is on the machine of the server. */

import { send } from '../api/request.js'
import { attempt } from '../state/notices.js'

export function PdfLink({ id, page }: { readonly id: string; readonly page: number }) {
  const path = `/api/records/${encodeURIComponent(id)}/file`
  const url = `${path}#page=${page}`
  return (
    <a
      href={url}
      target="_blank"
      rel="noreferrer"
      title={`Open the PDF at page ${page}`}
      onClick={(event) => {
        event.preventDefault()
        // A file that is gone is said here, and not in an empty window.
        void attempt(async () => {
          await send(path, { method: 'HEAD' })
          open(url, '_blank', 'noreferrer')
        })
      }}
    >
      p. {page}
    </a>
  )
}
