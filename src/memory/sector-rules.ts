/** Promise: why a memory is sorted as it is stands in one table, in words a person can read. */

import type { Sector } from '../core/record.js'
import { COMMAND, DATE, FIGURE, OUTCRY, PAST_VERB, VERB_FIRST } from './sector-shapes.js'

/**
 * Cues are words or phrases with `|` between them, compared as whole words without regard to case. `frustrat*` is every
 * word that begins so, `*ing` every word that ends so, `*` any one word. A `shape` is a pattern for what cues cannot say.
 */
export type SectorRule = {
  /**
   * 5 and 4: says so outright. 3: a clear sign. 2: a sign. 1: a hint, which alone decides nothing. Insights and feelings
   * are mostly told in the past tense, so their signs outweigh those of an event.
   */
  readonly weight: 1 | 2 | 3 | 4 | 5
  readonly reason: string
  /** Where the first word of a cue must stand; anywhere unless given. A clause begins after a comma too. */
  readonly at?: 'sentence' | 'clause'
  readonly cues?: string
  readonly shape?: RegExp
}

// biome-ignore format: one rule after another, not one word after another
export const SECTOR_RULES: Readonly<Record<Sector, readonly SectorRule[]>> = {
  episodic: [
    { weight: 3, reason: 'a moment in the past', cues: `yesterday | ago | last night | last week | last month
      | last year | last summer | last winter | last monday | last tuesday | last wednesday | last thursday
      | last friday | last saturday | last sunday | this morning | earlier today | just now | the other day
      | gestern | vorgestern | heute morgen | letzte woche | letzten monat | avant-hier | hier soir | hier matin
      | ce matin | la semaine dernière | le mois dernier | ayer | anoche | la semana pasada | el mes pasado` },
    // Inside a German sentence "hier" is "here".
    { weight: 3, reason: 'yesterday, in French', at: 'sentence', cues: `hier le | hier la | hier nous | hier on
      | hier je` },
    { weight: 2, reason: 'somebody did something', shape: PAST_VERB, cues: `wir haben | haben wir | ich habe
      | habe ich | nous avons | j'ai | hemos | fuimos | hicimos | tuvimos` },
    { weight: 2, reason: 'a note in the past tense', at: 'sentence', cues: `*ed | had | met | ran | went | spoke
      | got | took | saw | sent | wrote | found | spent` },
    { weight: 1, reason: 'how it was then', cues: `was | were | wasn't | weren't | war | waren | était | estaba` },
    { weight: 1, reason: 'a day or a month', cues: `on monday | on tuesday | on wednesday | on thursday
      | on friday | on saturday | on sunday | in january | in february | in march | in april | in may | in june
      | in july | in august | in september | in october | in november | in december | am montag | am dienstag
      | am mittwoch | am donnerstag | am freitag | am samstag | am sonntag | el lunes | el martes | el jueves
      | el viernes | el sábado | el domingo` },
    { weight: 1, reason: 'a date or a time of day', shape: DATE },
    { weight: 1, reason: 'an occasion or a stretch of time', cues: `during the | during our
      | at the standup | at the meeting | in the meeting | at the conference | on the phone | in the call
      | on the call | in our session | at lunch | at dinner | over lunch | over dinner | all day | all night
      | the whole day | the whole morning | the whole afternoon | the whole evening | overnight | minutes later
      | hour later | hours later | days later | for * hours | for a week | for * days | while we were
      | while i was` },
  ],
  semantic: [
    { weight: 2, reason: 'a definition', cues: `is a | is an | is the | are the | are a | is one of | means
      | stands for | refers to | is called | is defined as | consists of | known as | is short for | ist ein
      | ist eine | ist der | ist die | ist das | bedeutet | est un | est une | est le | est la | signifie | es un
      | es una | es el | es la | significa` },
    { weight: 2, reason: 'what something has, does or needs', cues: `contains | includes | supports | requires
      | uses | runs on | lives in | lives at | listens on | costs | weighs | covers | belongs to | depends on
      | works as | works at | works for | expires | keeps | stores | returns | provides | prevents | allows
      | begins | opens | closes | takes place | has a | has an | has no | has two | has three | has about | speaks
      | owns | there are | there is | enthält | kostet | läuft auf | nutzt | contient | utilise | contiene | tiene
      | utiliza` },
    { weight: 3, reason: 'plain data', cues: `birthday | timezone | time zone | phone number | email address
      | home address | allergic to | allergy | capital of | by default | named | located in | was born | were born
      | was founded | was invented | named after | vegetarian | vegan | nationality` },
    { weight: 1, reason: 'how things are', cues: `is on | is in | is at | are on | are in | is from | is *ed
      | are *ed | have | has | every day | every week | every month | every year | each | per` },
    { weight: 1, reason: 'a figure with its unit', shape: FIGURE },
  ],
  procedural: [
    { weight: 4, reason: 'it says how', cues: `how to | step by step | step 1 | in order to
      | make sure | be sure to | remember to | wie man | comment faire | cómo hacer | instructions for` },
    { weight: 4, reason: 'a rule of doing', at: 'clause', cues: `always | never | don't | do not | please | immer
      | niemals | nie | bitte | toujours | jamais | ne * pas | siempre | nunca` },
    { weight: 3, reason: 'what must be done', cues: `must be *ed | must not | you must | we must | they must | have to | has to | need to | needs to
      | should | you need to | you'll need | you have to | not allowed | muss | müssen | il faut | hay que` },
    { weight: 2, reason: 'an aim, and then the way to it', at: 'sentence', cues: `to | um | pour | para` },
    { weight: 3, reason: 'an instruction', at: 'clause', shape: VERB_FIRST, cues: `add | answer | apply | ask
      | assign | attach | avoid | bake | boil | build | bump | call | change | check | choose | clean | click
      | clone | close | comment | commit | configure | connect | copy | create | cut | delete | deploy | disable
      | document | download | enable | ensure | enter | escape | export | fill | fix | follow | format
      | forward | get | give | go to | heat | hold | import | include | install | keep | kill | let it | let them | let the | log in
      | merge | mix | move | name | open | pass | pick | place | plug | pour | preheat | prefer | prefix | press
      | pull | push | put | read | rebase | rebuild | remove | rename | replace | reply | reset | respond
      | restart | rinse | rotate | run | save | select | send | set | show | sign in | skip | squash | start
      | stir | stop | store | switch | tag | take | tell | test | try | turn | type | unplug | update | upload
      | use | verify | wait | wash | wrap | write` },
    { weight: 3, reason: 'an instruction in German, French or Spanish', cues: `klicke | klicken | öffne | öffnen
      | starte | verwende | benutze | drücke | cliquez | clique | ouvrez | exécutez | lancez | utilisez | appuyez
      | haz | ejecuta | abre | pulsa | mantén | escribe` },
    { weight: 2, reason: 'a command', shape: COMMAND },
    { weight: 1, reason: 'when it is to be done', at: 'sentence', cues: `first | if | when | whenever
      | before | after | for | in case | wenn | bevor | avant | si | antes | cuando` },
    { weight: 1, reason: 'one thing after another, or instead of another', cues: `then | and then | finally
      | afterwards | instead | before you | after you | until | you can | danach | anschließend | ensuite | puis
      | después | luego` },
  ],
  emotional: [
    { weight: 4, reason: 'a feeling is named', cues: `frustrat* | angry | anger | furious | infuriat* | happy
      | happier | happiness | unhappy | sad | sadness | anxious | anxiety | worried | worries | excited | exciting
      | thrilled | delight* | proud | ashamed | embarrass* | afraid | scared | scary | terrif* | lonely | grateful
      | thankful | relieved | upset | annoy* | disappoint* | jealous | envious | miserable | depressed
      | overwhelmed | stressed | nervous | joy | cheerful | devastated | heartbroken | homesick | fed up | sick of
      | tired of | tears | cry | cried | crying | calm | bored | hopeless | hopeful | guilty | irritated
      | enthusiastic | impatient | glad | pleased | insecure | uncomfortable | awkward | desperate | shocked
      | outraged | resent* | panic* | discouraged | exhausted | touched by | grief | griev* | disgust* | wonderful
      | awful | horrible | lovely` },
    { weight: 4, reason: 'love or aversion', cues: `love | loves | loved | hate | hates | hated | adore*
      | can't stand | cannot stand | despise* | dislike* | enjoy* | fond of | i miss | misses | missed her
      | missed him | my heart | can't wait | looking forward | dread*` },
    { weight: 4, reason: 'a feeling in German, French or Spanish', cues: `traurig | wütend | glücklich
      | enttäuscht | frustriert | stolz | freue mich | froh | liebe | hasse | verärgert | begeistert | nervös
      | angst | heureux | heureuse | triste | fier | fière | en colère | déçu | déçue | ravi | ravie | peur
      | j'adore | j'aime | je déteste | inquiet | inquiète | feliz | contento | contenta | enfadado | enfadada
      | frustrado | frustrada | orgulloso | orgullosa | me encanta | odio | preocupado | preocupada | miedo` },
    { weight: 3, reason: 'somebody feels, likes or suffers', cues: `means a lot | i feel | i felt | we feel | we felt | he felt
      | she felt | feels | feeling | i like | likes | liked | don't like | doesn't like
      | didn't like | makes me | makes him | makes her | made me feel
      | hurt | hurts | painful | smil* | laugh*` },
    { weight: 1, reason: 'an outcry', shape: OUTCRY, cues: `ugh | wow | yay | sigh | argh | really | terribly
      | honestly` },
  ],
  reflective: [
    { weight: 5, reason: 'looking back', cues: `looking back | in hindsight | with hindsight | in retrospect
      | on reflection | thinking about it | all along | rückblickend | im nachhinein | avec le recul
      | mirando atrás | en retrospectiva` },
    { weight: 5, reason: 'something was learned', cues: `lesson from | lesson is | lesson was | lessons
      | lesson learned | insight | insights | takeaway | takeaways | took away from | learned that | learnt that
      | i've learned | i learned | i've learnt | taught me | realised | realized | realise | realize | realising
      | realizing | turns out | turned out that | dawned on | made it clear | gelernt dass | mir wurde klar
      | j'ai compris | j'ai appris | me di cuenta | aprendí` },
    { weight: 5, reason: 'what might have been', cues: `should have | shouldn't have | could have | would have
      | we'd have | i'd have | if we had | if i had | had i | had we | i wish | i regret | hätten wir | hätte ich
      | aurions dû | aurais dû | deberíamos haber | debería haber | debimos` },
    { weight: 5, reason: 'a change of mind or of habit', cues: `used to think | used to believe | now i see
      | next time | from now on | going forward | over the years | come to see | come to value | come to believe
      | changed my mind` },
    { weight: 4, reason: 'a pattern, a cause or a weakness', cues: `the real problem | root cause | wrong problem
      | the pattern | tend to | tends to | underestimat* | overestimat* | overlook* | misjudg*
      | mistake was | a mistake | mistook | hard way | we keep *ing | i keep *ing | the reason we | because we | because i
      | showed that | shows that | weakest point | our weakness | my weakness | every time we | every time i
      | whenever i | whenever we | pays off | paid off | what worked | what didn't` },
    { weight: 3, reason: 'a doubt or a judgement', cues: `perhaps | i should | i now | i believe | surprised me | to understand that | maybe we
      | maybe we're | maybe i | i wonder
      | i suspect | i guess | it seems | seems to | i notice | i noticed | better to | worth more than
      | the more i | the more we | the less i | the less we | in the end` },
  ],
}
