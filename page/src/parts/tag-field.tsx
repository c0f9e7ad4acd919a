/** A field for typing and removing tags. */

import { useEffect, useState } from 'preact/hooks'
import { Icon } from './icon.js'

export function TagField({
  id,
  tags,
  onChange,
}: {
  readonly id: string
  readonly tags: readonly string[]
  readonly onChange: (tags: readonly string[]) => void
}) {
  const [text, setText] = useState('')
  const take = (): void => {
    const typed = text
      .split(',')
      .map((tag) => tag.trim().replace(/^#/, ''))
      .filter((tag) => tag !== '')
    if (typed.length > 0) onChange([...new Set([...tags, ...typed])])
    setText('')
  }
  // A tag that is typed and not yet entered counts when the page is left.
  useEffect(() => {
    addEventListener('pagehide', take)
    return () => removeEventListener('pagehide', take)
  })
  return (
    <div class="tag-field">
      {tags.map((tag) => (
        <button
          key={tag}
          type="button"
          class="chip"
          onClick={() => onChange(tags.filter((one) => one !== tag))}
        >
          <bdi>{tag}</bdi>
          <Icon name="close" size={12} />
          <span class="visually-hidden">remove this tag</span>
        </button>
      ))}
      <input
        id={id}
        value={text}
        placeholder={tags.length === 0 ? 'release, decision' : ''}
        dir="auto"
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        onBlur={take}
        onKeyDown={(event) => {
          if ((event.key === 'Enter' || event.key === ',') && text.trim() !== '') {
            event.preventDefault()
            take()
          }
          if (event.key === 'Backspace' && text === '') onChange(tags.slice(0, -1))
        }}
      />
    </div>
  )
}
