// A bibliography: import BibTeX, search it, follow citations, write references.
// Run it: node examples/literature.mjs

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openCairn } from 'cairn-search'

const BIBTEX = `
@inproceedings{page1999,
  title = {The PageRank Citation Ranking: Bringing Order to the Web},
  author = {Page, Lawrence and Brin, Sergey and Motwani, Rajeev and Winograd, Terry},
  year = {1999},
  abstract = {Ranks web pages by the link structure around them.},
}
@article{robertson2009,
  title = {The Probabilistic Relevance Framework: BM25 and Beyond},
  author = {Robertson, Stephen and Zaragoza, Hugo},
  journal = {Foundations and Trends in Information Retrieval},
  year = {2009},
  doi = {10.1561/1500000019},
  abstract = {Derives the BM25 weighting function and its extension to several fields.},
}
`

const folder = mkdtempSync(join(tmpdir(), 'cairn-works-'))
writeFileSync(join(folder, 'refs.bib'), BIBTEX)

const cairn = await openCairn({ file: ':memory:' })
const report = await cairn.import(join(folder, 'refs.bib'))
console.log('imported', report.works.created, 'works')

const { hits } = await cairn.search('popularity of hyperlinks', { lens: 'literature', limit: 1 })
console.log('found:', hits[0]?.title)

// A work is known by its key, its DOI or its record id.
const work = await cairn.works.get('10.1561/1500000019')
console.log('by DOI:', work?.work.citationKey, work?.work.year)

await cairn.close()
rmSync(folder, { recursive: true })
