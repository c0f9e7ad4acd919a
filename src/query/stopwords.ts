/** The words that carry no content of their own are one list, the one the ranking was measured with. */

export const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    'a an and are as at be but by for if in into is it no not of on or such that the their ' +
    'then there these they this to was will with what which who whom whose when where why how ' +
    'do does did i you he she we me my your his her our us been being were has have had can ' +
    'could would should about from than so any all some more most other over under between ' +
    'after before during also may might shall'
  ).split(' '),
)

export function isStopWord(word: string): boolean {
  return STOP_WORDS.has(word.toLowerCase())
}
