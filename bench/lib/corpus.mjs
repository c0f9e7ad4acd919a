/** Generates English-like records and questions; the same seed gives the same ones on every machine. */

const VOCABULARY_SIZE = 50_000
const ZIPF_EXPONENT = 1.07
/** The first ranks are function words, which are drawn separately; content words begin here. */
const FIRST_CONTENT_RANK = 40
const FUNCTION_SHARE = 0.45
const TOPICS = 250
const WORDS_PER_TOPIC = 160
/** The share of a document's content that is about its topic. */
const TOPIC_SHARE = 0.35
/** The share of a question's content that is not about its topic. */
const GENERAL_SHARE = 0.35
const MEDIAN_WORDS = 60
const LENGTH_SIGMA = 0.85
const SHORTEST = 5
const LONGEST = 600
/** Every hundredth record has it, so a filter on it passes 1 %. */
export const RARE_NAMESPACE = 'rare'
export const MAIN_NAMESPACE = 'main'

/** Occurrences per thousand words of running English. */
const FUNCTION_WORDS = new Map(
  (
    'the:69 of:36 and:29 to:26 a:23 in:21 that:11 is:10 was:9.8 he:9.5 for:9.5 it:8.7 ' +
    'with:7.3 as:7.2 his:7 on:6.7 be:6.4 at:5.4 by:5.3 i:5.2 this:5.1 had:5.1 not:4.6 ' +
    'are:4.4 but:4.4 from:4.4 or:4.2 have:3.9 an:3.7 they:3.6 which:3.6 one:3.3 you:3.3 ' +
    'were:3.3 her:3 all:3 she:2.9 there:2.7 would:2.7 their:2.7 we:2.7 him:2.6 been:2.5 ' +
    'has:2.4 when:2.3 who:2.3 will:2.2 more:2.2 no:2.2 if:2.2 out:2.1 so:2 what:1.9 up:1.9 ' +
    'its:1.9 about:1.8 into:1.8 than:1.8 them:1.8 can:1.8 only:1.7 other:1.7 some:1.6 ' +
    'could:1.6 these:1.6 two:1.4 may:1.4 then:1.4 do:1.4 first:1.4 any:1.3 my:1.3 now:1.3 ' +
    'such:1.3 like:1.3 our:1.3 over:1.2 me:1.2 even:1.2 most:1.2 after:1.1 also:1.1 did:1 ' +
    'many:1 before:1 must:1 through:1 where:0.9 your:0.9 should:0.9 because:0.9 each:0.9 ' +
    'how:0.8 between:0.7 under:0.7 during:0.6'
  )
    .split(' ')
    .map((entry) => entry.split(':'))
    .map(([word, share]) => [word, Number(share)]),
)

const ONSETS =
  'b bl br c ch cl cr d dr f fl fr g gl gr h j k l m n p pl pr qu r s sc sh sl sp st str ' +
  't th tr v w z'
const VOWELS = 'a a a e e e i i o o u ai ea ee ou oa'
const CODAS = '- - - - b ck d ft g l ld m mp n nd nk nt p r rd rk rm rn rt s sk st t v x'

/** N is a noun, V is a verb; the rest is literal. */
const QUESTIONS = [
  'what is N',
  'who V the N',
  'why did the N V',
  'where is the N of N',
  'when was the N V',
  'how does the N of N V',
  'what is the N of the N',
  'which N should we V for N',
  'how can a N V the N',
  'did the N V before the N',
  'how does the N of N V the N',
  'what did they V about the N of N',
  'is there a N that could V our N',
  'why are the N and the N not V in N',
  'how should we V a N with the N of N',
  'what was the N that had to V the N and N',
  'which of the N would V more than the N of N',
]

/** The sequence of doubles in [0, 1) that `seed` names (mulberry32). */
export function createRandom(seed) {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/**
 * A vocabulary with topics. Records and questions come from separate random sequences, so a question
 * is never a part of a record, and the number of one does not change the other.
 */
export function createCorpus(seed = 1) {
  const random = createRandom(seed)
  const lemmas = makeLemmas(random)
  const drawLemma = createDraw(lemmas.map((_, i) => 1 / (i + FIRST_CONTENT_RANK) ** ZIPF_EXPONENT))
  const functionWords = [...FUNCTION_WORDS.keys()]
  const drawFunctionWord = createDraw([...FUNCTION_WORDS.values()])
  const topics = Array.from({ length: TOPICS }, () =>
    Array.from({ length: WORDS_PER_TOPIC }, () => pickTopicWord(random, lemmas)),
  )
  const drawTopicWord = createDraw(
    Array.from({ length: WORDS_PER_TOPIC }, (_, i) => 1 / (i + 3) ** ZIPF_EXPONENT),
  )
  return {
    records: (count) => {
      const draw = createRandom(seed + 1)
      const word = (topic) => {
        if (draw() < FUNCTION_SHARE) return functionWords[drawFunctionWord(draw)]
        const lemma =
          draw() < TOPIC_SHARE ? topics[topic][drawTopicWord(draw)] : lemmas[drawLemma(draw)]
        return inflect(lemma, draw)
      }
      return generate(count, (i) => makeRecord(i, draw, word))
    },
    questions: (count) => {
      const draw = createRandom(seed + 2)
      return [
        ...generate(count, () => makeQuestion(draw, { topics, drawTopicWord, lemmas, drawLemma })),
      ]
    },
    /** Common words first. */
    lemmas,
  }
}

function* generate(count, make) {
  for (let i = 0; i < count; i++) yield make(i)
}

/** Walker's alias method: an index by weight in constant time. */
function createDraw(weights) {
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  const shares = weights.map((weight) => (weight * weights.length) / total)
  const alias = new Uint32Array(weights.length)
  const small = []
  const large = []
  for (const [i, share] of shares.entries()) (share < 1 ? small : large).push(i)
  while (small.length > 0 && large.length > 0) {
    const low = small.pop()
    const high = large[large.length - 1]
    alias[low] = high
    shares[high] -= 1 - shares[low]
    if (shares[high] < 1) small.push(large.pop())
  }
  for (const i of [...small, ...large]) shares[i] = 1
  return (random) => {
    const i = Math.floor(random() * weights.length)
    return random() < shares[i] ? i : alias[i]
  }
}

/** Common words are shorter, as in every language. */
function makeLemmas(random) {
  const [onsets, vowels, codas] = [ONSETS, VOWELS, CODAS].map((list) => list.split(' '))
  const pick = (list) => list[Math.floor(random() * list.length)]
  const known = new Set(FUNCTION_WORDS.keys())
  const lemmas = []
  while (lemmas.length < VOCABULARY_SIZE) {
    const syllables = 1 + Math.round(random() + Math.min(1.6, lemmas.length / 8000))
    let word = ''
    for (let i = 0; i < syllables; i++) word += pick(onsets) + pick(vowels)
    const coda = pick(codas)
    if (coda !== '-') word += coda
    if (word.length < 3 || known.has(word)) continue
    known.add(word)
    lemmas.push(word)
  }
  return lemmas
}

/** A topic consists of words that are neither very common nor very rare. */
function pickTopicWord(random, lemmas) {
  return lemmas[Math.floor(60 * (lemmas.length / 80) ** random())]
}

function inflect(lemma, random) {
  const form = random()
  if (form < 0.6) return lemma
  const isOpen = /[aeiou]$/.test(lemma)
  const root = isOpen ? lemma.slice(0, -1) : lemma
  if (form < 0.78) return `${lemma}${/(s|x|z|ch|sh)$/.test(lemma) ? 'es' : 's'}`
  if (form < 0.87) return `${root}ed`
  if (form < 0.96) return `${root}ing`
  return `${root}ation`
}

function makeRecord(i, random, word) {
  const topic = Math.floor(random() * TOPICS)
  const words = Math.round(MEDIAN_WORDS * Math.exp(LENGTH_SIGMA * normal(random)))
  const titleWords = 3 + Math.floor(random() * 6)
  return {
    title: capitalise(Array.from({ length: titleWords }, () => word(topic)).join(' ')),
    body: makeText(Math.min(LONGEST, Math.max(SHORTEST, words)), random, () => word(topic)),
    tags: [`topic-${topic}`],
    namespace: i % 100 === 7 ? RARE_NAMESPACE : MAIN_NAMESPACE,
  }
}

function makeText(length, random, word) {
  const sentences = []
  let left = length
  while (left > 0) {
    const size = Math.min(left, 5 + Math.floor(random() * 20))
    let sentence = ''
    for (let i = 0; i < size; i++) {
      const comma = i > 2 && i < size - 2 && random() < 0.07 ? ',' : ''
      sentence += `${i === 0 ? '' : ' '}${word()}${comma}`
    }
    sentences.push(capitalise(sentence) + (random() < 0.06 ? '?' : '.'))
    left -= size
  }
  return sentences.join(' ')
}

function makeQuestion(random, { topics, drawTopicWord, lemmas, drawLemma }) {
  const topic = topics[Math.floor(random() * topics.length)]
  const form = QUESTIONS[Math.floor(random() * QUESTIONS.length)]
  const used = new Set()
  const content = () => {
    const isGeneral = random() < GENERAL_SHARE
    const lemma = isGeneral ? lemmas[drawLemma(random)] : topic[drawTopicWord(random)]
    if (used.has(lemma)) return content()
    used.add(lemma)
    return lemma
  }
  const words = form.split(' ').map((part) => {
    if (part === 'N') return content()
    return part === 'V' ? inflect(content(), random) : part
  })
  return `${words.join(' ')}?`
}

function normal(random) {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
}

function capitalise(text) {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
