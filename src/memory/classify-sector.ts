/** Sorts a memory into one of five sectors by about thirty weighted cues, and gives the cues as reasons. */

import { SECTORS, type Sector } from '../core/record.js'
import { lazyPattern } from '../text/segment.js'

/** The beginning of a text says what it is about, and the time grows with the length. */
export const MOST_READ_CHARS = 500
/** A lower sum says nothing. */
export const LEAST_POINTS = 2

/**
 * Weight 5 or 4: says so outright; 3: a clear sign; 2: a sign; 1: a hint, which alone decides nothing. Insights and
 * feelings are mostly told in the past tense, so their cues outweigh those of an event.
 */
export type SectorCue = {
  readonly weight: 1 | 2 | 3 | 4 | 5
  readonly reason: string
  /** Tested against the text in lower case. */
  readonly pattern: () => RegExp
}

/** A past tense without -ed. Those that look like their present ("put", "hit") are left out. */
const PAST = `ate|became|began|bit|blew|bought|broke|brought|built|came|caught|chose|drank|drew|drove|fell|felt|flew|forgot
  |fought|found|froze|gave|got|grew|heard|held|hid|kept|laid|led|left|lent|lost|made|met|overslept|paid|ran|rang
  |rode|rose|said|sang|sank|sat|saw|sent|shook|shot|slept|sold|spent|spoke|stole|stood|struck|stuck|swam|taught
  |threw|told|took|tore|went|woke|won|wore|wrote`

/** A word in -ed after these describes something: "is tagged", "the signed lease", "from dried plums". */
const DESCRIBING = `is|are|be|been|am|has|have|it's|i'm|we're|the|an?|of|in|by|with|from|for|and|or|to|very
  |so|more|not|no|my|our|his|her|their|your`

const VERB = `add|answer|ask|avoid|bring|buy|call|check|click|close|commit|copy|create|delete|deploy|enter|feed|fill|find
  |follow|get|give|go|hold|install|keep|leave|let|log|look|make|merge|mix|move|open|order|pay|pick|pour|press|print|pull
  |push|put|read|reboot|remember|remind|remove|replace|reply|reset|restart|run|save|send|set|share|show|skip|start|stay
  |stir|stop|store|switch|tag|take|tell|try|turn|update|use|wait|wash|wear|write`

const FEELING = `afraid|amaz(?:ed|ing)|angr(?:y|ier|ily)|annoy(?:ed|ing|s)|anxious|appalled|ashamed|awful|bor(?:ed|ing)|calm
  |cheer(?:ful|ed)|crushed|delight(?:ed|ful)|depress\\w+|desperate|devastat\\w+|disappoint\\w+|disgust\\w+|dread\\w*
  |ecstatic|embarrass\\w+|excit\\w+|exhausting|fantastic|fed up|fright\\w+|frustrat\\w+|furious|glad|goosebumps
  |grateful|guilty|happ(?:y|ier|iest|ily|iness)|heart(?:broken|ache|breaking|warming)|helpless|homesick|hope(?:ful
  |less)|horribl[ey]|horrified|humiliat\\w+|impatient|irritat\\w+|jealous|lonely|loneliness|lovely|miserable|misery
  |nervous|nostalgi[ac]|outrag\\w+|overjoyed|overwhelm\\w+|panick\\w*|pissed|pleased|proud|relieved|sad|sadly
  |sadden\\w*|scar(?:ed|y)|shock(?:ed|ing)|sick of|stress(?:ed|ful)|stung|stunned|tearful|terribl[ey]|terrif\\w+
  |thankful|thrill\\w+|unbearable|uneasy|unhappy|upset\\w*|wonderful|worr(?:y|ies|ied|ying)|wretched`

/** What may open a clause and is no verb: "in the morning", "we all", "that a". */
const NO_VERB = `in|on|at|for|to|from|with|by|of|as|if|when|while|after|before|since|until|about|during|over|under|and|or|but|so
  |not|am|did|do|does|can|could|will|would|may|might|must|all|both|that|then|there|here|what|how|why|who|where
  |because|than|through|into|like|per|i|we|you|he|she|it|they|also|now|just|only|even|maybe|perhaps|such|quite
  |within|without|between|near|out|around|along|every|half|once|one|someone|nobody|nothing|something|everyone
  |everything|never|later|soon|no|yes|ok|oh|well|still|yet|${PAST}`

const join = (source: string): string => source.replace(/\s*\n\s*/g, '')
/** Whole words anywhere, and words that open a clause. */
const words = (source: string) => lazyPattern(`\\b(?<!-)(?:${join(source)})\\b(?!-)`, '')
const opening = (source: string) =>
  lazyPattern(`(?:^|[.!?;:,]\\s+|\\n\\s*)(?:${join(source)})\\b`, '')

// biome-ignore format: one cue a row
export const SECTOR_CUES: Readonly<Record<Sector, readonly SectorCue[]>> = {
  episodic: [
    { weight: 3, reason: 'a time in the past', pattern: words(`
      yesterday|ago|last (?:night|week|weekend|month|year|spring|summer|autumn|fall|winter|\\w+day)|this (?:morning
      |afternoon)|earlier today|just now|the other day|the next (?:day|morning)|over the weekend|that (?:evening
      |night)|when (?:i was|we were)|as a (?:child|kid)|back then`) },
    { weight: 3, reason: 'a time in the past, in German, French or Spanish', pattern: words(`
      gestern|vorgestern|letzte woche|heute morgen|hier (?:soir|matin|nous|on|je|la|le)|ce matin|la semaine dernière
      |ayer|anoche|la semana pasada|wir haben|nous avons|hemos|fuimos`) },
    { weight: 2, reason: 'somebody did something', pattern: words(`
      (?<!\\b(?:${DESCRIBING}) )(?:(?!need|indeed|speed|feed|hundred|wanted|needed|hoped|seemed|used|limited|shared
      |unused|called|followed|\\w+-handed)[a-z][a-z-]+ed|${PAST})|had (?:to|the|a|an|my|our|lunch|dinner|breakfast)
      |(?:he|she|\\w+) (?:quit|beat|hit|cut|put|let) (?:me|him|his|her|the|my|us)`) },
    { weight: 2, reason: 'a note in the past tense', pattern: opening(`
      (?!need|speed|hundred|unused|used|limited|shared)[a-z][a-z-]+ed|had (?:the|a|lunch|dinner)|${PAST}`) },
    { weight: 1, reason: 'how it was then', pattern: words(`
      was|were|wasn't|weren't|did|didn't|couldn't|could not|had|hadn't`) },
    { weight: 1, reason: 'a day, a date or an occasion', pattern: words(`
      (?:on|since) \\w+day|in (?:january|february|march|april|may|june|july|august|september|october|november
      |december|1[5-9]\\d\\d|20\\d\\d)|\\d{4}-\\d\\d-\\d\\d|at (?:\\d{1,2}:\\d\\d|noon|midnight|lunch|dinner
      |the (?:standup|meeting|conference))|during (?:the|our)|in the (?:call|meeting)|overnight|all (?:day|night
      |morning)|(?:hours?|days|weeks|minutes) later|halfway|on the way|right after|twice|again|today`) },
  ],
  semantic: [
    { weight: 4, reason: 'plain data', pattern: words(`
      birthday|time ?zone|(?:phone|my) number|(?:email|home) address|allergic to|allergy|capital of|by default
      |named (?:after)?|located in|(?:was|were) (?:born|founded|invented|built|designed|discovered|introduced
      |published)|vegetarians?|vegan|blood type`) },
    { weight: 2, reason: 'a definition', pattern: words(`
      (?:is|are|was|were) (?:an?|the|one of|called)|means|stands for|refers to|is defined as|consists of|known as
      |is short for|ist (?:ein|eine|der|die|das)|bedeutet|est (?:un|une|le|la)|es (?:un|una|el|la)`) },
  ],
  procedural: [
    { weight: 4, reason: 'an instruction', pattern: opening(`
      (?:and |then |first |just |now |next |finally |also |only |not )*(?:${VERB})(?! (?:is|are|was|were|of
      |failed)\\b)|(?!(?:${NO_VERB})\\b)[a-z-]{2,}(?<!ed|ing|ly|s) (?:the|an?|your|my|our|his|her|their|it|them|all
      |each|every|any|both|up) \\w+`) },
    { weight: 4, reason: 'a rule', pattern: opening(`
      (?:always|never|don't|do not|please|to do|todo|must|whoever|no \\w+ (?:on|before|after|without))`) },
    { weight: 4, reason: 'how to do something', pattern: words(`
      how to|step by step|step 1|in order to|make sure|be sure to|remember to|don't forget|remind me|action items?
      |instructions for`) },
    { weight: 3, reason: 'what must be done', pattern: words(`
      must|have to|has to|needs? to|should(?:n't)? (?!have)|ought to|(?:is|are) to be|you'll need|not allowed
      |may (?:not|only|be)|can only be|forbidden`) },
    { weight: 3, reason: 'a request or a proposal', pattern: words(`
      (?:can|could|would|will) you|let's|let us|i(?: want|'d like) you to`) },
    { weight: 3, reason: 'an instruction in German, French or Spanish', pattern: words(`
      bitte|immer|niemals|muss|müssen|klicke|starte|verwende|drücke|il faut|toujours|jamais|cliquez|ouvrez
      |lancez|utilisez|hay que|siempre|nunca|haz|ejecuta|abre|pulsa`) },
    { weight: 3, reason: 'a command', pattern: () => /`[a-z][\w./-]* [^`]+`|(?:^|\s)\$ \w|\s--[a-z]|\b(?:npm|npx|git|docker|kubectl|pip|curl|sudo|cargo|ssh) [a-z-]+/ },
    { weight: 3, reason: 'where something is put', pattern: words(`
      go(?:es)? (?:into|in|under|next to|through)|belong (?:in|under)`) },
  ],
  emotional: [
    { weight: 5, reason: 'a feeling is named', pattern: words(FEELING) },
    { weight: 5, reason: 'what it does to somebody', pattern: words(`
      (?:amuses|bothers|comforts|haunts|hurts|kills|moves|soothes|touches|warms) (?:me|us|him|her|them|my heart)
      |(?:makes|made|gives|gave) \\w+ (?:sad|happy|angry|cry|smile|laugh|mad|sick|nervous|chills|goosebumps|joy)
      |(?:broke|breaks|warmed) my heart|drives me|in tears|awake|on edge|can't (?:wait|stand|bear)|(?:cried|cry
      |crying|weeping|laughed)`) },
    { weight: 4, reason: 'a feeling as a noun', pattern: words(`
      anger|anguish|anxiety|despair|envy|fury|gratitude|grief|guilt|hatred|jealousy|joy|longing|pride|rage|regret
      |relief|remorse|resentment|sadness|shame|sorrow|tears|terror`) },
    { weight: 4, reason: 'love or aversion', pattern: words(`
      (?:i|we|he|she|they|you|user|really|absolutely|still|just|to) (?:admires?|adores?|appreciates?|cherish
      |despises?|detests?|dislikes?|dread|enjoys?|envy|hated?|hates|loathes?|loved?|loves|missed|miss|resents?
      |treasure)`) },
    { weight: 4, reason: 'a mood', pattern: words(`
      (?:feels?|felt|feeling|am|i'm|was|is|were|so|deeply) (?:so |very |really |a bit |quite )?(?:alone|bad|bitter
      |blue|content|cross|down|drained|empty|exhausted|good(?! at)|great|hurt|ignored|left out|lost|low|lucky|mad
      |moved|numb|rejected|relaxed|safe|sick|sorry|strange|stupid|tense|tired|torn|touched|useless|weak|weird)
      |got (?:cold feet|emotional)`) },
    { weight: 4, reason: 'a feeling in German, French or Spanish', pattern: words(`
      traurig|glücklich|wütend|ich liebe|angst|freue mich|stolz|triste|heureux|heureuse|content|en colère|peur|fier
      |fière|feliz|enojado|miedo|orgulloso|me encanta|odio`) },
    { weight: 2, reason: 'an outcry', pattern: () => /[!?]!|!(?:\s|$)|\p{Emoji_Presentation}|\b(?:ugh|wow|yay|alas|damn|omg|hooray|argh|phew|sigh)\b/u },
  ],
  reflective: [
    { weight: 5, reason: 'something was learned', pattern: words(`
      learn(?:ed|t) (?:that|how|not|more|the|from|a lot)|lessons? (?:learned|is|was|for|from)|the lesson
      |taught (?:me|us) (?!to)|on reflection|thinking about it|realis\\w+|realiz\\w+|turns out|turned out that
      |dawned on|made (?:me|us|it) (?:think|clear|realise|wonder|doubt)|makes (?:me|us) (?:think|wonder|doubt)
      |opened my eyes|in hindsight|in retrospect|looking back|takeaway|conclusion|insight|gelernt|mir wurde klar
      |im nachhinein|j'ai (?:compris|appris)|me di cuenta`) },
    { weight: 5, reason: 'what might have been', pattern: words(`
      (?:should|shouldn't|could|would|wouldn't|might)(?: not)? have|(?:we|i)'d have|if (?:we|i) (?:had|could)
      |i (?:wish|regret)|hätten? (?:wir|ich)|aur(?:ions|ais)|deber(?:íamos|ía) haber`) },
    { weight: 5, reason: 'a change of mind or habit', pattern: words(`
      used to (?:think|believe|be)|now i (?:see|understand|know|think)|i (?:now|see now)|next time|going forward
      |over the years|come to (?:see|value|believe|think)|changed my mind|no longer believe|ha(?:s|ve) (?:changed
      |shifted|become|grown|made (?:me|us)|taught|helped me)|(?:i|we)'ve (?:become|grown|come to|started to|stopped)
      |i have (?:stopped|become)`) },
    { weight: 5, reason: 'a pattern, a cause or a weakness', pattern: words(`
      (?:the )?real problem|root cause|wrong (?:problem|question|thing|way|metric|reasons?)|(?:was|were) wrong
      |the pattern|tends? to|(?:under|over)estimat\\w+|overlook\\w*|misjudg\\w+|a mistake|mistake was|mistook|(?:my
      |our) (?:fault|weakness)|that's (?:on me|why)|hard way|(?:we|i) keep [a-z]+ing|the reason (?:we|i)
      |because (?:we|i|nobody)|(?:comes?|boils) down to|explains why|suggests? that|show(?:s|ed) that|(?:every
      |each) time (?:we|i)|pa(?:ys|id) off|(?:right|wrong|good|bad) (?:decision|choice|idea)|worth (?:it|more than)
      |what (?:worked|didn't)|(?:less|more) about|a lot to do with|not because|never about|(?:best|better|faster
      |more|less) when|works? for me`) },
    { weight: 4, reason: 'a doubt or a judgement', pattern: words(`
      perhaps|maybe|i believe|surprised me|(?:i|we) (?:thought|assumed|believed|don't think|doubt)|to (?:see
      |understand) (?:what|that|how)|it took (?:me|us)|it seems|somehow|as long as|only works|is (?:mostly|really
      |actually)|was (?:really|never)|seems? to|i noticed|better (?:to|off)|would (?:rather|be better)
      |(?:i )?feel (?:like (?:we|i)|that)|the (?:more|less) (?:i|we)|in the long run|kind of person|the price of
      |overall|on the whole|for granted|(?:did not|didn't) expect|what (?:we|i|matters)|not (?:every|everything|all)`) },
    { weight: 3, reason: 'how one usually is', pattern: words(`
      (?:i|we) (?:should|ought to|need to) be more|find it (?:hard|easy)|(?:i|we) (?:struggle|always|usually|often
      |never|rarely|only|tend)|i(?:'m| am) (?:good|bad|better|worse) at|over and over|again and again
      |when(?:ever)? (?:i|we)(?:'m| am| are| feel)?|too (?:much|little|fast|quickly|often|many|few|late|long)|myself
      |ourselves|(?:my|our) habits`) },
    { weight: 1, reason: 'one thing weighed against another', pattern: words(`
      rather than|than|compared (?:with|to)|fewer|mostly|worth|in the end|usually|the (?:best|worst|hardest|biggest)`) },
    { weight: 1, reason: 'about oneself or an idea', pattern: words(`
      i|i'm|i've|we|we're|we've|me|us|my|our|patience|trust|habits?|courage|discipline|doubt|failure|freedom|growth
      |honesty|mistakes|perspective|priorities|success|truth|wisdom`) },
  ],
}

export type Classified = { readonly sector: Sector; readonly because: readonly string[] }

/**
 * The sector with the largest sum of the weights of its cues, each of which counts once. `semantic` where the sum is below
 * `LEAST_POINTS` and where two sectors have the same.
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
