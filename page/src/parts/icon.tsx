/** The icons; hidden from screen readers, because a word always accompanies them. */

const PATHS = {
  search: 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14Zm5 12 4.5 4.5',
  timeline: 'M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17ZM12 7.5V12l3 2',
  graph:
    'M6 8.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5Zm12 6a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5ZM8 20.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5ZM8.3 7.2l7.4 3.6M15.9 13.4l-5.8 3.3',
  add: 'M12 5v14M5 12h14',
  stats: 'M5 20v-7M12 20V5M19 20v-11',
  sessions: 'M5 5h14v10h-8l-4 4v-4H5Z',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8ZM12 2.5V5M12 19v2.5M2.5 12H5M19 12h2.5M5.3 5.3 7 7M17 17l1.7 1.7M5.3 18.7 7 17M17 7l1.7-1.7',
  moon: 'M20 14.2A8.2 8.2 0 0 1 9.8 4 8.2 8.2 0 1 0 20 14.2Z',
  keys: 'M3.5 7h17v10h-17ZM7 10.5h.01M10.5 10.5h.01M14 10.5h.01M17.5 10.5h.01M8 13.8h8',
  close: 'M6 6l12 12M18 6 6 18',
  memory:
    'M12 20.5c-4.7 0-8-3.6-8-8.3C4 7.2 7.5 3.5 12 3.5s8 3.7 8 8.7c0 4.7-3.3 8.3-8 8.3ZM8.5 10.5h7M8.5 14h4.5',
  document: 'M7 3.5h7l4 4v13H7ZM14 3.5v4h4M10 12h5M10 15.5h5',
  work: 'M12 6.5C10 5 7 4.5 4 4.8v13.4c3-.3 6 .2 8 1.8 2-1.6 5-2.1 8-1.8V4.8c-3-.3-6 .2-8 1.7Zm0 0V20',
  edit: 'm14.5 5.5 4 4L8 20H4v-4ZM12.5 7.5l4 4',
  undo: 'M8 5 4 9l4 4M4 9h10a5.5 5.5 0 0 1 0 11h-4',
  trash: 'M5 7h14M10 4h4M7 7l1 13h8l1-13M10.5 11v5.5M13.5 11v5.5',
  link: 'M10 14a4 4 0 0 0 5.7 0l3-3a4 4 0 0 0-5.7-5.7l-1 1M14 10a4 4 0 0 0-5.7 0l-3 3a4 4 0 0 0 5.7 5.7l1-1',
  filter: 'M4 6h16M7 12h10M10 18h4',
  upload: 'M12 16V5m0 0L7.5 9.5M12 5l4.5 4.5M4.5 15v4.5h15V15',
  chevron: 'm9 6 6 6-6 6',
  copy: 'M9 9h10.5v10.5H9ZM15 9V4.5H4.5V15H9',
  bookmark: 'M7 4.5h10v15l-5-3.6-5 3.6Z',
  tag: 'M4 4.5h7l8.5 8.5-7 7L4 11.5ZM8 8.5h.01',
  download: 'M12 5v10.5m0 0-4.5-4.5m4.5 4.5 4.5-4.5M4.5 15v4.5h15V15',
  settings: 'M4 7h9M17 7h3M4 17h3M11 17h9M15 4.5v5M9 14.5v5',
  plus: 'M12 6v12M6 12h12',
  warning: 'M12 4 2.8 19.5h18.4ZM12 10v4.5M12 17h.01',
} as const

export type IconName = keyof typeof PATHS

export function Icon({ name, size = 18 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg class="icon" width={size} height={size} viewBox="0 0 24 24" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  )
}

export function Logo() {
  return (
    <svg class="logo" width="26" height="26" viewBox="0 0 32 32" aria-hidden="true">
      <ellipse class="stone-low" cx="16" cy="25.2" rx="12" ry="4.6" />
      <ellipse class="stone-middle" cx="17" cy="16.4" rx="8.6" ry="4" />
      <ellipse class="stone-high" cx="15.4" cy="8.8" rx="5.4" ry="3.3" />
    </svg>
  )
}
