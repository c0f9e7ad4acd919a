/** The frame around every view, and the view for each URL. */

import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { IconButton } from './parts/button.js'
import { Help } from './parts/help.js'
import { Icon, type IconName, Logo } from './parts/icon.js'
import { Notices } from './parts/notices.js'
import { SearchField } from './parts/search-field.js'
import { decodeText } from './state/addresses.js'
import { openHelp } from './state/keys.js'
import { here } from './state/router.js'
import { switchTheme, theme } from './state/theme.js'
import { AddView } from './views/add.js'
import { GraphView } from './views/graph.js'
import { ImportTray } from './views/import-tray.js'
import { LostView } from './views/lost.js'
import { RecordView } from './views/record.js'
import { SearchView } from './views/search.js'
import { SessionView } from './views/session.js'
import { SessionsView } from './views/sessions.js'
import { SettingsView } from './views/settings.js'
import { StatisticsView } from './views/statistics.js'
import { TimelineView } from './views/timeline.js'

const NAV: readonly { readonly path: string; readonly name: string; readonly icon: IconName }[] = [
  { path: '/', name: 'Search', icon: 'search' },
  { path: '/timeline', name: 'Timeline', icon: 'timeline' },
  { path: '/sessions', name: 'Sessions', icon: 'sessions' },
  { path: '/graph', name: 'Graph', icon: 'graph' },
  { path: '/stats', name: 'Statistics', icon: 'stats' },
  { path: '/add', name: 'Add', icon: 'add' },
]

function viewOf(path: string): ComponentChildren {
  const [first = '', second = ''] = path.split('/').slice(1).map(decodeText)
  if (second !== '') {
    if (first === 'record') return <RecordView key={second} id={second} />
    if (first === 'sessions') return <SessionView key={second} id={second} />
    return <LostView />
  }
  switch (first) {
    case '':
      return <SearchView />
    case 'timeline':
      return <TimelineView />
    case 'sessions':
      return <SessionsView />
    case 'graph':
      return <GraphView />
    case 'settings':
      return <SettingsView />
    case 'stats':
      return <StatisticsView />
    case 'add':
      return <AddView />
    default:
      return <LostView />
  }
}

export function App() {
  const { path } = here.value
  const main = useRef<HTMLElement>(null)
  const isFirst = useRef(true)
  // Another path is another view, and is read from its beginning.
  useEffect(() => {
    if (!isFirst.current && path !== '/') main.current?.focus({ preventScroll: true })
    isFirst.current = false
  }, [path])
  return (
    <>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <Header path={path} />
      <main id="main" ref={main} tabIndex={-1}>
        {viewOf(path)}
      </main>
      <ImportTray />
      <Notices />
      <Help />
    </>
  )
}

function Header({ path }: { readonly path: string }) {
  const isDark = theme.value === 'dark'
  const otherTheme = isDark ? 'Light colours' : 'Dark colours'
  const isIn = (place: string): boolean => (place === '/' ? path === '/' : path.startsWith(place))
  return (
    <header class="bar">
      <a class="home" href="/" aria-label="Cairn">
        <Logo />
        <span>Cairn</span>
      </a>
      <SearchField />
      <nav aria-label="Views">
        <ul>
          {NAV.map(({ path: place, name, icon }) => (
            <li key={place}>
              <a href={place} aria-current={isIn(place) ? 'page' : undefined}>
                <Icon name={icon} />
                <span>{name}</span>
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <div class="bar-tools">
        <a
          class="icon-button"
          href="/settings"
          aria-label="Settings"
          title="Settings"
          aria-current={isIn('/settings') ? 'page' : undefined}
        >
          <Icon name="settings" />
        </a>
        <IconButton
          icon={isDark ? 'sun' : 'moon'}
          label={otherTheme}
          title={otherTheme}
          size={18}
          onClick={switchTheme}
        />
        <IconButton
          icon="keys"
          label="Keyboard shortcuts"
          title="Keyboard shortcuts (?)"
          size={18}
          class="keys-button"
          onClick={openHelp}
        />
      </div>
    </header>
  )
}
