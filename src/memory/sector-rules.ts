/** Why a memory is sorted as it is stands in one table, in words a person can read. */

import type { Sector } from '../core/record.js'
import { FEELING_RULES, INSIGHT_RULES } from './inner-rules.js'
import type { SectorRule } from './sector-rule.js'
import { command, date, figure, pastFirst, pastVerb, verbFirst } from './sector-shapes.js'

// biome-ignore format: one rule after another, not one word after another
export const SECTOR_RULES: Readonly<Record<Sector, readonly SectorRule[]>> = {
  episodic: [
    { weight: 3, reason: 'a moment in the past', cues: `yesterday | ago | last night | last week | last weekend
      | last month | last year | last spring | last summer | last autumn | last fall | last winter | last <weekday>
      | last <month> | this morning | this afternoon | earlier today | earlier this week | just now | the other day
      | the next day | the next morning | the day before yesterday | over the weekend | that evening | that night
      | when i was | when we were | as a child | as a kid | back then | back in | gestern | vorgestern | heute morgen
      | letzte woche | letzten monat | avant-hier | hier soir | hier matin | ce matin | la semaine dernière
      | le mois dernier | ayer | anoche | la semana pasada | el mes pasado` },
    // Inside a German sentence "hier" is "here".
    { weight: 3, reason: 'yesterday, in French', at: 'sentence', cues: `hier le | hier la | hier nous | hier on
      | hier je` },
    { weight: 2, reason: 'somebody did something', shape: pastVerb, cues: `had to | had <the> | had lunch | had dinner
      | had breakfast | had coffee | he <unchanged> | she <unchanged> | it <unchanged> | i <unchanged> my
      | <unchanged> me | <unchanged> him | <unchanged> his | <unchanged> her | <unchanged> their | wir haben
      | haben wir | ich habe | habe ich | nous avons | j'ai | hemos | fuimos | hicimos | tuvimos` },
    { weight: 2, reason: 'a note in the past tense', at: 'sentence', shape: pastFirst, cues: `had <the> | had lunch
      | had dinner` },
    { weight: 2, reason: 'it was going on, or happened to somebody', cues: `was *ing | were *ing | was *en | were *en
      | was <past> | were <past> | was gone | were gone | was hit | was cut` },
    { weight: 1, reason: 'who did it', cues: `<person> *ed | <person> <past> | <person> just | i just *ed` },
    { weight: 1, reason: 'how it was then', cues: `was | were | wasn't | weren't | did | didn't | couldn't | had
      | hadn't | could not | used to | war | waren | était | estaba` },
    { weight: 1, reason: 'a day or a month', cues: `on <weekday> | since <weekday> | in <month> | am montag
      | am dienstag | am mittwoch | am donnerstag | am freitag | am samstag | am sonntag | el lunes | el martes
      | el jueves | el viernes | el sábado | el domingo` },
    { weight: 1, reason: 'a date or a time of day', shape: date, cues: `at noon | at midnight | at dawn | around noon` },
    { weight: 1, reason: 'an occasion or a stretch of time', cues: `during the | during our | at the standup
      | at the meeting | in the meeting | at the conference | on the phone | in the call | on the call
      | in our session | at lunch | at dinner | over lunch | over dinner | all day | all night | all morning
      | the whole day | the whole morning | the whole afternoon | the whole evening | overnight | minutes later
      | hour later | hours later | days later | weeks later | for * hours | for * minutes | for a week | for * days
      | while we were | while i was | halfway | on the way | just before | right after | twice | again | this week
      | today` },
  ],
  semantic: [
    { weight: 2, reason: 'a definition', cues: `is a | is an | is the | are the | are a | is one of | means
      | stands for | refers to | is called | are called | is defined as | was a | was an | was the | were the
      | consists of | known as | is short for | ist ein | ist eine | ist der | ist die | ist das | bedeutet | est un
      | est une | est le | est la | signifie | es un | es una | es el | es la | significa` },
    { weight: 2, reason: 'what something has, does or needs', cues: `contains | includes | supports | requires | uses
      | runs on | runs until | lives | listens on | costs | weighs | covers | belongs to | depends on | comes from
      | works as | works at | works for | works in | expires | keeps | stores | returns | provides | prevents | allows
      | begins | opens | closes | leaves | takes place | takes about | has a | has an | has no | has two | has three
      | has about | speaks | owns | holds | carries | prefers | reports to | goes to | doesn't <verb>
      | does not <verb> | can't eat | goes from | there are | there is | enthält | kostet | läuft auf | nutzt
      | contient | utilise | contiene | tiene | utiliza` },
    { weight: 4, reason: 'plain data', cues: `birthday | timezone | time zone | phone number | email address
      | home address | my number | allergic to | allergy | capital of | by default | named | located in | was born
      | were born | was founded | was invented | was built | was designed | was written by | was discovered
      | was developed | was created | was established | was published | was opened | was introduced | named after
      | vegetarian | vegetarians | vegan | nationality` },
    { weight: 1, reason: 'how things are', cues: `is | are | isn't | aren't | it's | have | has | doesn't | does not
      | every day | every week | every month | every year | each | per` },
    { weight: 1, reason: 'what is done to it', cues: `is *ed | are *ed | is <past> | are <past>` },
    { weight: 1, reason: 'a figure with its unit', shape: figure },
  ],
  procedural: [
    { weight: 4, reason: 'it says how', cues: `how to | step by step | step 1 | in order to | feel free to | make sure
      | be sure to | remember to | don't forget | remind me | action item | action items | wie man | comment faire
      | cómo hacer | instructions for` },
    { weight: 4, reason: 'a rule of doing', at: 'clause', cues: `always <verb> | always <act> | never <verb>
      | never <act> | don't <verb> | don't <act> | do not <verb> | do not <act> | please | to do | todo | must
      | whoever | no * on | no * before | no * after | no * without | no longer <verb> | immer | niemals | nie | bitte
      | toujours | jamais | ne * pas | siempre | nunca` },
    { weight: 3, reason: 'what must be done', cues: `must | have to | has to | need to | needs to | should
      | shouldn't be | ought to | is to be | are to be | you need to | you'll need | you have to | not allowed
      | may be *ed | may not | can only be | may only | forbidden | it is important to | muss | müssen | il faut
      | hay que` },
    { weight: 3, reason: 'a request or a proposal', cues: `can you | could you | would you | will you | i want you to
      | let's | let us | i'd like you to` },
    { weight: 3, reason: 'where something is put, or what we do each time', cues: `we <verb> every | we <act> every
      | we only <verb> | go into | go in | go under | go next to | goes into | goes in | goes under | goes next to
      | belong in | belong under | go through | goes through` },
    { weight: 2, reason: 'an aim, and then the way to it', at: 'sentence', cues: `to | um | pour | para` },
    { weight: 4, reason: 'an instruction', at: 'clause', shape: verbFirst, cues: `<verb> | call back | call mum
      | call dad | call mr | call mrs | call dr | first <verb> | first <act> | then <verb> | then <act> | just <verb>
      | just <act> | now <verb> | next <verb> | finally <verb> | simply <verb> | and then <verb> | also <verb>
      | only <verb> | not <verb>` },
    { weight: 3, reason: 'an instruction in German, French or Spanish', cues: `klicke | klicken | öffne | öffnen
      | starte | verwende | benutze | drücke | cliquez | clique | ouvrez | exécutez | lancez | utilisez | appuyez
      | haz | ejecuta | abre | pulsa | mantén | escribe` },
    { weight: 3, reason: 'a command', shape: command },
    { weight: 1, reason: 'when it is to be done', at: 'sentence', cues: `first | if | when | whenever | before | after
      | for | in case | once | wenn | bevor | avant | si | antes | cuando` },
    { weight: 1, reason: 'one thing after another, or instead of another', cues: `then | and then | finally
      | afterwards | instead | before you | after you | until | unless | and <verb> the | and <verb> it | you can
      | by *ing | danach | anschließend | ensuite | puis | después | luego` },
    { weight: 1, reason: 'by when, or how often', cues: `by <weekday> | by noon | by tomorrow | by the end of
      | by the * of | tomorrow | once a | twice a | within | from now on | at least` },
  ],
  emotional: FEELING_RULES,
  reflective: INSIGHT_RULES,
}
