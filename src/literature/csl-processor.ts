/** Formats references by any CSL style, with the optional package citeproc. */

import { badInput } from '../core/errors.js'
import type { Work } from '../core/work.js'
import { writeCsl } from './csl.js'
import type { Reference } from './styles.js'

type Item = { readonly id: string }
type Cluster = { citationItems: readonly Item[]; properties: { noteIndex: number } }

/** The few members of citeproc that are used. */
type Engine = {
  setOutputFormat(format: 'text'): void
  updateItems(ids: readonly string[]): void
  previewCitationCluster(cluster: Cluster, before: [], after: [], format: 'text'): string
  makeBibliography(): readonly [{ readonly entry_ids: string[][] }, readonly string[]] | false
}
type System = {
  retrieveLocale(language: string): string
  retrieveItem(id: string): Item | undefined
}
type Citeproc = { Engine: new (system: System, style: string, language: string) => Engine }

/** In the order of the style's bibliography; a style without one gives them in the order of the works. */
export async function formatByCsl(works: readonly Work[], style: string): Promise<Reference[]> {
  const { Engine } = await loadCiteproc()
  const items = JSON.parse(writeCsl(works)) as Item[]
  const ids = items.map(({ id }) => id)
  const byId = new Map(items.map((item, i) => [item.id, { item, work: works[i] as Work }]))
  try {
    const engine = new Engine(
      { retrieveLocale: () => LOCALE, retrieveItem: (id) => byId.get(id)?.item },
      style,
      'en-US',
    )
    engine.setOutputFormat('text')
    engine.updateItems(ids)
    const cite = (id: string): string => {
      const cluster = { citationItems: [{ id }], properties: { noteIndex: 0 } }
      return engine.previewCitationCluster(cluster, [], [], 'text')
    }
    const bibliography = engine.makeBibliography()
    const order = bibliography === false ? ids : bibliography[0].entry_ids.flat()
    const entries = bibliography === false ? [] : bibliography[1]
    return order.flatMap((id, i) => {
      const work = byId.get(id)?.work
      const inText = cite(id)
      return work === undefined ? [] : { work, text: (entries[i] ?? inText).trim(), inText }
    })
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw badInput(`The CSL style cannot be used: ${reason}`, 'Give an independent style file.')
  }
}

async function loadCiteproc(): Promise<Citeproc> {
  // Not written in the call, so that a bundler leaves it alone.
  const name = 'citeproc'
  try {
    const module = (await import(name)) as Citeproc & { default?: Citeproc }
    return module.default ?? module
  } catch {
    throw badInput(
      'A CSL style needs the package citeproc, which cannot be loaded.',
      'Install it beside Cairn: `npm install citeproc`, with -g if Cairn was installed so.',
    )
  }
}

const TERMS: Readonly<Record<string, string>> = {
  and: 'and',
  'et-al': 'et al.',
  in: 'in',
  from: 'from',
  at: 'at',
  by: 'by',
  accessed: 'accessed',
  'available at': 'available at',
  retrieved: 'retrieved',
  'no date': 'n.d.',
  online: 'online',
  version: 'version',
  'open-quote': '“',
  'close-quote': '”',
  'open-inner-quote': '‘',
  'close-inner-quote': '’',
  'page-range-delimiter': '–',
  ordinal: 'th',
  'ordinal-01': 'st',
  'ordinal-02': 'nd',
  'ordinal-03': 'rd',
  'ordinal-11': 'th',
  'ordinal-12': 'th',
  'ordinal-13': 'th',
}
/** Long and short, singular and plural. */
const COUNTED: Readonly<Record<string, readonly [string, string, string, string]>> = {
  edition: ['edition', 'editions', 'ed.', 'eds.'],
  issue: ['number', 'numbers', 'no.', 'nos.'],
  volume: ['volume', 'volumes', 'vol.', 'vols.'],
  page: ['page', 'pages', 'p.', 'pp.'],
  editor: ['editor', 'editors', 'ed.', 'eds.'],
}
const MONTHS =
  'January February March April May June July August September October November December'.split(' ')

/** An English locale of our own: CSL's are under a licence that asks to be passed on. */
const LOCALE = `<?xml version="1.0" encoding="utf-8"?>
<locale xmlns="http://purl.org/net/xbiblio/csl" version="1.0" xml:lang="en-US">
<style-options punctuation-in-quote="true"/>
<date form="text"><date-part name="month" suffix=" "/><date-part name="day" suffix=", "/><date-part name="year"/></date>
<date form="numeric"><date-part name="month" form="numeric-leading-zeros" suffix="/"/><date-part name="day" form="numeric-leading-zeros" suffix="/"/><date-part name="year"/></date>
<terms>
${Object.entries(TERMS)
  .map(([name, text]) => `<term name="${name}">${text}</term>`)
  .join('\n')}
${Object.entries(COUNTED)
  .flatMap(([name, [one, several, shortOne, shortSeveral]]) => [
    `<term name="${name}"><single>${one}</single><multiple>${several}</multiple></term>`,
    `<term name="${name}" form="short"><single>${shortOne}</single><multiple>${shortSeveral}</multiple></term>`,
  ])
  .join('\n')}
<term name="editor" form="verb">edited by</term>
${MONTHS.map((month, i) => {
  const number = String(i + 1).padStart(2, '0')
  const short = month.length > 4 ? `${month.slice(0, 3)}.` : month
  return `<term name="month-${number}">${month}</term><term name="month-${number}" form="short">${short}</term>`
}).join('\n')}
</terms>
</locale>`
