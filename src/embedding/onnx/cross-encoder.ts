/** Scores how well passages answer a query, with a local cross-encoder in ONNX format. */

import { badModel, readModelFolder } from './model-folder.js'
import { type ImportPackage, importPackage, loadSession, type OnnxTensor } from './session.js'
import { loadTokens } from './tokens.js'

/** The tokens of query and passage together, as in the training of most cross-encoders. */
const WINDOW = 512

export type CrossEncoder = Awaited<ReturnType<typeof openCrossEncoder>>

/** Reads the folder, the tokenizer and the model. */
export async function openCrossEncoder(path: string, load: ImportPackage = importPackage) {
  const folder = await readModelFolder(path, WINDOW)
  const tokens = await loadTokens(folder, load)
  const session = await loadSession(folder, load)
  return {
    id: `onnx/${folder.name}@${folder.revision}`,
    /**
     * Returns a score from 0 to 1 for each passage. Runs one pair at a time: a batch is no faster on a CPU, and changes the
     * scores of a quantised model.
     */
    async score(
      query: string,
      passages: readonly string[],
      signal: AbortSignal,
    ): Promise<number[]> {
      const scores: number[] = []
      for (const passage of passages) {
        signal.throwIfAborted()
        const { ids, types } = tokens.encodePair(query, passage)
        scores.push(readScore(await session.infer([ids], [types]), folder.name))
      }
      return scores
    },
    close: () => session.release(),
  }
}

/** A single logit is the relevance. With two logits, the second one is the class "relevant". */
function readScore(outputs: readonly (OnnxTensor | undefined)[], name: string): number {
  const output = outputs.find((each) => each !== undefined && each.dims.length <= 2)
  const [first = Number.NaN, second] = Array.from(output?.data ?? [])
  const logit = second === undefined ? first : second - first
  if (Number.isFinite(logit) && (output?.data.length ?? 0) <= 2) return 1 / (1 + Math.exp(-logit))
  throw badModel(
    `The model "${name}" is not a cross-encoder: it gives no score for a pair of texts.`,
  )
}
