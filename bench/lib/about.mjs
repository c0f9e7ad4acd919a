/**
 * The prose of each benchmark: what is compared, and why the comparison is fair.
 *
 * `page` is its file in docs/benchmarks. `compared` is the text. `isFast`: the ratio says how many times as fast Cairn is, else how many times as long it takes.
 * `headline` selects the last matching case for the table at the top. `aside` selects the cases of the folded part.
 * `also` are further figures, as [title, key, unit].
 */

const MEMORY = ['memory of the process', 'memoryMB', 'MB']
const FILE = ['file', 'fileMB', 'MB']
const ADDED = ['added', 'recordsPerSecond', '/s']
const PEER_ADDED = ['added to the peer', 'peerRecordsPerSecond', '/s']

/** In the order of the page. */
export const ABOUT = {
  hybrid: {
    title: 'Hybrid search',
    page: 'search',
    compared: `A whole search, from the text of a query to ten records, compared with the pipeline most people write: FTS5 with all words joined
by OR, sqlite-vec on float32, the best hundred of each fused by rank (RRF, k = 60), and the ten records loaded. Both have the same records, model and
page cache. Statements are prepared once, the journal mode is WAL, and the peer's file is also memory-mapped (256 MB). The records are generated, except for
the documents of four judged collections among them. nDCG@10 is that of the *judged queries*, which people wrote and judged. A *first search* opens the
file, loads the caches and answers once, in a new process. *Memory* is that of this process after twenty queries.`,
    command: 'hybrid --records 1000000 --file /tmp/million.cairn',
    isFast: true,
    headline: ({ case: label }) => /^\d+[kM]$/.test(label),
    growth: /^\d+[kM]$/,
    also: [
      ['nDCG@10', 'ndcg@10'],
      ['nDCG@10 of the peer', 'peerNdcg@10'],
      ['first search', 'coldMs', 'ms'],
      ['first search of the peer', 'peerColdMs', 'ms'],
      ['first search per 250k records', 'coldMsPer250k', 'ms'],
      MEMORY,
      ['memory of the peer', 'peerMemoryMB', 'MB'],
      FILE,
      ['file of the peer', 'peerFileMB', 'MB'],
      ADDED,
      PEER_ADDED,
    ],
  },
  engines: {
    title: 'Beside other engines',
    page: 'engines',
    compared: `A search for ten records compared with embedded engines: LanceDB with its default indexes, zvec with HNSW, Orama in hybrid mode, PGlite with
pgvector and the query that most guides show, FTS5 with sqlite-vec, and MiniSearch, which has no vectors. All have the same texts and vectors. Two engines at a
time take turns with Cairn, question by question, with and without a filter, after three rounds of all questions that do not count. Cairn also cuts snippets,
marks words, and loads sessions, facts and links of the hits. *5k* is SciFact; *100k* is four judged collections among records made of their sentences. A *first
search* opens the stored data and answers once, in a new process; *memory* is that of this process after twenty questions. Orama and MiniSearch work in memory,
so their stored data is what they save. Orama, PGlite and MiniSearch would take too long on *100k* and are left out there. Adding includes embedding. The last
cases compare Cairn with itself: the large file with the small one, with a filter and without, and adding one record to each. The engines take 280 MB, so they
are installed into their own folder when this benchmark first runs.`,
    isFast: true,
    headline: ({ case: label }) => label === '100k',
    isPeerNamed: true,
    also: [
      ['nDCG@10', 'ndcg@10'],
      ['nDCG@10 of the peer', 'peerNdcg@10'],
      ['first search', 'coldMs', 'ms'],
      ['first search of the peer', 'peerColdMs', 'ms'],
      MEMORY,
      ['memory of the peer', 'peerMemoryMB', 'MB'],
      FILE,
      ['file of the peer', 'peerFileMB', 'MB'],
      ADDED,
      PEER_ADDED,
      ['least time', 'leastMs', 'ms'],
      ['least CPU time', 'leastCpuMs', 'ms'],
    ],
  },
  postgres: {
    title: 'PostgreSQL',
    page: 'servers',
    compared: `A warm hybrid search for ten records in PostgreSQL, compared with the query that most guides show: English words with \`ts_rank_cd\`, vectors with HNSW, the best
hundred of each fused by rank, in one statement. Both run on one server with its default settings and have the same texts and vectors: four judged collections among
records made of their sentences. The other cases compare PostgreSQL with the same records in a file. *The same ten* is the share of questions with the same first ten
hits; *recall* is the share of the twenty nearest vectors that are found, with a filter that passes 1 % and without one.`,
    isFast: true,
    headline: ({ case: label }) => /hybrid$/.test(label),
    also: [
      ['nDCG@10', 'ndcg@10'],
      ['nDCG@10 of the peer', 'peerNdcg@10'],
      ['the same ten', 'sameTen', '%'],
      ['recall@20', 'recall@20', '%'],
      ['recall@20 with the filter', 'filteredRecall@20', '%'],
      ADDED,
      PEER_ADDED,
    ],
  },
  servers: {
    title: 'Several servers',
    page: 'servers',
    compared: `Two \`cairn serve\` processes share one PostgreSQL. Clients work without a pause: each writes through one server, asks the other one for the written record, and
searches. Servers, database and clients share two cores.`,
    isFast: true,
    headline: ({ case: label }) => /clients/.test(label),
    also: [
      ['searches a second', 'searchesPerSecond'],
      ['writes a second', 'writesPerSecond'],
      ['a write', 'writeMs', 'ms'],
      ['slowest hundredth', 'p99Ms', 'ms'],
      ['failed', 'failures'],
      ['stale', 'stale'],
      ['lost', 'lost'],
    ],
  },
  before: {
    title: 'Compared with an earlier commit',
    page: 'search',
    compared: `The same searches of the same records, compared with the library of an earlier commit (named by \`CAIRN_BEFORE\`), in turn and in one process.
Times are the least CPU time of each question.`,
    isFast: true,
    headline: ({ case: label }) => /together$/.test(label),
    also: [],
  },
  keyword: {
    title: 'Keyword search',
    page: 'search',
    compared: `Keyword search compared with plain FTS5, \`SELECT rowid … ORDER BY rank LIMIT 10\`, on the same file, for the same words,
query by query in turn. *Real questions* are claims, questions and pasted abstracts that people wrote, each asked once; their records are made of sentences
of the same judged collections. All other queries and records are generated. *Ranking* compares ten ids with ten ids. *Whole searches* also parse the query,
load ten records with their sessions, facts and links, and cut snippets, while the peer still returns only ten ids. *CPU* ratios count CPU time instead of
elapsed time. A *first search* reads the length of every record and the posting lists it needs.`,
    command: 'keyword --records 1000000 --file /tmp/words.cairn',
    isFast: true,
    headline: ({ case: label }) => /real questions, ranking$/.test(label),
    growth: /real questions, ranking$/,
    aside: /count|bm25\(\)|match auto/,
    also: [
      ['times as fast at p95', 'ratioP95'],
      ['CPU', 'cpuRatio'],
      ['CPU at p95', 'cpuRatioP95'],
      ['ranked from posting lists', 'byPostings', '%'],
      ['first search', 'coldMs', 'ms'],
      ['cached lists and lengths', 'listsMB', 'MB'],
      MEMORY,
      FILE,
      ADDED,
      PEER_ADDED,
    ],
  },
  vector: {
    title: 'Vector search',
    page: 'search',
    compared: `A search for the twenty nearest of up to a million vectors of 256 dimensions, compared with sqlite-vec on float32. Both compare the query
with every vector, on the same data, with the same filters. The vectors form clusters of very unequal size, like those of real texts. *Recall@20* is the share of
the exact twenty nearest that Cairn finds.`,
    isFast: true,
    headline: ({ case: label }) => /^\d+[kM]$/.test(label),
    growth: /^\d+[kM]$/,
    also: [
      ['recall@20', 'recall@20', '%'],
      ['loading', 'loadMs', 'ms'],
      ['memory of the process', 'processMB', 'MB'],
      ['sqlite-vec, sign bits first', 'peerBitMedianMs', 'ms'],
    ],
  },
  embed: {
    title: 'The bundled model',
    page: 'adding',
    compared: `Embedding one text on one core: the bundled model compared with all-MiniLM-L6-v2 through ONNX, the small model that most people start
with. MiniLM reads only the first 256 tokens of a text. It embeds a sentence as a whole, while the bundled model adds up its words, so consider the
[quality](../quality.md) too.`,
    isFast: true,
    headline: ({ case: label }) => /^100 words$/.test(label),
    also: [
      ['texts a second', 'textsPerSecond'],
      ['loading', 'loadMs', 'ms'],
      ['memory for it', 'memoryMB', 'MB'],
    ],
  },
  import: {
    title: 'Adding records',
    page: 'adding',
    compared: `Adding 20,000 abstracts of about 200 words to new files, compared with programs that only fill an FTS5 table: by triggers, as most people
write it, or in bulk, once per transaction. Cairn also looks for duplicates, stores ids, times and data for filters, and makes vectors, unless the case says
otherwise. Times are for all records, a thousand per transaction; each case writes its own file, one after the other. *A quarter of them* and *a tenth of them* are
parts of one long run that alternates between 25,000 records of Cairn and of the peer: times are those of a part, shares those of the whole run.`,
    isFast: true,
    headline: ({ case: label, peer }) => /two at once$/.test(label) && /bulk/.test(peer.name),
    also: [
      ADDED,
      PEER_ADDED,
      ['share of the peer’s speed', 'share', '%'],
      ['CPU time per record', 'processorMicros', 'µs'],
      ['CPU time of the peer', 'peerProcessorMicros', 'µs'],
      ['memory in the first part', 'memoryMBFirst', 'MB'],
      ['memory in the last part', 'memoryMBLast', 'MB'],
    ],
  },
  cache: {
    title: 'Cached results',
    page: 'search',
    compared: `The same query repeated on the same file, with cached results and without, in turn. New queries show the cost of the cache.`,
    isFast: true,
    headline: ({ case: label }) => /asked again$/.test(label),
    also: [MEMORY],
  },
  startup: {
    title: 'Command startup',
    page: 'starting',
    compared: `A \`cairn\` command from start to end, on a file of 10,000 records, compared with a program that starts Node, opens the same file with
better-sqlite3 and exits. No JavaScript program on SQLite can be faster than that.`,
    isFast: false,
    headline: ({ case: label }) => /^cairn search(, keyword| by words)$/.test(label),
    also: [
      ['Node alone', 'nodeMs', 'ms'],
      ['beyond Node', 'aboveNodeMs', 'ms'],
    ],
  },
  mcp: {
    title: 'MCP',
    page: 'starting',
    compared: `The first cases measure how long an agent waits, from starting \`cairn mcp\` on a file of 10,000 records to the answered handshake with the list of
tools, and to the answer of a first search; the peer starts Node and exits. The others measure searches of a client that stays connected over standard input and
output, in turn with the same search in the library.`,
    isFast: false,
    headline: ({ case: label }) => /tools\/list|a search/.test(label),
  },
  http: {
    title: 'Concurrent clients',
    page: 'servers',
    compared: `Fifty clients search through \`cairn serve\` without a pause, compared with a bare Hono handler in the same process that makes the same call
without the checks, headers and routes. The difference is the cost of the server. In the last case, fifty clients search while another one imports.`,
    isFast: true,
    headline: ({ case: label }) => /50000 records/.test(label),
    also: [
      ['searches a second', 'perSecond'],
      ['searches a second, peer', 'peerPerSecond'],
      ['p99', 'p99Ms', 'ms'],
      ['p99 of the peer', 'peerP99Ms', 'ms'],
      ['longest wait', 'longestMs', 'ms'],
      ['refused', 'failures'],
    ],
  },
  load: {
    title: 'A server under load',
    page: 'servers',
    compared: `Two hundred clients use one \`cairn serve\` for two minutes without a pause. Of ten requests, one adds a record, one edits it, and eight search: in hybrid mode, in keyword
mode, or in one topic. No two consecutive searches are equal, and every write empties the cache. The peer is a lower bound: a bare Hono handler that answers every request
with one FTS5 query over the same texts, without vectors, writes or checks. Clients, server and database share two cores.`,
    isFast: true,
    headline: ({ case: label }) => /clients/.test(label),
    also: [
      ['requests a second', 'perSecond'],
      ['requests a second, peer', 'peerPerSecond'],
      ['p99', 'p99Ms', 'ms'],
      ['p99 of the peer', 'peerP99Ms', 'ms'],
      ['writes a second', 'writesPerSecond'],
      ['a write', 'writeMs', 'ms'],
      ['p95 of a write', 'writeP95Ms', 'ms'],
      ['p99 of a write', 'writeP99Ms', 'ms'],
      ['failed', 'failures'],
      ['memory after warming up', 'memoryMB', 'MB'],
      ['memory at the end', 'memoryMBLast', 'MB'],
    ],
  },
  page: {
    title: 'The web page',
    page: 'starting',
    compared: `The page runs in Chromium, with \`cairn serve\` behind it. The first cases type words at 90 ms per key and measure the time from the second key to
the first hits on the screen. The others open a hit in a Markdown text of 400 kB and measure the time until the matched word is in the window, rendered and
marked.`,
    isFast: true,
    headline: ({ case: label }) => /second key/.test(label),
    also: [],
  },
  explore: {
    title: 'Following citations',
    page: 'search',
    compared: `Does following citations find works that a search does not? Measured on CACM, whose citation links are real: 52 queries with 796 judged
works. Each exploration is compared with a hybrid search that returns as many works, and both together with a search as large as both. An exploration finds
fewer relevant works than a search of the same size, but different ones.`,
    isFast: true,
    headline: ({ case: label }) => /^depth 2$/.test(label),
    rows: ({ case: label, metrics }) => ({
      title: `${label}: judged works found`,
      right: `${metrics.judged} judged`,
      bars: [
        ['ours', metrics.found, 'by exploring'],
        ['peer', metrics.peerFound, 'by a search of the same size'],
        ['ours', metrics.foundByEither, 'by either'],
        ['peer', metrics.peerFoundAtThatSize, 'by a search as large as both'],
      ].map(([kind, value, by]) => ({ kind, value, text: `${value} ${by}` })),
    }),
    also: [
      ['works returned, mean', 'meanWorks'],
      ['recall', 'recall'],
      ['recall of the search', 'peerRecall'],
      ['recall of both', 'recallOfEither'],
      ['recall of a search as large as both', 'peerRecallAtThatSize'],
      ['queries where exploring is better', 'betterQueries'],
      ['where it is worse', 'worseQueries'],
      ['works found only by exploring', 'foundOnlyByExploring'],
      ['only by the search', 'foundOnlyByPeer'],
      MEMORY,
    ],
  },
  profile: {
    title: 'Search profile',
    page: 'search',
    compared: `The same program, sampled while it answers 300 real questions on 100,000 records: with posting lists, and with SQL alone, which is used if
the posting lists cannot be read. Figures are milliseconds per search. Sampling slows the program down, so the shares say more than the sums.`,
    isFast: true,
    headline: () => false,
    phases: /^(\d+[kM] \w+), (before|after)$/,
  },
}
