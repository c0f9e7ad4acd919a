/** The six citation styles as data: how names are written, and templates for the parts of a reference. */

export type NameStyle = {
  readonly given: 'dotted' | 'bare' | 'full'
  /** Which names have the family name first; `editors` are names inside an entry. */
  readonly inverted: 'all' | 'first' | 'none'
  readonly editors: 'inverted' | 'plain'
  readonly separator: string
  readonly beforeLast: string
  readonly betweenTwo: string
  /** Of more than `max` names, `shown` are printed, then `etAl`. */
  readonly max: number
  readonly shown: number
  readonly etAl: string
}

/**
 * A template has `{variables}`, `_italics_` and `[parts]` that are left out if a variable in them has no value;
 * `[a|b]` is b if a is left out; `<` and `>` are brackets of the text. `heading` is the title as the type writes it.
 */
export type Style = {
  readonly names: NameStyle
  readonly editorLabels: readonly [one: string, several: string]
  readonly pageRange: string
  readonly lead: string
  readonly headings: Readonly<Record<'part' | 'whole' | 'thesis', string>>
  readonly rest: Readonly<Record<'article' | 'conference' | 'book' | 'chapter' | 'thesis', string>>
  readonly inText: string
  readonly inTextNames: { readonly max: number; readonly and: string }
  readonly isNumbered: boolean
}

const DOTTED: NameStyle = {
  given: 'dotted',
  inverted: 'all',
  editors: 'plain',
  separator: ', ',
  beforeLast: ' and ',
  betweenTwo: ' and ',
  max: 6,
  shown: 1,
  etAl: ' et al.',
}

export const STYLES = {
  apa: {
    names: {
      ...DOTTED,
      beforeLast: ', & ',
      betweenTwo: ', & ',
      max: 20,
      shown: 19,
      etAl: ', … {last}',
    },
    editorLabels: ['(Ed.)', '(Eds.)'],
    pageRange: '–',
    lead: '[{authors} ({year}). {heading}|{heading} ({year}).]{rest}[ {link}]',
    headings: {
      part: '{title}.',
      whole: '_{title}_[ ({edition} ed.)].',
      thesis: '_{title}_ <Thesis[, {publisher}]>.',
    },
    rest: {
      article: '[ _{venue}_[, _{volume}_][({issue})][, {pages}].]',
      conference: '[ In _{venue}_[ ({pp})].][ {publisher}.]',
      book: '[ {publisher}.]',
      chapter: '[ In [{editors}, ]_{venue}_[ ({pp})].][ {publisher}.]',
      thesis: '',
    },
    inText: '({names}, {year})',
    inTextNames: { max: 2, and: ' & ' },
    isNumbered: false,
  },
  ieee: {
    names: { ...DOTTED, inverted: 'none', beforeLast: ', and ' },
    editorLabels: ['Ed.', 'Eds.'],
    pageRange: '–',
    lead: '<{number}> [{authors}, ]{heading}{rest}[, doi: {doi}|. <Online>. Available: {link}].',
    headings: {
      part: '“{title},”',
      whole: '_{title}_[, {edition} ed.]',
      thesis: '“{title},”',
    },
    rest: {
      article: '[ _{venue}_][, vol. {volume}][, no. {issue}][, {pp}], {year}',
      conference: '[ in _{venue}_][, vol. {volume}][, {publisher}], {year}[, {pp}]',
      book: '[. {imprint}], {year}',
      chapter: '[ in _{venue}_][, {editors}][. {imprint}], {year}[, {pp}]',
      thesis: ' thesis[, {publisher}][, {place}], {year}',
    },
    inText: '<{number}>',
    inTextNames: { max: 2, and: ' and ' },
    isNumbered: true,
  },
  chicago: {
    names: {
      ...DOTTED,
      given: 'full',
      inverted: 'first',
      beforeLast: ', and ',
      betweenTwo: ', and ',
      max: 10,
      shown: 7,
      etAl: ', et al.',
    },
    editorLabels: ['', ''],
    pageRange: '–',
    lead: '[{authors}. {year}. {heading}|{heading} {year}.]{rest}[ {link}.]',
    headings: { part: '“{title}.”', whole: '_{title}_.[ {edition} ed.]', thesis: '“{title}.”' },
    rest: {
      article: '[ _{venue}_[ {volume}][ ({issue})][: {pages}].]',
      conference: '[ In _{venue}_[, {pages}].][ {imprint}.]',
      book: '[ {imprint}.]',
      chapter: '[ In _{venue}_[, edited by {editors}][, {pages}].][ {imprint}.]',
      thesis: ' Thesis[, {publisher}].',
    },
    inText: '({names} {year})',
    inTextNames: { max: 3, and: ', and ' },
    isNumbered: false,
  },
  mla: {
    names: {
      ...DOTTED,
      given: 'full',
      inverted: 'first',
      betweenTwo: ', and ',
      max: 2,
      etAl: ', et al.',
    },
    editorLabels: ['', ''],
    pageRange: '–',
    lead: '[{authors}. ]{heading}{rest}[, {link}].',
    headings: { part: '“{title}.”', whole: '_{title}_.[ {edition} ed.,]', thesis: '_{title}_.' },
    rest: {
      article: '[ _{venue}_][, vol. {volume}][, no. {issue}], {year}[, {pp}]',
      conference: '[ _{venue}_][, {publisher}], {year}[, {pp}]',
      book: '[ {publisher},] {year}',
      chapter: '[ _{venue}_][, edited by {editors}][, {publisher}], {year}[, {pp}]',
      thesis: ' {year}.[ {publisher},] thesis',
    },
    inText: '({names})',
    inTextNames: { max: 2, and: ' and ' },
    isNumbered: false,
  },
  vancouver: {
    names: {
      ...DOTTED,
      given: 'bare',
      editors: 'inverted',
      beforeLast: ', ',
      betweenTwo: ', ',
      shown: 6,
      etAl: ', et al.',
    },
    editorLabels: ['editor', 'editors'],
    pageRange: '-',
    lead: '{number}. [{authors}. ]{heading}{rest}[ doi:{doi}| Available from: {link}]',
    headings: {
      part: '{title}.',
      whole: '{title}.[ {edition} ed.]',
      thesis: '{title} <thesis>.',
    },
    rest: {
      article: '[ {venue}.] {year}[;{volume}[({issue})]][:{pages}].',
      conference: '[ In: {venue}.] [{imprint}; ]{year}.[ p. {pages}.]',
      book: ' [{imprint}; ]{year}.',
      chapter: '[ In: [{editors}. ]{venue}.] [{imprint}; ]{year}.[ p. {pages}.]',
      thesis: ' [{imprint}; ]{year}.',
    },
    inText: '({number})',
    inTextNames: { max: 2, and: ' and ' },
    isNumbered: true,
  },
  harvard: {
    names: { ...DOTTED, max: 3 },
    editorLabels: ['(ed.)', '(eds)'],
    pageRange: '–',
    lead: '[{authors} ({year}) {heading}|{heading} ({year})]{rest}.[ Available at: {link}.]',
    headings: { part: '‘{title}’', whole: '_{title}_[. {edition} edn]', thesis: '_{title}_' },
    rest: {
      article: '[, _{venue}_][, {volume}[({issue})]][, {pp}]',
      conference: '[, in _{venue}_][. {imprint}][, {pp}]',
      book: '[. {imprint}]',
      chapter: '[, in[ {editors}] _{venue}_][. {imprint}][, {pp}]',
      thesis: '. Thesis[. {publisher}]',
    },
    inText: '({names}, {year})',
    inTextNames: { max: 3, and: ' and ' },
    isNumbered: false,
  },
} satisfies Readonly<Record<string, Style>>

export type StyleName = keyof typeof STYLES
