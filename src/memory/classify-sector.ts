/** Sorts a memory into one of five sectors by about thirty weighted cues, and gives the cues as reasons. */

import { SECTORS, type Sector } from '../core/record.js'
import { lazyPattern } from '../text/segment.js'

/** The beginning of a text shows its subject, and reading more takes longer. */
export const MOST_READ_CHARS = 500
/** A lower sum says nothing. */
export const LEAST_POINTS = 2

/**
 * Weight 5 or 4: says so outright; 3: a clear sign; 2: a sign; 1: a hint, which alone decides nothing. Insights and
 * feelings are mostly told in the past tense, so their cues outweigh those of an event. Patterns see lower case.
 */
type SectorCue = {
  readonly weight: 1 | 2 | 3 | 4 | 5
  readonly reason: string
  readonly pattern: () => RegExp
}

/** A past tense without -ed. Those that look like their present ("put", "hit") are left out. */
const PAST = `began|bought|broke|brought|built|came|caught|chose|drove|fell|felt|flew|forgot|found|gave|got|grew|had
  |heard|held|kept|left|lost|made|met|paid|ran|rode|said|sat|saw|sent|slept|sold|spent|spoke|stole|stood|taught
  |threw|told|took|went|woke|won|wrote`
/** A word in -ed after these describes something: "is tagged", "the signed lease", "from dried plums". */
const DESCRIBING = `is|are|be|been|am|has|have|the|an?|of|in|by|with|from|for|and|or|to|so|not|my|our|his|her|their
  |your`
const VERB = `add|answer|ask|avoid|bring|buy|call|check|click|close|copy|create|delete|fill|get|give|go|hold|install
  |keep|let|look|make|move|open|press|push|put|read|remember|remind|remove|replace|reply|restart|run|save|send|set
  |show|start|stop|switch|take|tell|test|try|turn|update|use|wait|wash|write`
/** Words that may open a clause and are not verbs: "in the morning", "we all", "that a". */
const NO_VERB = `in|on|at|for|to|from|with|by|of|as|if|when|while|after|before|since|until|during|and|or|but|so|not
  |do|does|did|can|will|would|all|both|that|then|there|here|what|how|why|who|where|because|like|i|we|you|he|she|it
  |they|now|just|only|even|maybe|perhaps|every|half|once|one|nobody|nothing|never|no|yes|ok|${PAST}`

const join = (source: string): string => source.replace(/\s*\n\s*/g, '')
/** Whole words anywhere, and words that open a clause. */
const words = (source: string) => lazyPattern(`\\b(?<!-)(?:${join(source)})\\b(?!-)`, '')
const opening = (source: string) =>
  lazyPattern(`(?:^|[.!?;:,]\\s+|\\n\\s*)(?:${join(source)})\\b`, '')

// biome-ignore format: one cue a row
export const SECTOR_CUES: Readonly<Record<Sector, readonly SectorCue[]>> = {
  episodic: [
    { weight: 3, reason: 'a time in the past', pattern: words(`
      yesterday|ago|last (?:night|week|month|year|summer|winter|\\w+day)|this (?:morning|afternoon)|the other day
      |over the weekend|gestern|letzte woche|hier (?:soir|matin)|ce matin|ayer|anoche`) },
    { weight: 2, reason: 'somebody did something', pattern: words(`
      (?<!\\b(?:${DESCRIBING}) )(?:(?!need|speed|feed|hundred|wanted|seemed|used|limited|shared|called
      |\\w+-handed)[a-z][a-z-]+ed|${PAST})|wir haben|nous avons|hemos`) },
    { weight: 2, reason: 'a note in the past tense', pattern: opening(`
      (?!need|speed|hundred|used|limited|shared)[a-z][a-z-]+ed|${PAST}`) },
    { weight: 1, reason: 'how it was then', pattern: words(`was|were|did|didn't|could not|couldn't|had`) },
    { weight: 1, reason: 'a day, a date or an occasion', pattern: words(`
      (?:on|since) \\w+day|in (?:\\w+uary|\\w+ember|march|april|may|june|july|august|october|1[5-9]\\d\\d|20\\d\\d)
      |\\d{4}-\\d\\d-\\d\\d|at (?:\\d{1,2}:\\d\\d|noon|midnight)|during (?:the|our)|all (?:day|night)|halfway
      |on the way|twice|again|today`) },
  ],
  semantic: [
    { weight: 4, reason: 'plain data', pattern: words(`
      birthday|time ?zone|(?:phone|my) number|(?:email|home) address|allergic to|capital of|by default|located in
      |vegetarians?|(?:was|were) (?:born|founded|invented|built)|blood type`) },
    { weight: 2, reason: 'a definition', pattern: words(`
      (?:is|are|was|were) (?:an?|the|one of|called)|means|stands for|refers to|consists of|known as|ist (?:ein|eine
      |der|die|das)|est (?:un|une|le|la)|es (?:un|una|el|la)`) },
  ],
  procedural: [
    { weight: 4, reason: 'an instruction', pattern: opening(`
      (?:and |then |first |just |now |next |finally |also |only |not )*(?:${VERB})(?! (?:is|are|was|were|of
      |failed)\\b)|(?!(?:${NO_VERB})\\b)[a-z-]{2,}(?<!ed|ing|ly|s) (?:the|an?|your|my|our|his|her|their|it|them|all
      |each|every|up) \\w+`) },
    { weight: 4, reason: 'a rule', pattern: opening(`always|never|don't|do not|please|to do|todo|must|whoever`) },
    { weight: 4, reason: 'how to do something', pattern: words(`
      how to|step by step|step 1|make sure|remember to|remind me|action items?`) },
    { weight: 3, reason: 'what must be done', pattern: words(`
      must|have to|has to|needs? to|should(?:n't)? (?!have)|(?:is|are) to be|not allowed|go(?:es)? into|can only be
      |bitte|immer|niemals|müssen|il faut|toujours|hay que|siempre`) },
    { weight: 3, reason: 'a request or a proposal', pattern: words(`(?:can|could|would|will) you|let's`) },
    { weight: 3, reason: 'a command', pattern: () => /`[a-z][\w./-]* [^`]+`|(?:^|\s)\$ \w|\s--[a-z]|\b(?:npm|npx|git|docker|pip|curl|sudo|ssh) [a-z-]+/ },
  ],
  emotional: [
    { weight: 5, reason: 'a feeling is named', pattern: words(`
      afraid|angry|annoy(?:ed|ing)|anxious|ashamed|awful|bor(?:ed|ing)|delighted|depress\\w+|desperate|devastat\\w+
      |disappoint\\w+|disgust\\w+|dread\\w*|embarrass\\w+|excit\\w+|fed up|fright\\w+|frustrat\\w+|furious|glad
      |grateful|guilty|happy|happiness|heart(?:broken|ache|breaking)|homesick|hopeless|horrible|jealous|lonely
      |miserable|nervous|overjoyed|overwhelm\\w+|panick\\w*|proud|relieved|sad|scar(?:ed|y)|stress(?:ed|ful)|stung
      |stunned|terribl[ey]|terrif\\w+|thrill\\w+|upset|wonderful|worr(?:y|ies|ied)|traurig|glücklich|wütend
      |ich liebe|angst|triste|heureux|feliz|miedo`) },
    { weight: 5, reason: 'what it does to somebody', pattern: words(`
      (?:bothers|comforts|haunts|hurts|moves|touches) (?:me|us|him|her|them)|(?:makes|made) \\w+ (?:sad|happy|angry
      |cry|smile|laugh|sick)|broke my heart|drives me|in tears|awake|on edge|can't (?:wait|stand|bear)|cried|cry
      |crying`) },
    { weight: 4, reason: 'a feeling as a noun', pattern: words(`
      anger|anxiety|despair|envy|gratitude|grief|guilt|jealousy|joy|pride|rage|relief|sadness|shame|sorrow|tears`) },
    { weight: 4, reason: 'love or aversion', pattern: words(`
      (?:i|we|he|she|they|user|really|absolutely) (?:admires?|adores?|dislikes?|enjoys?|envy|hates?|hated|loathes?
      |loves?|loved|miss|missed)`) },
    { weight: 4, reason: 'a mood', pattern: words(`
      (?:feels?|felt|feeling|am|i'm|was|so) (?:so |very |really |a bit )?(?:alone|bad|down|empty|exhausted
      |good(?! at)|great|hurt|ignored|left out|lost|low|numb|sick|sorry|tense|tired|touched|useless|weak)`) },
    { weight: 2, reason: 'an outcry', pattern: () => /[!?]!|!(?:\s|$)|\p{Emoji_Presentation}|\b(?:ugh|wow|yay|damn|omg|hooray|phew)\b/u },
  ],
  reflective: [
    { weight: 5, reason: 'something was learned', pattern: words(`
      learn(?:ed|t) (?:that|how|not|the|from|a lot)|lessons?|taught (?:me|us)|on reflection|thinking about it
      |realis\\w+|realiz\\w+|turns out|dawned on|made (?:me|us) (?:think|see|realise|wonder|doubt)|in hindsight
      |in retrospect|looking back|takeaway|conclusion|insight|im nachhinein|j'ai (?:compris|appris)|me di cuenta`) },
    { weight: 5, reason: 'what might have been', pattern: words(`
      (?:should|could|would|might)(?:n't| not)? have|if (?:we|i) had|i (?:wish|regret)|hätten? (?:wir|ich)`) },
    { weight: 5, reason: 'a change of mind or habit', pattern: words(`
      used to (?:think|believe|be)|now i (?:see|understand|know)|i now|next time|going forward|over the years
      |come to (?:see|value|believe)|changed my mind|ha(?:s|ve) (?:changed|shifted|become|grown|made (?:me|us)
      |taught|helped)`) },
    { weight: 5, reason: 'a pattern, a cause or a weakness', pattern: words(`
      real problem|root cause|wrong (?:problem|question|thing|way)|(?:was|were) wrong|tends? to|(?:under
      |over)estimat\\w+|a mistake|(?:my|our) fault|hard way|(?:we|i) keep [a-z]+ing|the reason (?:we|i)
      |because (?:we|i|nobody)|comes? down to|explains why|suggests? that|show(?:s|ed) (?:me )?that|every time (?:we
      |i)|pa(?:ys|id) off|what (?:worked|didn't)|(?:less|more) about|not because`) },
    { weight: 4, reason: 'a doubt or a judgement', pattern: words(`
      perhaps|maybe|i (?:believe|think|suspect|guess|notice|wonder)|(?:i|we) (?:thought|assumed|don't think|doubt)
      |it seems|seems? to|is (?:mostly|really)|better (?:to|off)|(?:i )?feel (?:like (?:we|i)|that)|the (?:more
      |less) (?:i|we)|in the long run|kind of person|the price of|overall|for granted|what (?:we|i|matters)
      |not (?:every|everything|all)`) },
    { weight: 3, reason: 'how one usually is', pattern: words(`
      (?:i|we) (?:struggle|always|usually|often|never|rarely|only|tend)|find it (?:hard|easy)|when(?:ever)? (?:i|we)
      |myself|ourselves|too (?:much|little|fast|quickly|often|many|few|late|long)`) },
    { weight: 1, reason: 'one thing weighed against another', pattern: words(`
      rather than|than|compared (?:with|to)|fewer|mostly|worth|in the end|usually|the (?:best|worst|hardest)`) },
    { weight: 1, reason: 'about oneself or an idea', pattern: words(`
      i|i'm|i've|we|we're|we've|me|us|my|our|patience|trust|habits?|mistakes|success`) },
  ],
}

type Classified = { readonly sector: Sector; readonly because: readonly string[] }

/**
 * The sector with the largest sum of the weights of its cues, each of which counts once. `semantic` if the sum is below
 * `LEAST_POINTS` or if two sectors have the same sum.
 */
export function classifySector(text: string): Classified {
  const small = text.slice(0, MOST_READ_CHARS).toLowerCase().replaceAll('’', "'")
  const scored = SECTORS.map((sector) => {
    let points = 0
    const because: string[] = []
    for (const { weight, reason, pattern } of SECTOR_CUES[sector]) {
      const found = pattern().exec(small)?.[0]
      if (found === undefined) continue
      points += weight
      because.push(`${reason}: "${found.replace(/^[\s.!?;:,]+/, '').trim()}"`)
    }
    return { sector, points, because }
  }).sort((a, b) => b.points - a.points)
  const [best, second] = scored
  if (best === undefined || best.points < LEAST_POINTS) {
    return { sector: 'semantic', because: ['no cue says otherwise'] }
  }
  if (best.points === second?.points) {
    return { sector: 'semantic', because: [`equal points for ${best.sector} and ${second.sector}`] }
  }
  return { sector: best.sector, because: best.because }
}
