/**
 * What a newcomer has to know of each benchmark: what stands beside what, and why that is fair.
 *
 * `compared` is the text; `isFast` says whether the ratio is how many times faster ours is, or how many times as long it
 * takes; `headline` is the case for the table at the top, the last that fits; `aside` are cases that only the curious want;
 * `also` are further figures, as [title, key, unit].
 */

const MEMORY = ['memory of the process', 'memoryMB', 'MB']
const FILE = ['file', 'fileMB', 'MB']
const ADDED = ['added', 'recordsPerSecond', '/s']
const PEER_ADDED = ['added to the peer', 'peerRecordsPerSecond', '/s']

/** In the order of the page. */
export const ABOUT = {
  hybrid: {
    title: 'Words and meaning together',
    compared: `A whole search, from the text of a question to ten records, beside the pipeline most people write: FTS5 with all
words joined by OR, sqlite-vec on float32, the best hundred of each fused by rank (RRF, k = 60), and the ten records loaded. Both have the
same records, the same model and as much memory for pages; statements are prepared once, the log is WAL, the peer's file is also mapped into
memory (256 MB). The records are generated, with the documents of four judged sets among them; nDCG@10 is that of the *judged queries*, which
people asked and judged. A *first search* is opening the file, reading what is kept in memory and one answer, in a process that has
done nothing else; *memory* is what that process holds after twenty questions.`,
    command: 'hybrid --records 1000000 --file /tmp/million.cairn',
    isFast: true,
    headline: ({ case: label }) => /^\d+[kM]$/.test(label),
    growth: /^\d+[kM]$/,
    also: [
      ['nDCG@10', 'ndcg@10'],
      ['nDCG@10 of the peer', 'peerNdcg@10'],
      ['first search', 'coldMs', 'ms'],
      ['first search of the peer', 'peerColdMs', 'ms'],
      ['first search for 250k records', 'coldMsPer250k', 'ms'],
      MEMORY,
      ['memory of the peer', 'peerMemoryMB', 'MB'],
      FILE,
      ['file of the peer', 'peerFileMB', 'MB'],
      ADDED,
      PEER_ADDED,
    ],
  },
  keyword: {
    title: 'Words',
    compared: `Searches by words beside plain FTS5, \`SELECT rowid … ORDER BY rank LIMIT 10\`, on the same file, for the same words with the
same weights, question by question in turn. *Real questions* are claims, questions and pasted abstracts that people wrote, each asked once, of
records made of sentences of the same judged sets. *Ranking* is ten ids against ten ids. *Whole searches* of ours also read the question, load
ten records with their sessions, facts and links, and cut snippets, while the peer still gives ten ids. All other questions and records
are generated. *On the processor* counts processor time instead of the clock; a *first search* reads the length of every record and the lists it needs.`,
    command: 'keyword --records 1000000 --file /tmp/words.cairn',
    isFast: true,
    headline: ({ case: label }) => /real questions, ranking$/.test(label),
    growth: /real questions, ranking$/,
    aside: /count|bm25\(\)|match auto/,
    also: [
      ['times as fast in the slowest twentieth', 'ratioP95'],
      ['on the processor', 'cpuRatio'],
      ['on the processor, slowest twentieth', 'cpuRatioP95'],
      ['the same ten', 'top10Agreement', '%'],
      ['from the lists', 'byPostings', '%'],
      ['first search', 'coldMs', 'ms'],
      ['lists and lengths', 'listsMB', 'MB'],
      MEMORY,
      FILE,
      ADDED,
      PEER_ADDED,
    ],
  },
  vector: {
    title: 'Meaning',
    compared: `The twenty nearest of so many vectors of 256 numbers, beside sqlite-vec on float32, which compares with every vector as ours does. The
vectors are in clusters of very unequal size, as those of real texts are; both search the same ones, with the same filters. *Recall@20* is the
share of the truly nearest twenty that ours found.`,
    isFast: true,
    headline: ({ case: label }) => /^\d+[kM]$/.test(label),
    growth: /^\d+[kM]$/,
    also: [
      ['recall@20', 'recall@20', '%'],
      ['loading', 'loadMs', 'ms'],
      ['memory of the process', 'processMB', 'MB'],
      ['vectors in memory', 'indexMB', 'MB'],
      ['sqlite-vec by sign bits first', 'peerBitMedianMs', 'ms'],
    ],
  },
  embed: {
    title: 'The bundled model',
    compared: `One text into a vector, on one core: the bundled model beside all-MiniLM-L6-v2 through ONNX, the small model that most people start
with. MiniLM reads only the first 256 tokens of a text. It reads a sentence as a whole, where the bundled model adds up what its words mean: speed is
one side of that choice.`,
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
    compared: `20,000 abstracts of about 200 words into fresh files, beside programs that only fill an FTS5 table: by triggers, as most people write
it, or in bulk, once a transaction. Ours also looks for the same content, keeps ids, times and what filters need, and makes vectors unless told
not to. Times are those of all records, a thousand a transaction, each way into a file of its own, one after the other. *A quarter of them* and *a tenth
of them* are of one long run, 25,000 records of ours and then of the peer: times of a part, and the share of all.`,
    isFast: true,
    headline: ({ case: label, peer }) => /two at once$/.test(label) && /bulk/.test(peer.name),
    also: [
      ADDED,
      PEER_ADDED,
      ['share of the peer’s speed', 'share', '%'],
      ['processor time of a record', 'processorMicros', 'µs'],
      ['the peer’s', 'peerProcessorMicros', 'µs'],
      ['memory in the first part', 'memoryMBFirst', 'MB'],
      ['memory in the last part', 'memoryMBLast', 'MB'],
    ],
  },
  cache: {
    title: 'Asked again',
    compared: `The same question of the same file once more, with answers kept in memory and without, by turns. Questions that were never asked before
show what keeping them costs.`,
    isFast: true,
    headline: ({ case: label }) => /asked again$/.test(label),
    also: [MEMORY],
  },
  startup: {
    title: 'One command',
    compared: `A \`cairn\` command from start to end, on a file of 10,000 records, beside a program that starts Node, opens the same file with
better-sqlite3 and exits: nothing written in JavaScript on SQLite can be quicker than that.`,
    isFast: false,
    headline: ({ case: label }) => /^cairn search by words$/.test(label),
    also: [
      ['starting Node alone', 'nodeMs', 'ms'],
      ['above that', 'aboveNodeMs', 'ms'],
    ],
  },
  mcp: {
    title: 'A server for agents',
    compared: `How long an agent waits for its memory: from starting \`cairn mcp\` on a file of 10,000 records to the answered handshake with the list of
tools, and to the answer of a first search. Beside it stands starting Node and ending it.`,
    isFast: false,
    headline: ({ case: label }) => /tools\/list/.test(label),
  },
  http: {
    title: 'Many at once',
    compared: `Fifty clients that ask \`cairn serve\` without a pause, beside a bare Hono handler in the same process that makes the same call without our
checks, headers and routes: what is left between the two is what the server costs. Then fifty clients ask while another imports.`,
    isFast: true,
    headline: ({ case: label }) => /50000 records/.test(label),
    also: [
      ['searches a second', 'perSecond'],
      ['of the peer', 'peerPerSecond'],
      ['slowest hundredth', 'p99Ms', 'ms'],
      ['of the peer', 'peerP99Ms', 'ms'],
      ['longest wait', 'longestMs', 'ms'],
      ['refused', 'failures'],
    ],
  },
  explore: {
    title: 'Following citations',
    compared: `Does following citations find what a search does not? On cacm, whose citation links are real: 52 queries with 796 judged works. Each
exploration stands beside a hybrid search of exactly as many works, and both together beside a search as large as both. Of the same number of works
an exploration finds fewer; it finds others.`,
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
      ['works looked at, mean', 'meanWorks'],
      ['recall', 'recall'],
      ['recall of the search', 'peerRecall'],
      ['recall of both together', 'recallOfEither'],
      ['recall of a search as large as both', 'peerRecallAtThatSize'],
      ['queries for which exploring is better', 'betterQueries'],
      ['worse', 'worseQueries'],
      ['found by exploring alone', 'foundOnlyByExploring'],
      ['by the search alone', 'foundOnlyByPeer'],
      MEMORY,
    ],
  },
  profile: {
    title: 'Where the time of a search goes',
    compared: `The same program twice, sampled while it answers 300 real questions of 100,000 records: as it is, and with words ranked by SQL alone, as where
the lists of the index cannot be read. Milliseconds a search; sampling slows it down, so the shares say more than the sums.`,
    isFast: true,
    headline: () => false,
    phases: /^(\d+[kM] \w+), (before|after)$/,
  },
}
