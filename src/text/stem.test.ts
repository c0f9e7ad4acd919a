import { describe, expect, test } from 'vitest'
import { completePrefix, stem } from './stem.js'

/** Common words with the suffixes that Porter removes. */
const WORDS = (
  'ability absolutely acceptance accidentally accommodation accountable achievement acquisition ' +
  'activation activities actually adaptation additional adjustable administration admission ' +
  'advertisement agreement allocation alternative ambitious amplification analysis analytical ' +
  'announcement anonymous anticipation apologies appearance application appointment appreciation ' +
  'appropriate approximately archaeology architecture argument arrangement articles artificial ' +
  'assessment assignment assistance association assumption attendance attractive authentication ' +
  'authorities authorization automatically availability awareness balanced banking beautiful ' +
  'beginning behavioural beliefs biological boundaries brightness broken building business ' +
  'calculation cancellation candidates capabilities capitalism carefully categories celebration ' +
  'certificates challenging characteristic chemistry citations cities classification clearly ' +
  'climate clustering coalition collaborative collection combination comfortable commercial ' +
  'commitment committee communication communities companies comparison compatibility compensation ' +
  'competitive complexity complication composition comprehensive compression computation concentration ' +
  'conclusion conditional conferences confidence configuration confirmation congratulations ' +
  'connection consciousness consequences conservation considerable consistency constitutional ' +
  'construction consultation consumption contemporary continuous contribution controlled ' +
  'conversation cooperation coordination copies correlation corruption creativity criticism ' +
  'cultural curiosity customers dangerous databases deadlines debugging decisions declaration ' +
  'decorative definition delicious deliveries demonstration dependencies deployment depression ' +
  'description designer destruction determination developers development dictionaries difference ' +
  'difficulties digitized dimensional disagreement disappointment discovery discrimination ' +
  'discussion displayed distances distribution documentation domestic dramatically duplicates ' +
  'economics editing education effectiveness efficiency elections electricity elementary ' +
  'embedding emotional emphasized employment encouragement encryption endangered engineering ' +
  'enjoyable entertainment enthusiasm environmental equality equipment escaping establishment ' +
  'estimates evaluation eventually evidence evolutionary examination exceptional exchanges ' +
  'excitement exclusively executable exercises existence expectations expensive experiences ' +
  'explanation exploration expressions extensive extraordinary facilities failing faithfulness ' +
  'familiarity fashionable favourite federalism feelings fictional fighting financially flexibility ' +
  'flies flooding following forgetful formalize formation fortunately foundation fragility ' +
  'frequencies friendliness frustration functionality fundamental generalization generations ' +
  'generosity geological goodness governments gradually graphical gratefulness guidance happened ' +
  'happiness helpfulness hesitancy hierarchical highlighted historical hopefulness hoping hopping ' +
  'hospitals humanity hydration hypotheses identification illustration imagination immediately ' +
  'immigration implementation implications importance impossible impression improvements incidents ' +
  'inclusive independence indexing indicators individuals industrialization inflation information ' +
  'initialize innovation inspection inspirational installation institutional instructions ' +
  'insurance integration intellectual intelligence intentionally interaction interesting ' +
  'international interpretation introduction investigation investments invitation isolation ' +
  'journalism judgement justification keyboards kindness knowledgeable laboratories languages ' +
  'leadership learning legislation libraries limitation listening literature localization locations ' +
  'logically loneliness machinery magnetism maintenance management manufacturing marketing ' +
  'materialism mathematical measurement mechanisms medication meetings memories migration ministries ' +
  'modernization modifications monitoring motivation movements multiplication musicians mysterious ' +
  'nationality navigation necessarily negotiation nervousness normalized notifications numerically ' +
  'objectives obligation observations occasionally occurrence operational opinions opportunities ' +
  'optimization organizational orientation originally painting parameters participation particularly ' +
  'partitioned patience payments perception perfectly performance permanently permissions personality ' +
  'persuasive philosophical photographs planning pleasant poetical policies politically popularity ' +
  'populations possibilities possibility practically precision predictable preferences preparation ' +
  'presentation preservation prioritize privacy probability processes productivity professional ' +
  'programming progressive projection promises pronunciation properties protection provisional ' +
  'psychological publication publicity punishment qualification questionable quietness ranking ' +
  'rationalism reactions readability realistically reasonable receptive recognition recommendations ' +
  'recovering recreational reduction references reflection registration regularly relational ' +
  'relationships relativity reliability religious remarkable remembered repetition replacement ' +
  'representative reproducible requirements researchers reservation resolution respectively ' +
  'responsibilities restoration restrictions retrieval revolutionary rotating sadness satisfaction ' +
  'scheduling scientifically searching secretaries securities segmentation sensational sensitivity ' +
  'separation seriousness settlement sharpness significance similarities simplification situation ' +
  'skillfully socialism solutions sophisticated specialization specifically stabilized standardization ' +
  'statistical statements stemming stories strategies strengthening structural studies studying ' +
  'subscription substantially successfully suggestion summaries supplementary surprisingly ' +
  'sustainability symbolic synchronization systematically technologies temperature temporarily ' +
  'tendencies theological thoughtfulness throttling tokenizer traditionally transactions ' +
  'transformation translation transportation triangular triplicate typically uncertainty ' +
  'understanding unfortunately universities university usefulness utilization vaccination validation ' +
  'valuable variations vegetation verification vietnamization violence visibility visualization ' +
  'vocabulary volunteered vulnerability weaknesses wonderful writing yesterday'
).split(' ')

describe('stem', () => {
  test('words of less than three bytes stay as they are', () => {
    for (const word of ['', 's', 'is', 'as', 'é']) expect(stem(word)).toBe(word)
  })

  test('words of more than 64 bytes stay as they are, counted in UTF-8', () => {
    expect(stem(`${'ab'.repeat(30)}ings`)).toBe('ab'.repeat(30))
    expect(stem(`${'ab'.repeat(30)}sings`)).toBe(`${'ab'.repeat(30)}sings`)
    expect(stem(`${'é'.repeat(31)}aings`)).toBe(`${'é'.repeat(31)}aings`)
  })

  test('well-known words have their well-known stems', () => {
    const pairs = 'running run, hoping hope, hopped hop, organizations organ, happiness happi'
    for (const pair of pairs.split(', ')) {
      const [word = '', root] = pair.split(' ')
      expect(stem(word)).toBe(root)
    }
  })

  test('a cached stem equals the computed one', () => {
    for (const word of WORDS) expect(stem(word)).toBe(stem(word))
  })
})

const listStems = (prefix: string) => completePrefix(prefix).map((completion) => completion.stem)

describe('completePrefix', () => {
  test('a half-typed word gives the stem of the whole word', () => {
    expect(listStems('universi')).toEqual(['univers'])
    expect(listStems('authentica')).toContain('authent')
    expect(listStems('deploymen')).toContain('deploy')
    expect(listStems('organizatio')).toContain('organ')
    expect(listStems('happines')).toContain('happi')
    expect(listStems('hopi')).toContain('hope')
    expect(listStems('hopp')).toContain('hop')
  })

  test('each stem comes with a word for the query, because FTS5 stems the query', () => {
    expect(stem('deploy')).toBe('deploi')
    for (const prefix of ['deploymen', 'universi', 'organizatio', 'possibili']) {
      expect(completePrefix(prefix).length).toBeGreaterThan(0)
      for (const completion of completePrefix(prefix)) {
        expect(stem(completion.word)).toBe(completion.stem)
        expect(completion.word.startsWith(prefix)).toBe(true)
      }
    }
  })

  test('a short prefix gives none, because its own stem matches every word', () => {
    for (const prefix of ['', 'a', 'au', 'auth', 'dep', '東', 'café']) {
      expect(listStems(prefix)).toEqual([])
    }
  })

  test('the stems are few, distinct, and not matched by the stem of the prefix', () => {
    const wrong: string[] = []
    for (const word of WORDS) {
      for (let length = 1; length <= word.length; length += 2) {
        const prefix = word.slice(0, length)
        const stems = listStems(prefix)
        const isWrong = stems.some((each) => each.startsWith(stem(prefix)))
        if (isWrong || stems.length > 4 || new Set(stems).size < stems.length) wrong.push(prefix)
      }
    }
    expect(wrong).toEqual([])
  })

  test('nearly every prefix of a real word finds that word', () => {
    let tried = 0
    const missed: string[] = []
    for (const word of WORDS) {
      for (let length = 4; length <= word.length; length++) {
        const prefix = word.slice(0, length)
        tried++
        const isHit = stem(word).startsWith(stem(prefix)) || listStems(prefix).includes(stem(word))
        if (!isHit) missed.push(`${prefix}* misses ${word} (${stem(word)})`)
      }
    }
    expect(WORDS.length).toBeGreaterThan(300)
    // Measured: 10 of 4150. "analy*" is stemmed to "anali", "usefulness" to the too short "us".
    expect(missed.length / tried, missed.join('\n')).toBeLessThan(0.003)
  })
})
