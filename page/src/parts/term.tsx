/** A term of the memory model, explained when it has the pointer or the focus. */

import { useId } from 'preact/hooks'

export const TERMS = {
  episodic: 'Something that happened, at a time and a place.',
  semantic: 'Something that is so: a fact, a name, a preference.',
  procedural: 'How something is done, step by step.',
  emotional: 'How somebody felt about something.',
  reflective: 'A conclusion drawn from other memories.',
  session: 'Kept for the conversation it comes from.',
  project: 'Kept for its project. This is the usual scope.',
  global: 'Kept for every project.',
  Sector: 'What sort of memory it is. Each sort fades at its own pace.',
  Scope: 'How far it counts: one conversation, one project, or everywhere.',
  Salience:
    'How present it is now, from 0 to 1. It fades with time and rises when the record is found or reinforced; the lens “memory” ranks by it.',
  Importance: 'How much it matters, from 0 to 1. What is important fades more slowly.',
  Confidence: 'How certain a fact is now. It fades with time and rises when it is confirmed.',
} as const

type TermName = keyof typeof TERMS

export function Term({ name, children }: { readonly name: string; readonly children?: string }) {
  const id = useId()
  const meaning = TERMS[name as TermName]
  if (meaning === undefined) return <>{children ?? name}</>
  return (
    <span class="term-word">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the focus shows the explanation */}
      <span tabIndex={0} aria-describedby={id}>
        {children ?? name}
      </span>
      <span class="term-meaning" role="tooltip" id={id}>
        {meaning}
      </span>
    </span>
  )
}
