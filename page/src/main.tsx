/** Starts the page. */

import { render } from 'preact'
import '../styles/page.css'
import { App } from './app.js'
import { startDrafts } from './state/draft.js'
import { startKeys } from './state/keys.js'
import { startRouter } from './state/router.js'
import { startTheme } from './state/theme.js'

startTheme()
startRouter()
startKeys()
startDrafts()
const root = document.getElementById('page')
if (root !== null) render(<App />, root)
