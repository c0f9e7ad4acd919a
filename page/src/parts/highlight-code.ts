/** Colours code by its language. Loaded when a text has code. */

import highlighter from 'highlight.js/lib/core'
import bash from 'highlight.js/lib/languages/bash'
import css from 'highlight.js/lib/languages/css'
import diff from 'highlight.js/lib/languages/diff'
import go from 'highlight.js/lib/languages/go'
import javascript from 'highlight.js/lib/languages/javascript'
import json from 'highlight.js/lib/languages/json'
import python from 'highlight.js/lib/languages/python'
import rust from 'highlight.js/lib/languages/rust'
import sql from 'highlight.js/lib/languages/sql'
import typescript from 'highlight.js/lib/languages/typescript'
import xml from 'highlight.js/lib/languages/xml'
import yaml from 'highlight.js/lib/languages/yaml'

const LANGUAGES = {
  ...{ bash, css, diff, go, javascript, json, python, rust, sql, typescript, xml, yaml },
}
for (const [name, language] of Object.entries(LANGUAGES)) {
  highlighter.registerLanguage(name, language)
}

/** As HTML with classes; null for a language that is not known here. */
export function highlightCode(code: string, language: string): string | null {
  if (highlighter.getLanguage(language) === undefined) return null
  return highlighter.highlight(code, { language, ignoreIllegals: true }).value
}
