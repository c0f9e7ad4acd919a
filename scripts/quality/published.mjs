/** Published figures on the same sets, each with its source. */

const BEIR = '[BEIR paper](https://arxiv.org/abs/2104.08663), table 2'

/** `beside` is the system of Cairn that compares. */
export const PUBLISHED = [
  {
    set: 'scifact',
    system: 'BM25',
    figures: { 'ndcg@10': 0.665 },
    beside: 'keyword',
    source: BEIR,
  },
  {
    set: 'scifact',
    system: 'BM25 of Anserini',
    figures: { 'ndcg@10': 0.6789, 'recall@100': 0.9253 },
    beside: 'keyword',
    source:
      '[its regression page](https://github.com/castorini/anserini/blob/master/docs/regressions/regressions-beir-v1.0.0-scifact.flat.md)',
  },
  {
    set: 'scifact',
    system: 'all-MiniLM-L6-v2, full precision',
    figures: { 'ndcg@10': 0.64508, 'recall@10': 0.78333, 'recall@100': 0.925 },
    beside: 'semantic-minilm',
    source:
      '[results of the MTEB paper](https://github.com/embeddings-benchmark/mtebpaper/blob/main/results/all-MiniLM-L6-v2/SciFact.json)',
  },
  {
    set: 'scifact',
    system: 'ColBERT',
    figures: { 'ndcg@10': 0.671 },
    beside: 'hybrid',
    source: BEIR,
  },
  {
    set: 'scifact',
    system: 'BM25, reranked by a cross-encoder',
    figures: { 'ndcg@10': 0.688 },
    beside: 'hybrid',
    source: BEIR,
  },
  {
    set: 'locomo-turns',
    system: 'DRAGON, over all ten conversations',
    figures: { 'recall@5': 0.567, 'recall@10': 0.662 },
    beside: 'hybrid',
    source: '[LoCoMo paper](https://arxiv.org/abs/2402.17753), table 3',
  },
]
