/** Each reason why a PDF gives no text is one sentence, with what to do about it. */

import { CairnError } from '../../core/errors.js'

export const MAX_PDF_BYTES = 200 * 1024 * 1024

export type PdfProblem =
  | 'empty'
  | 'too_large'
  | 'not_a_pdf'
  | 'broken'
  | 'too_much'
  | 'needs_password'
  | 'wrong_password'
  | 'no_text'

const SENTENCES: Readonly<Record<PdfProblem, readonly [says: string, hint: string]>> = {
  empty: ['is empty', 'Check that it was copied or downloaded to its end.'],
  too_large: [
    `is larger than ${MAX_PDF_BYTES / 1024 / 1024} MB`,
    'Split it into smaller PDFs, and add those.',
  ],
  not_a_pdf: ['is no PDF', 'Check its kind: text files can be added as they are.'],
  broken: [
    'is a damaged PDF',
    'Copy or download it again, or open it in a PDF viewer and save it from there.',
  ],
  too_much: [
    'is a PDF that takes too much time or memory to read',
    'Open it in a PDF viewer and save it from there, or split it into smaller PDFs.',
  ],
  needs_password: [
    'is encrypted and needs a password',
    'Give its password, or save a copy without one.',
  ],
  wrong_password: [
    'is encrypted with another password than the one given',
    'Give the password that opens it in a PDF viewer.',
  ],
  no_text: [
    'is a PDF without text: its pages are images, or their letters cannot be told',
    'Run text recognition (OCR) on it first, for example with ocrmypdf.',
  ],
}

export function pdfProblem(problem: PdfProblem, name: string, cause?: unknown): CairnError {
  const [says, hint] = SENTENCES[problem]
  return new CairnError('unreadable_file', {
    message: `The file ${name} ${says}.`,
    hint,
    ...(cause === undefined ? {} : { cause }),
  })
}

/** What PDF.js reported, as the reason it stands for; what it does not name is a damaged file. */
export function problemOf(failed: { readonly name: string; readonly code: unknown }): PdfProblem {
  if (failed.name !== 'PasswordException') return 'broken'
  return failed.code === 1 ? 'needs_password' : 'wrong_password'
}
