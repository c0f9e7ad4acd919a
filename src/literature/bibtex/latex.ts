/** Converts LaTeX to plain text and back; an unknown command stays as it was written. */

function parseTable(text: string): Map<string, string> {
  const pairs = text.matchAll(/(\S+)→(\S+)/g)
  return new Map([...pairs].map(([, name = '', symbol = '']) => [name, symbol]))
}

/** Combining characters that follow the letter: e + ◌́ → é. */
const ACCENTS = parseTable(`\`→\u0300 '→\u0301 ^→\u0302 ~→\u0303 =→\u0304 u→\u0306 .→\u0307 "→\u0308
  r→\u030A H→\u030B v→\u030C G→\u030F d→\u0323 c→\u0327 k→\u0328 b→\u0331`)

/** Accents that are shown alone over nothing: `\^{}` → ^. */
const BARE_ACCENTS = '`\'^~=."'

const SYMBOLS =
  parseTable(`ss→ß SS→ẞ ae→æ AE→Æ oe→œ OE→Œ aa→å AA→Å o→ø O→Ø l→ł L→Ł i→ı j→ȷ dh→ð DH→Ð th→þ TH→Þ
    dj→đ DJ→Đ ng→ŋ NG→Ŋ textschwa→ə
    textbackslash→\\ backslash→\\ textasciitilde→~ textasciicircum→^ textasciigrave→\` lbrace→{
    rbrace→} textbraceleft→{ textbraceright→} textunderscore→_ textdollar→$ textquotedbl→" textbar→|
    textless→< textgreater→> textquotesingle→' textquoteleft→‘ textquoteright→’ textquotedblleft→“
    textquotedblright→” quotedblbase→„ quotesinglbase→‚ glqq→„ grqq→“ guillemotleft→« guillemotright→»
    guillemetleft→« guillemetright→» textendash→– textemdash→— textellipsis→… dots→… ldots→… cdots→⋯
    textbullet→• bullet→• textperiodcentered→· cdot→· textdegree→° degree→° textregistered→® copyright→©
    textcopyright→© texttrademark→™ pounds→£ textsterling→£ euro→€ texteuro→€ textyen→¥ S→§ P→¶ dag→† ddag→‡
    textexclamdown→¡ textquestiondown→¿ textmu→µ TeX→TeX LaTeX→LaTeX LaTeXe→LaTeX2e BibTeX→BibTeX
    alpha→α beta→β gamma→γ delta→δ epsilon→ϵ varepsilon→ε zeta→ζ eta→η theta→θ vartheta→ϑ iota→ι
    kappa→κ lambda→λ mu→μ nu→ν xi→ξ pi→π rho→ρ sigma→σ varsigma→ς tau→τ upsilon→υ phi→ϕ varphi→φ chi→χ psi→ψ
    omega→ω Gamma→Γ Delta→Δ Theta→Θ Lambda→Λ Xi→Ξ Pi→Π Sigma→Σ Upsilon→Υ Phi→Φ Psi→Ψ Omega→Ω ell→ℓ
    times→× pm→± mp→∓ div→÷ ast→∗ star→⋆ circ→∘ leq→≤ le→≤ geq→≥ ge→≥ neq→≠ ne→≠ ll→≪ gg→≫
    approx→≈ sim→∼ simeq→≃ equiv→≡ propto→∝ in→∈ notin→∉ ni→∋ subset→⊂ subseteq→⊆ supset→⊃ supseteq→⊇ cup→∪
    cap→∩ emptyset→∅ varnothing→∅ forall→∀ exists→∃ neg→¬ lnot→¬ land→∧ wedge→∧ lor→∨ vee→∨ oplus→⊕ otimes→⊗
    to→→ rightarrow→→ leftarrow→← leftrightarrow→↔ Rightarrow→⇒ Leftarrow→⇐ Leftrightarrow→⇔ mapsto→↦
    uparrow→↑ downarrow→↓ infty→∞ partial→∂ nabla→∇ sum→∑ prod→∏ int→∫ sqrt→√ angle→∠ perp→⊥ mid→| langle→⟨
    rangle→⟩ prime→′ Re→ℜ Im→ℑ aleph→ℵ hbar→ℏ log→log ln→ln exp→exp sin→sin cos→cos tan→tan max→max min→min
    arg→arg lim→lim sup→sup inf→inf det→det Pr→Pr`)

/** Commands that stand for a line end, a space or nothing. */
const SPACING: ReadonlyMap<string, string> = new Map([
  ...['\\', 'newline', 'linebreak'].map((name) => [name, '\n'] as const),
  ['par', '\n\n'],
  ...[' ', '\n', '\t', ',', ';', ':', 'quad', 'qquad', 'space'].map((name) => [name, ' '] as const),
  ...[...'!/-@()[]'].map((name) => [name, ''] as const),
])

/** Formatting commands: only the text in their braces remains. */
const FORMATTING: ReadonlySet<string> = new Set(
  `emph textit textbf textsc texttt textsf textrm textup textmd textsl textnormal textsuperscript textsubscript
  text mbox hbox fbox underline uline mathrm mathbf mathit mathsf mathtt mathcal mathbb mathfrak mathscr
  operatorname boldsymbol bm ensuremath mkbibemph mkbibitalic mkbibbold strong url path nolinkurl textcolor
  it itshape bf bfseries em sc scshape tt ttfamily rm rmfamily sf sffamily sl slshape md mdseries up upshape
  normalfont small large footnotesize displaystyle protect left right relax nocase natexlab bibinfo
  uppercase lowercase MakeUppercase MakeLowercase`.split(/\s+/),
)

const LIGATURES: ReadonlyMap<string, string> = parseTable("---→— --→– ``→“ ''→”").set('~', ' ')
const TOKEN = /\\([a-zA-Z]+)\*?|\\([\s\S])|---?|``|''|[~{}$]|[^\\{}$~`'-]+|[\s\S]/y

/**
 * By hand: `{\"U}ber \emph{x} \& $\alpha$--y` → `Über x & α–y`. White space is left as it is, and in `verbatim` mode,
 * for addresses, `~` and `--`.
 */
export function latexToText(source: string, mode: 'prose' | 'verbatim' = 'prose'): string {
  if (mode === 'verbatim' && !source.includes('\\')) {
    return isWrapped(source) ? source.slice(1, -1) : source
  }
  if (!/[\\{}$~]|--|``|''/.test(source)) return source
  return new LatexReader(source).read({ start: 0, end: source.length, depth: 0 }, mode)
}

/** Arguments inside of arguments beyond this depth are left out. */
const MAX_DEPTH = 50

/** `depth` counts the arguments around it. */
type Part = { readonly start: number; readonly end: number; readonly depth: number }
/** A null text: the command stays as it was written, up to `end`. */
type Shown = { readonly text: string | null; readonly end: number }
type Argument = { readonly text: string; readonly end: number }

/** Reads parts of one text. The closing braces are found once for all parts. */
class LatexReader {
  readonly #source: string
  #closing: Int32Array | null = null

  constructor(source: string) {
    this.#source = source
  }

  read({ start: from, end: to, depth }: Part, mode: 'prose' | 'verbatim'): string {
    const source = this.#source
    let text = ''
    let at = from
    let mathEnd = -1
    while (at < to) {
      TOKEN.lastIndex = at
      const [token = '', word, sign] = TOKEN.exec(source) ?? []
      const start = at
      at += Math.max(1, token.length)
      // An escaped brace that closes the part is not in it.
      if (at > to) return `${text}\\`
      const command = word ?? sign
      if (command !== undefined) {
        const shown = this.#readCommand(command, at, depth)
        text += shown.text ?? source.slice(start, shown.end)
        at = shown.end
      } else if (token === '$' && mode === 'prose') {
        if (start === mathEnd) continue
        mathEnd = findClosingDollar(source, start, to)
        if (mathEnd === -1) text += token
      } else if (token !== '{' && token !== '}') {
        text += (mode === 'prose' ? LIGATURES.get(token) : undefined) ?? token
      }
    }
    return text
  }

  #readCommand(name: string, after: number, depth: number): Shown {
    const isWord = /^[a-zA-Z]/.test(name)
    const accent = ACCENTS.get(name)
    if (accent !== undefined) {
      const { text, end } = this.#readArgument(after, depth)
      return { text: withAccent(name, accent, text), end }
    }
    const text = SYMBOLS.get(name) ?? SPACING.get(name) ?? (FORMATTING.has(name) ? '' : undefined)
    if (text !== undefined) return { text, end: isWord ? this.#endOfWord(after) : after }
    if (!isWord) return { text: name, end: after }
    return this.#readSpecial(name, after, depth) ?? { text: null, end: this.#endOfArguments(after) }
  }

  #readSpecial(name: string, after: number, depth: number): Shown | null {
    const isQuote = name === 'enquote' || name === 'mkbibquote'
    if (!isQuote && name !== 'href' && name !== 'frac') return null
    const { text: first, end } = this.#readArgument(after, depth)
    if (isQuote) return { text: `“${first}”`, end }
    const second = this.#readArgument(end, depth)
    const text = name === 'frac' ? `${first}/${second.text}` : `${second.text} (${first})`
    return { text, end: second.end }
  }

  /** White space or an empty pair of braces after the name of a command belongs to the command. */
  #endOfWord(after: number): number {
    if (this.#source.startsWith('{}', after)) return after + 2
    const blank = /[ \t]*(?:\n(?!\s*\n)[ \t]*)?/y
    blank.lastIndex = after
    return after + (blank.exec(this.#source)?.[0].length ?? 0)
  }

  #endOfArguments(after: number): number {
    let end = after
    while (this.#source[end] === '{') {
      const close = this.#findClosing(end)
      if (close === -1) return end
      end = close + 1
    }
    return end
  }

  /** The argument of a command: a pair of braces, another command, or one character. */
  #readArgument(after: number, depth: number): Argument {
    const source = this.#source
    let at = after
    while (source[at] === ' ') at += 1
    if (source[at] === '{') {
      const close = this.#findClosing(at)
      if (close === -1) return { text: '', end: at + 1 }
      const inner = { start: at + 1, end: close, depth: depth + 1 }
      return { text: depth < MAX_DEPTH ? this.read(inner, 'prose') : '', end: close + 1 }
    }
    TOKEN.lastIndex = at
    const [token = '', word, sign] = TOKEN.exec(source) ?? []
    const command = word ?? sign
    if (command !== undefined) {
      if (depth >= MAX_DEPTH) return { text: '', end: at }
      const shown = this.#readCommand(command, at + token.length, depth + 1)
      return { text: shown.text ?? source.slice(at, shown.end), end: shown.end }
    }
    const char = String.fromCodePoint(source.codePointAt(at) ?? 0x20)
    return at >= source.length || char === '}'
      ? { text: '', end: at }
      : { text: char, end: at + char.length }
  }

  /** The offset at which the brace at `open` is closed, or -1. */
  #findClosing(open: number): number {
    this.#closing ??= matchBraces(this.#source)
    return this.#closing[open] ?? -1
  }
}

function withAccent(name: string, accent: string, text: string): string {
  if (text === '') return BARE_ACCENTS.includes(name) ? name : ''
  const letter = String.fromCodePoint(text.codePointAt(0) ?? 0)
  const dotted = letter === 'ı' ? 'i' : letter === 'ȷ' ? 'j' : letter
  return (dotted + accent).normalize('NFC') + text.slice(letter.length)
}

/**
 * Pandoc's rule tells mathematics from money: no space after the first sign, none before the second, and no digit
 * after it. By hand: `$\alpha$-x` is mathematics, `$5 and $6` is not.
 */
function findClosingDollar(source: string, open: number, to: number): number {
  if (/\s/.test(source[open + 1] ?? ' ')) return -1
  for (let at = open + 1; at < to; at += 1) {
    if (source[at] === '\\') at += 1
    else if (source[at] === '$') {
      const isClosing = !/\s/.test(source[at - 1] ?? ' ') && !/\d/.test(source[at + 1] ?? '')
      return isClosing ? at : -1
    }
  }
  return -1
}

const ESCAPES = { '\\': '\\textbackslash{}', '~': '\\textasciitilde{}', '^': '\\textasciicircum{}' }
const BRACE_NAMES = { '{': '\\textbraceleft{}', '}': '\\textbraceright{}' }

/** Accents stay as they are: today's BibTeX programs read UTF-8. */
export function textToLatex(text: string): string {
  // BibTeX also counts escaped braces, so unbalanced ones are written by name.
  const escapes: Readonly<Record<string, string>> = isBalanced(text)
    ? ESCAPES
    : { ...ESCAPES, ...BRACE_NAMES }
  return text
    .replace(/[&%$#_{}~^\\]/g, (sign) => escapes[sign] ?? `\\${sign}`)
    .replace(/-(?=-)|`(?=`)|'(?=')/g, '$&{}')
}

/** For each opening brace, the offset of its closing brace, or -1. Like BibTeX, it also counts escaped braces. */
function matchBraces(text: string): Int32Array {
  const closing = new Int32Array(text.length).fill(-1)
  const open: number[] = []
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === '{') open.push(at)
    else if (text[at] === '}') {
      const start = open.pop()
      if (start !== undefined) closing[start] = at
    }
  }
  return closing
}

/** Whether one pair of braces encloses the whole text: `{World Health Organization}`, but not `{A} and {B}`. */
export function isWrapped(text: string): boolean {
  return text.startsWith('{') && text.endsWith('}') && matchBraces(text)[0] === text.length - 1
}

export function isBalanced(text: string): boolean {
  let depth = 0
  for (const char of text) {
    if (char === '{') depth += 1
    else if (char === '}') depth -= 1
    if (depth < 0) return false
  }
  return depth === 0
}

/** Splits outside of braces. By hand: `a, {b, c}` at /,/y → `a`, ` {b, c}`. The pattern must be sticky. */
export function splitOutsideBraces(text: string, pattern: RegExp): string[] {
  const parts: string[] = []
  let [depth, start] = [0, 0]
  for (let at = 0; at < text.length; ) {
    if (text[at] === '{') depth += 1
    else if (text[at] === '}') depth = Math.max(0, depth - 1)
    pattern.lastIndex = at
    const found = depth === 0 ? pattern.exec(text)?.[0] : undefined
    if (found) {
      parts.push(text.slice(start, at))
      start = at + found.length
    }
    at += found?.length || 1
  }
  return [...parts, text.slice(start)]
}
