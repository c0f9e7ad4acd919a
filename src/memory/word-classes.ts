/** Words that do the same work in a sentence are one class, which a cue names as `<class>`. */

const listed = (words: string): string[] => words.trim().split(/\s+/)

/** Past tenses that do not end in -ed. Those that look like their present ("put", "hit") are in `unchanged`. */
const IRREGULAR_PAST = `ate awoke became began bent bit bled blew bought bound bred broke brought built burnt burst
  came caught chose clung crept dealt drank dreamt drew drove dug fed fell fled flew flung forgave forgot fought found
  froze gave got grew heard held hid hung kept knelt laid lay leapt learnt led left lent lit lost made met misheard
  mistook outgrew overcame overheard overslept overtook paid ran rang rebuilt reran rewrote rode rose said sang sank
  sat saw sent shone shook shot shrank slept slid slung smelt sold sought spent spilt spoke sprang spun stank stole
  stood strode struck stuck stung swam swept swore swung taught threw told took tore undertook undid went wept
  withdrew woke won wore wound wove wrote`

/** What one is told to do. */
const BASE_VERBS = `abort accept acknowledge activate add adjust adopt aim align allow amend analyse analyze answer
  append apply approve archive arrange ask assemble assign assume attach attend authenticate avoid bake be begin blend
  boil bookmark borrow break brew bring brush bump buy calculate calibrate cancel capture caramelise carry cc check
  chill choose chop cite clean clear click clone close collect combine comment commit compare compile complete
  compress compute conduct configure confirm connect consider contact convert coordinate copy correct crack create
  crop crumble crush cut dab debrief decide declare decline decrease define defrost delegate delete deliver deploy
  descale describe deselect detach determine dial dice dip disable discard disconnect discuss disinfect dispose
  dissolve distribute divide do double-check download drag drain dress drill drink drizzle drop dry duplicate eat edit
  eject embed emphasise empty enable encrypt enrol ensure enter erase escalate escape establish estimate evaluate
  examine exclude expand expect explain export extract feed fetch fill filter find finish fix flip flush fold follow
  forget forward freeze fry garnish gather generate get give glue go grab grate grease greet grill grind handle hang
  heat help hide highlight hold hover identify ignore implement import include increase inform inhale initialise
  insert inspect install introduce invest investigate invite invoke isolate iterate join justify keep kill knead
  lather launch learn leave let lift limit listen log look loosen lower maintain make manage marinate mash massage
  maximise melt memorise mention merge minimise mix monitor move mute navigate negotiate normalise normalize notify
  observe obtain offer omit open organise outline pack paste pause pay peel pick pin ping place plug polish pop
  postpone pour practise prefer prefix preheat prepare press print prioritise proceed protect provide prune publish
  pull purge push put raise read rebase rebook reboot rebuild recalculate recommend reconnect recycle redeploy
  redirect reduce refactor refer refresh register reheat reinstall reinstate reject reload rely remember remind remove
  rename renew reopen repair repeat rephrase replace reply require reschedule reserve reset resize resolve respond
  restart restore retry reuse revert revise revoke rinse roll rotate rub run sanitise sanitize save scan schedule
  scrape scroll scrub seal search see select send separate serve set shake share shorten show shut sign simmer
  simplify sit sketch skip sleep slice slide snooze soak solve sort speak specify spell spend split spread sprinkle
  squash squeeze stand start stay sterilise stick stir stop store strain stretch submit subtract suggest summarise
  suspend swap sweep switch tackle tag take tap tell thaw throw tick tighten toast toggle toss transfer translate
  transpose trim truncate try tune turn undo unlock unmute unpack unplug unscrew unsubscribe untick upload use vacuum
  validate verify wait wake warm warn wash watch wear weigh whip whisk wipe withdraw wrap write zip zoom`

/** The same, but nouns as often: "Test the backup", "Test failed". They are orders only where something says so. */
const VERBS_OR_NOUNS = `act balance block book build call change charge claim cook count cover draft drive email
  exercise file fire flag focus force form format group hand host index iron label lead link list load lock map mark
  match measure mind model mount name note number order paint park patch pipe plan plant plot point process queue
  quote rank record release report request rest return review round score season shape spray stack stage step study
  support talk test tie touch track train travel treat type update upgrade visit walk water work`

const FEELINGS = `adorable afraid aggrieved agitated agonising alarmed amazed amazing amused angry anguished annoyed
  anxious appalled apprehensive ashamed astonished awesome awestruck awful awkward betrayed bewildered blissful bored
  bummed cheerful comforting cranky crushed dejected delighted depressed depressing desperate devastated devastating
  disappointed disappointing discouraged disgusted disgusting disheartened dismayed distraught distressed downcast
  dreadful ecstatic elated embarrassed embarrassing embittered enraged enthusiastic envious euphoric exasperated
  excited exciting exhausting fantastic fascinated fearful frantic frightened frightening frustrated frustrating
  fuming furious giddy glad gloomy grateful grumpy guilty gutted happier happiest happy heartbreaking heartbroken
  heartwarming heavenly helpless homesick hopeful hopeless horrible horrified humiliated humiliating hysterical
  impatient infuriating insecure insulted insulting intimidated irritable irritated irritating jealous jittery joyful
  jubilant livid lonely lonesome lovely melancholic melancholy miffed miserable moody mortified nauseous nervous
  nostalgic offended outraged overjoyed overwhelmed overwhelming pained panicky paranoid passionate peeved petrified
  pissed pleased powerless proud queasy rattled relieved reluctant remorseful resentful restless sad saddened sadder
  scared scary self-conscious sentimental shaken shocked shocking sickened smitten soothing sorrowful speechless
  startled stressed stressful stunned sulky sullen sympathetic tearful teary terrible terrified terrifying thankful
  thrilled thrilling tormented touching traumatised unbearable uncomfortable uneasy unforgettable unhappy unloved
  unnerved unsettled unwanted upbeat upset upsetting vulnerable wary weepy wistful wonderful worn-out worried worrying
  worthless wretched`

const FEELING_NOUNS = `affection anger anguish anxiety awe bliss delight despair disappointment disgust dread
  embarrassment envy euphoria excitement frustration fury gratitude grief guilt happiness hatred heartache
  homesickness humiliation jealousy joy loneliness longing misery nostalgia outrage pity pride rage relief remorse
  resentment sadness shame sorrow sympathy tears tenderness terror unease woe worries worry`

/** What something does to somebody's heart: "bores me", "stung". */
const MOVING = `amazes amuses angers annoys astonishes bored bores bothers calms charms cheered cheers comforted
  comforts confuses crushed crushes delights depresses devastated discourages disgusts distresses disturbs embarrasses
  encourages enrages excites exhausts fascinates frightened frightens frustrates haunted haunts horrifies humiliates
  hurts infuriates insults intimidates irritates kills moved moves offends overwhelms pains pleases puzzles rattles
  relaxes saddened saddens scared scares shocks shook soothes startles stings stresses stung stuns suffocates tempts
  terrifies thrills torments touched touches troubles unnerves unsettles upsets warms wears worries wounds`

/** What somebody feels for somebody or something. */
const ATTACHED = `admire admires adore adored adores appreciate appreciates cherish cherishes crave craves despise
  despised despises detest detests dislike disliked dislikes dread dreaded dreading dreads enjoy enjoyed enjoying
  enjoys envied envies envy forgive forgives hate hated hates hating idolises loathe loathed loathes love loved loves
  loving mourn mourns pity regretted resent resented resents treasure treasures worship worships`

/** Feelings when somebody has them, something else when a thing has them: a server is down, too. */
const MOODS = `alone appreciated awkward bad bitter blessed blue content crazy cross dead done down drained empty
  exhausted good great hurt ignored left lost loved low lucky mad moved numb optimistic pessimistic rejected relaxed
  safe sick sorry strange stupid surprised tense terrible tired torn touched troubled understood unwell useless weak
  weird wounded`

/** Ideas that one thinks about rather than looks up. */
const IDEAS = `ambition assumption assumptions attitude awareness bias blame boredom burnout clarity comfort
  commitment communication compromise confidence courage creativity curiosity discipline doubt effort ego empathy
  expectation expectations failure failures fairness faith freedom friendship growth habit habits happiness honesty
  hope humility impatience importance independence instinct intuition judgement kindness leadership loneliness loyalty
  luck maturity mindset mistakes motivation optimism patience perfection perfectionism perspective perspectives
  priorities procrastination purpose responsibility self-respect silence simplicity strength strengths success talent
  trade-off trade-offs trust truth understanding urgency vanity wisdom`

/** How somebody is by nature or by habit. */
const TRAITS = `ambitious arrogant brave careful careless cautious complacent confident considerate cynical defensive
  disciplined dishonest distracted forgiving generous greedy honest humble impulsive indecisive lazy mindful modest
  naive open-minded patient perfectionist reckless self-critical selfish sloppy stubborn thoughtful tolerant unfair
  unkind vain wise`

/** To hold something true, or to come to. */
const THINKING = `assume believe conclude doubt figure find gather guess imagine notice reckon see sense suppose
  suspect think understand wonder`

export const WORD_CLASSES = {
  i: listed('i we'),
  me: listed('me us him them you'),
  my: listed('my our'),
  person: listed('i we you he she they'),
  past: listed(IRREGULAR_PAST),
  unchanged: listed('beat bet burst cost cut hit hurt let put quit read set shut split spread'),
  verb: listed(BASE_VERBS),
  act: listed(VERBS_OR_NOUNS),
  the: listed('a an the my our your his her its their this that some no one two three'),
  feeling: listed(FEELINGS),
  feelings: listed(FEELING_NOUNS),
  mood: listed(MOODS),
  moves: listed(MOVING),
  attached: listed(ATTACHED),
  idea: listed(IDEAS),
  trait: listed(TRAITS),
  think: listed(THINKING),
  seem: listed(
    'am is are was were be been feel feels felt get gets got look looks looked seem seems seemed sound sounds sounded',
  ),
  degree: listed(
    'absolutely all completely deeply extremely incredibly pretty quite rather really so terribly totally truly utterly very',
  ),
  better: listed(
    'better worse easier harder faster slower smarter wiser happier stronger weaker simpler longer sooner later calmer',
  ),
  weekday: listed('monday tuesday wednesday thursday friday saturday sunday'),
  month: listed(
    'january february march april may june july august september october november december',
  ),
} as const satisfies Readonly<Record<string, readonly string[]>>
