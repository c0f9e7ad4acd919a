/** The rules for what goes on inside somebody: feelings, and what was learned. */

import type { SectorRule } from './sector-rule.js'
import { comparison, doingFirst, outcry } from './sector-shapes.js'

// biome-ignore format: one rule after another, not one word after another
export const FEELING_RULES: readonly SectorRule[] = [
  { weight: 5, reason: 'a feeling is named', cues: `<feeling> | frustrat* | infuriat* | terrif* | embarrass*
    | annoy* | disappoint* | delight* | disgust* | griev* | panicked | panicking | panic attack | fear of | my fear
    | fed up | sick of | tired of | tears | cry | cried | crying | calm | in love | worries about` },
  { weight: 4, reason: 'a feeling, as a noun', cues: `<feelings>` },
  { weight: 4, reason: 'love or aversion', cues: `<attached> | can't stand | cannot stand | couldn't stand | fond of
    | i miss | we miss | misses | missed her | missed him | can't wait | cannot wait | couldn't wait
    | looking forward | i trust | we trust | shocked by | came as a shock | can't bear | cannot bear | so sorry
    | thank you so much` },
  { weight: 4, reason: 'a mood', cues: `<seem> <degree> <mood> | really <mood> | i'm <degree> <mood> | <mood> about
    | sick with | i'm so | i am so | we're so | still <mood> | bit <mood> | not in the mood | in no mood
    | felt <mood> | feel <mood> | feels <mood> | feeling <mood> | seemed <mood> | seems <mood> | sounded <mood>
    | sounds <mood> | so <mood> | exhausted and | is exhausted | are exhausted | was exhausted | were exhausted
    | i am <mood> | i'm <mood> | i was <mood> | we are <mood> | we're <mood> | we were <mood> | he is <mood>
    | he's <mood> | he was <mood> | she is <mood> | she's <mood> | she was <mood> | they are <mood>
    | they were <mood> | still feel <mood> | feel so | felt so` },
  { weight: 5, reason: 'what it does to somebody', cues: `<moves> <me> | stung | makes me | makes us | makes him
    | makes her | make me | make us | made me feel | made me so | drives me | driving me | drove me | hit me hard
    | hit him hard | hit her hard | hit us hard | makes my | made my | make my | can't take | can't get over
    | can't cope | can't handle | can't breathe | can't sleep | couldn't sleep | cloud nine | my heart | broke my
    | breaks my | keeps me awake | keep me awake | gets me down | lights up | goosebumps | over the moon | on edge
    | at ease | butterflies | means the world | means a lot | smil* | laugh* | giggl* | sobbed | sobbing | to death
    | of my life | my nerves | my hands | shaking | lost it | can't believe | cannot believe | wits end | my stomach
    | lump in | broke me | broke him | broke us | got to me | blush* | trembl* | shiver* | sighed | grinn* | beamed
    | beaming | scream* | sulk* | take it anymore | too good to be true | worst * ever | best * ever | best day
    | worst day | breath away` },
  { weight: 4, reason: 'a feeling in German, French or Spanish', cues: `traurig | wütend | glücklich | enttäuscht
    | frustriert | stolz | freue mich | froh | liebe | hasse | verärgert | begeistert | nervös | angst | heureux
    | heureuse | triste | fier | fière | en colère | déçu | déçue | ravi | ravie | peur | j'adore | j'aime
    | je déteste | inquiet | inquiète | feliz | contento | contenta | enfadado | enfadada | frustrado | frustrada
    | orgulloso | orgullosa | me encanta | odio | preocupado | preocupada | miedo` },
  { weight: 3, reason: 'somebody feels, likes or suffers', cues: `i feel | i felt | we feel | we felt | he felt
    | she felt | feels | feeling | i like | likes | liked | don't like | doesn't like | didn't like | hurt | hurts
    | painful` },
  { weight: 2, reason: 'an interjection', cues: `ugh | wow | yay | sigh | argh | omg | hooray | hurray | woohoo
    | phew | yikes | damn | ouch | aww | thank god | thank you | thanks | best news | what a | what an | gosh` },
  { weight: 1, reason: 'an outcry', shape: outcry, cues: `really | terribly | honestly | absolutely | so much
    | such a | at last | so *ed` },
]

// biome-ignore format: one rule after another, not one word after another
export const INSIGHT_RULES: readonly SectorRule[] = [
  { weight: 5, reason: 'looking back', cues: `looking back | in hindsight | with hindsight | in retrospect
    | on reflection | thinking about it | thinking back | all along | taken together | rückblickend | im nachhinein
    | avec le recul | mirando atrás | en retrospectiva` },
  { weight: 5, reason: 'something was learned', cues: `the lesson | lesson from | lesson is | lesson was
    | lesson learned | lessons | insight | insights | takeaway | takeaways | took away from | learned that
    | learnt that | i've learned | i learned | i've learnt | have learned | taught <me> | teaches <me>
    | reminded <me> that | reminded <me> what | reminded <me> how | reminded <me> why | told <me> where
    | showed <me> how | showed <me> that | showed <me> what | shows <me> | made <me> see | made <me> think
    | made <me> realise | made <me> realize | makes <me> think | makes <me> doubt | makes <me> wonder
    | make <me> doubt | opened my eyes | realis* | realiz* | turns out | turned out that | dawned on | made it clear
    | have concluded | gelernt dass | mir wurde klar | j'ai compris | j'ai appris | me di cuenta | aprendí` },
  { weight: 5, reason: 'what might have been', cues: `should have | shouldn't have | could have | would have
    | wouldn't have | we'd have | i'd have | if we had | if i had | had i | had we | i wish | i regret | if i could
    | if we could | hätten wir | hätte ich | aurions dû | aurais dû | deberíamos haber | debería haber | debimos` },
  { weight: 5, reason: 'a change of mind or of habit', cues: `used to think | used to believe | used to be
    | now i see | i now see | i see now | now i understand | i understand now | now i know | now see that
    | next time | going forward | over the years | come to see | come to value | come to believe | come to think
    | changed my mind | no longer believe | has changed | have changed | has shifted | have shifted | has become
    | have become | am becoming | slowly becoming | have grown | has grown | has made me | has made us | has helped
    | has taught | grown into | i've become | we've become | i've grown | i've come to | i've started to
    | i've stopped | i have stopped | i have become` },
  { weight: 5, reason: 'a pattern, a cause or a weakness', cues: `the real problem | root cause | wrong problem
    | wrong question | wrong thing | wrong way | wrong metric | was wrong | were wrong | wrong reason
    | wrong reasons | the pattern | tend to | tends to | underestimat* | overestimat* | overlook* | misjudg*
    | misread | mistake was | a mistake | mistook | confuse | my fault | our fault | is on me | that's on me
    | hard way | i should be more | we should be more | need to be more | we keep *ing | i keep *ing | the reason we
    | the reason i | because we | because i | because nobody | come down to | comes down to | boils down to
    | that's why | explains why | suggests that | suggest that | showed that | shows that | weakest point
    | our weakness | my weakness | every time we | every time i | each time we | each time i | pays off | paid off
    | right decision | wrong decision | right choice | wrong choice | good decision | bad decision | good idea
    | bad idea | worth it | was worth | wasn't worth | what worked | what didn't | has more to do with
    | have more to do with | less about | more about | a lot to do with | connection between | link between
    | it's not the | it's not about | not because | never about | best by | best when | best in | best from
    | best with | better when | faster when | more when | less when | works for me | work for me | the *er i
    | the *er we | the *er the` },
  { weight: 4, reason: 'a doubt or a judgement', cues: `perhaps | maybe | i now | i believe | surprised me
    | to understand that | i thought | we thought | i assumed | we assumed | i believed | to see what | to see that
    | to see how | it took me | it took us | i don't think | we don't think | i am the kind | it seems
    | somehow | as long as | only works | is mostly | is really | is actually | was really | was never | seem to
    | seems to | i noticed | better to | better off | worth more than | would rather | would be better
    | feel like we | feel like i | i feel that | the more i | the more we | the less i | the less we
    | in the long run | at the end of the day | kind of person | the price of | overall | on the whole | for granted
    | did not expect | didn't expect | funny how | strange how | fair to | foolish` },
  { weight: 3, reason: 'how one usually is', cues: `hard time *ing | find it hard | find it easy | i struggle
    | we struggle | i'm bad at | i'm good at | i am good at | i am bad at | over and over | again and again
    | when i feel | when i am | when i'm | when we are | whenever i | whenever we | i always | we always | i usually
    | we usually | i often | we often | i never | we never | i rarely | we rarely | i only | too <better> | too much
    | too little | too fast | too quickly | too often | too many | too few | too late | too long | too optimistic
    | myself | ourselves | <my> habits` },
  { weight: 1, reason: 'one thing weighed against another', shape: comparison, cues: `rather than | more than
    | compared with | compared to | fewer | far less | far more | mostly | worth | most | in the end | usually
    | the best | the worst | the hardest | the biggest` },
  { weight: 1, reason: 'how somebody is by nature', cues: `<trait> | was too | were too | am too | are too` },
  { weight: 2, reason: 'an opinion', cues: `<i> <think>` },
  { weight: 1, reason: 'an idea rather than a thing', cues: `<idea>` },
  { weight: 1, reason: 'about oneself', cues: `i | i'm | i've | we | we're | we've | me | us | my | our` },
  { weight: 1, reason: 'about doing something', shape: doingFirst },
  { weight: 4, reason: 'what it was about', at: 'sentence', cues: `what we | what i | what matters | since i
    | once i | <my> best | <my> worst | <my> biggest | not every | not everything | not all` },
]
