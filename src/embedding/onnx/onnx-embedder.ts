/** Embeds with a local sentence-transformers export in ONNX format. */

import { CairnError } from '../../core/errors.js'
import { closedEmbedder, type Embedder } from '../embedder.js'
import { type ModelFolder, readModelFolder } from './model-folder.js'
import { type ImportPackage, importPackage, loadSession } from './session.js'
import { loadTokens, type Tokens } from './tokens.js'

/** The values for MiniLM. */
const FLOOR = 0.3
const WEAK_FLOOR = 0.2
const CASCADE_THRESHOLD = 0.7
/** Larger batches are no faster on a CPU, and their memory grows with the square of the text length. */
const LARGEST_BATCH = 16
const PROBE = 'probe'
const COMPANION =
  'a longer text beside it, with other words, numbers like 42 and some padding to come'
/** Rounding changes a number by less. The other texts of a batch change the vectors of a quantised model by far more. */
const MAX_DIFFERENCE = 1e-4

type OnnxOptions = {
  readonly path: string
  readonly name?: string | undefined
  readonly dimensions?: number | undefined
  readonly importPackage?: ImportPackage | undefined
}

/** Reads the folder and its tokenizer. Loads the model with the first text, or now if no file gives its dimensions. */
export async function openOnnx(options: OnnxOptions): Promise<Embedder> {
  const folder = await readModelFolder(options.path)
  const tokens = await loadTokens(folder, options.importPackage ?? importPackage)
  const dimensions = options.dimensions ?? folder.dimensions
  if (dimensions !== null) return createEmbedder(folder, tokens, { ...options, dimensions })
  const tried = await loadAndTry(folder, tokens, options)
  return createEmbedder(folder, tokens, { ...options, dimensions: tried.dimensions, tried })
}

type Ready = OnnxOptions & { readonly dimensions: number; readonly tried?: TriedSession }

function createEmbedder(folder: ModelFolder, tokens: Tokens, options: Ready): Embedder {
  const { dimensions } = options
  const model = {
    id: `onnx/${options.name ?? folder.name}@${folder.revision}`,
    dimensions,
    maxTokens: folder.maxTokens,
    floor: FLOOR,
    weakFloor: WEAK_FLOOR,
    cascadeThreshold: CASCADE_THRESHOLD,
  }
  let session = options.tried === undefined ? null : Promise.resolve(options.tried)
  let isClosed = false

  const open = async (): Promise<TriedSession> => {
    const tried = await loadAndTry(folder, tokens, options)
    if (tried.dimensions === dimensions) return tried
    await tried.session.release()
    throw new CairnError('dimension_mismatch', {
      message: `The model "${model.id}" makes vectors of ${tried.dimensions} numbers; ${dimensions} were expected.`,
      hint: `Set vectorSearch.dimensions to ${tried.dimensions}, or leave it out.`,
    })
  }

  const load = async (): Promise<TriedSession> => {
    if (isClosed) throw closedEmbedder(model.id)
    // Stores the promise, so that two concurrent first calls load the model once.
    session ??= open().catch((error: unknown) => {
      session = null
      throw error
    })
    return session
  }

  return {
    model,
    countTokens: tokens.count,
    async embed(texts, { as, signal }) {
      signal?.throwIfAborted()
      const { session: loaded, batchSize } = await load()
      const prefix = as === 'query' ? folder.queryPrefix : folder.passagePrefix
      const vectors = texts.map((): Float32Array => new Float32Array(dimensions))
      // Blank texts keep the zero vector. The others are sorted by length, so that a batch has little padding.
      const byLength = texts
        .flatMap((text, index) =>
          text.trim() === '' ? [] : [{ index, ids: tokens.encode(prefix + text) }],
        )
        .sort((a, b) => a.ids.length - b.ids.length || a.index - b.index)
      for (let at = 0; at < byLength.length; at += batchSize) {
        signal?.throwIfAborted()
        const batch = byLength.slice(at, at + batchSize)
        const answers = await loaded.run(batch.map(({ ids }) => ids))
        for (const [i, vector] of answers.entries()) vectors[batch[i]?.index ?? -1] = vector
      }
      return vectors
    },
    async close() {
      isClosed = true
      const loading = session
      session = null
      await (await loading?.catch(() => null))?.session.release()
    },
  }
}

type TriedSession = Awaited<ReturnType<typeof loadAndTry>>

/**
 * A dynamically quantised model scales its numbers over the whole batch, so that the vector of a text depends on the other
 * texts (MiniLM int8: a cosine of 0.99 to itself). Such a model gets one text at a time, which is no slower on a CPU. No
 * file says whether a model is quantised, so two runs are compared.
 */
async function loadAndTry(
  folder: ModelFolder,
  tokens: Tokens,
  { importPackage: load = importPackage }: OnnxOptions,
) {
  const session = await loadSession(folder, load)
  const probe = tokens.encode(PROBE)
  const [alone] = await session.run([probe])
  const [together] = await session.run([probe, tokens.encode(COMPANION)])
  const isSame =
    alone?.every((value, i) => Math.abs(value - (together?.[i] ?? 0)) < MAX_DIFFERENCE) ?? false
  return { session, dimensions: alone?.length ?? 0, batchSize: isSame ? LARGEST_BATCH : 1 }
}
