/** The judged sets, the systems that are measured on them, and the figures that the page shows. */

/**
 * Folders inside the folder of judged sets; a folder of folders is measured one by one and averaged over queries. Variants
 * are another view of a set: in the tables, not in the chart.
 */
export const SETS = [
  {
    name: 'scifact',
    title: 'SciFact',
    folder: 'scifact',
    asked: 'claims that scientists check',
    found: 'abstracts that support or refute them',
  },
  {
    name: 'cranfield',
    title: 'Cranfield',
    folder: 'cranfield',
    asked: 'questions by engineers',
    found: 'abstracts on aerodynamics',
  },
  {
    name: 'cisi',
    title: 'CISI',
    folder: 'cisi',
    asked: 'questions, and whole abstracts as questions',
    found: 'abstracts on information science',
  },
  {
    name: 'cacm',
    title: 'CACM',
    folder: 'cacm',
    asked: 'questions by programmers',
    found: 'articles of the Communications of the ACM, half of them only a title',
  },
  {
    name: 'locomo-turns',
    title: 'LoCoMo, turns',
    folder: 'locomo',
    asked: "questions about two people's chats over months",
    found: 'the turns that hold the answer',
  },
  {
    name: 'locomo-sessions',
    title: 'LoCoMo, sessions',
    folder: 'locomo',
    corpus: 'corpus_sessions.jsonl',
    qrels: 'qrels_sessions.tsv',
    asked: 'the same questions',
    found: 'the whole sessions that hold the answer',
  },
  {
    name: 'locomo-messages',
    title: 'LoCoMo, long messages',
    folder: 'locomo',
    joined: true,
    variant: true,
    asked: 'the same questions',
    found: 'turns joined to messages of 150 to 300 words',
  },
  {
    name: 'locomo-sessions-among',
    title: 'LoCoMo, sessions among titles',
    folder: 'locomo',
    corpus: 'corpus_sessions.jsonl',
    qrels: 'qrels_sessions.tsv',
    among: true,
    variant: true,
    asked: 'the same questions',
    found: 'the same sessions, among 3,000 titles of a bibliography',
  },
  {
    name: 'scifact-among',
    title: 'SciFact among titles',
    folder: 'scifact',
    among: true,
    variant: true,
    asked: 'the claims of SciFact',
    found: 'the same abstracts, among 3,000 titles of a bibliography',
  },
]

/** What hybrid search with the bundled model is meant to reach. */
export const BARS = [
  { set: 'scifact', measure: 'ndcg@10', least: 0.732 },
  { set: 'cranfield', measure: 'ndcg@10', least: 0.555 },
  { set: 'cisi', measure: 'ndcg@10', least: 0.436 },
  { set: 'cacm', measure: 'ndcg@10', least: 0.52 },
  { set: 'locomo-turns', measure: 'recall@10', least: 0.79 },
  { set: 'locomo-sessions', measure: 'recall@10', least: 0.953 },
  { set: 'locomo-sessions', measure: 'ndcg@10', least: 0.85 },
  { set: 'locomo-sessions-among', measure: 'ndcg@10', least: 0.82 },
  { set: 'scifact-among', measure: 'ndcg@10', least: 0.72 },
]

/** Each is asked in every mode, so that a hybrid search has both of its sides in the same run to be compared with. */
export const MODELS = ['static', 'minilm']

/** Each way to search, as the page calls it. Words alone need no model: one run's figures stand for both. */
export const SYSTEMS = [
  { id: 'keyword', model: 'static', mode: 'keyword', label: 'keyword' },
  { id: 'semantic', model: 'static', mode: 'semantic', label: 'semantic' },
  { id: 'hybrid', model: 'static', mode: 'hybrid', label: 'hybrid' },
  { id: 'semantic-minilm', model: 'minilm', mode: 'semantic', label: 'semantic, MiniLM' },
  { id: 'hybrid-minilm', model: 'minilm', mode: 'hybrid', label: 'hybrid, MiniLM' },
]

/** What is compared query by query: words and meaning together with each of them alone. */
export const AGAINST = ['keyword', 'semantic']

/** What the tables show of each figure. */
export const MEASURES = [
  { id: 'ndcg@10', title: 'nDCG@10' },
  { id: 'recall@10', title: 'recall@10' },
  { id: 'recall@100', title: 'recall@100' },
  { id: 'mrr@10', title: 'MRR@10' },
]
