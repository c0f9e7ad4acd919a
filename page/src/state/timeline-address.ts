/** Converts what a timeline shows to its URL and back. */

import { addressOf } from './addresses.js'

export const ZOOMS = ['year', 'month', 'day'] as const
export type Zoom = (typeof ZOOMS)[number]

export type TimelineChoices = {
  readonly zoom: Zoom
  readonly since: string
  /** The last day that is shown; empty: today. */
  readonly until: string
  readonly kind: string
  readonly tags: readonly string[]
}

export function readTimeline(params: URLSearchParams): TimelineChoices {
  return {
    zoom: ZOOMS.find((one) => one === params.get('zoom')) ?? 'day',
    since: params.get('since') ?? '',
    until: params.get('until') ?? '',
    kind: params.get('kind') ?? '',
    tags: params.getAll('tag'),
  }
}

export function timelineAddress({ zoom, since, until, kind, tags }: TimelineChoices): string {
  const params = new URLSearchParams(tags.map((tag) => ['tag', tag]))
  const rest = { zoom: zoom === 'day' ? '' : zoom, since, until, kind }
  for (const [key, value] of Object.entries(rest)) if (value !== '') params.set(key, value)
  return addressOf('/timeline', params)
}
