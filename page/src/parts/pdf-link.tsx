/** Opens the PDF of a record at a page, where the file is on the machine of the server. */

import { RequestFailure } from '../api/request.js'
import { attempt } from '../state/notices.js'

const GONE = new RequestFailure(
  'not_found',
  'The PDF of this record is not on this machine.',
  'Import it by its path with `cairn import`: a file that was sent is not kept.',
)

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
          const { ok } = await fetch(path, { method: 'HEAD' })
          if (!ok) throw GONE
          open(url, '_blank', 'noreferrer')
        })
      }}
    >
      p. {page}
    </a>
  )
}
