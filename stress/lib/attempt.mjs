/** What an operation did is told in one shape: what it gave, or the code and the sentence it failed with. */

/** @returns `{ value }`, or `{ code, message }` of a CairnError, or `{ code: null, message }` of anything else. */
export async function attempt(operation) {
  try {
    return { value: await operation() }
  } catch (error) {
    const isOurs = error?.name === 'CairnError'
    return { code: isOurs ? error.code : null, message: String(error?.message ?? error) }
  }
}

/** A failure must be one sentence with this code. */
export function expectFailure(outcome, codes, what, problem) {
  const told = JSON.stringify(outcome).slice(0, 300)
  if (!codes.includes(outcome.code))
    problem(`${what} should fail with ${codes.join(' or ')}: ${told}`)
  else if (!/\S.*\.$/s.test(outcome.message)) problem(`${what} fails without a sentence: ${told}`)
}

export function expectValue(outcome, what, problem) {
  if (!('value' in outcome)) problem(`${what} failed: ${outcome.code} ${outcome.message}`)
  return outcome.value
}
