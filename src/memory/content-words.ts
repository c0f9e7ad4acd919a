/** The words of a sentence that tell something, each once, in small letters. */

const WORD = /[\p{L}\p{N}]+(?:['’._-][\p{L}\p{N}]+)*/gu
/** These scripts have no spaces: a word is a pair of letters. */
const NO_SPACES = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u

/** Words that hold a sentence together in English, German, French or Spanish, and greetings. */
const EMPTY = new Set(
  `a about after all also am an and any are as at be because been before but by can could did do does for from had has have
  he her here hers hi him his hello hey how i i'm if in into is it it's its just me more most my no not now of ok okay on one
  or our out over please really she should so some such than thank thanks that that's the their them then there these they
  this those to too up us very was we well were what when where which while who why will with would yeah yes you your
  auch auf aus bei das dass dem den der des die ein eine einen einer er es für hat ich im in ist mit nicht oder sich sie
  sind so und uns von war wie wir zu au aux avec ce ces dans de des du elle en est et il ils je la le les mais ne nous ou par
  pas pour que qui se sur un une vous al como con del el ella en es esta este la las lo los más me mi no o para pero por que se
  sin su sus un una y ya`.split(/\s+/),
)

export function contentWords(text: string): ReadonlySet<string> {
  const words = new Set<string>()
  for (const [match] of text.toLowerCase().matchAll(WORD)) {
    if (NO_SPACES.test(match)) addPairs(words, [...match])
    else if (!EMPTY.has(match.replaceAll('’', "'"))) words.add(match)
  }
  return words
}

function addPairs(words: Set<string>, letters: readonly string[]): void {
  if (letters.length === 1) words.add(letters[0] ?? '')
  for (let i = 1; i < letters.length; i++) words.add(`${letters[i - 1]}${letters[i]}`)
}
