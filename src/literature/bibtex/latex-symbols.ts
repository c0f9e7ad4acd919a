/** What a LaTeX command stands for is looked up here and nowhere else. */

/** Accents are the combining characters of Unicode, put after the letter and composed: e + ◌́ → é. */
export const ACCENTS: ReadonlyMap<string, string> = new Map([
  ['`', '\u0300'],
  ["'", '\u0301'],
  ['^', '\u0302'],
  ['~', '\u0303'],
  ['=', '\u0304'],
  ['u', '\u0306'],
  ['.', '\u0307'],
  ['"', '\u0308'],
  ['r', '\u030A'],
  ['H', '\u030B'],
  ['v', '\u030C'],
  ['G', '\u030F'],
  ['d', '\u0323'],
  ['c', '\u0327'],
  ['k', '\u0328'],
  ['b', '\u0331'],
])

/** What an accent over nothing shows: `\^{}` → ^. */
export const BARE_ACCENTS = '`\'^~=."'

function table(text: string): [string, string][] {
  return text
    .trim()
    .split(/\s+/)
    .map((pair) => {
      const cut = pair.lastIndexOf('→')
      return [pair.slice(0, cut), pair.slice(cut + 1)]
    })
}

export const SYMBOLS: ReadonlyMap<string, string> = new Map([
  ...table(`ss→ß SS→ẞ ae→æ AE→Æ oe→œ OE→Œ aa→å AA→Å o→ø O→Ø l→ł L→Ł i→ı j→ȷ dh→ð DH→Ð th→þ TH→Þ
    dj→đ DJ→Đ ng→ŋ NG→Ŋ textschwa→ə`),
  ...table(`textbackslash→\\ backslash→\\ textasciitilde→~ textasciicircum→^ textasciigrave→\` lbrace→{
    rbrace→} textbraceleft→{ textbraceright→} textunderscore→_ textdollar→$ textquotedbl→" textbar→|
    textless→< textgreater→> textquotesingle→' textquoteleft→‘ textquoteright→’ textquotedblleft→“
    textquotedblright→” quotedblbase→„ quotesinglbase→‚ glqq→„ grqq→“ guillemotleft→« guillemotright→»
    guillemetleft→« guillemetright→» textendash→– textemdash→— textellipsis→… dots→… ldots→… cdots→⋯
    textbullet→• bullet→• textperiodcentered→· cdot→· textdegree→° degree→° textregistered→® copyright→©
    textcopyright→© texttrademark→™ pounds→£ textsterling→£ euro→€ texteuro→€ textyen→¥ S→§ P→¶ dag→† ddag→‡
    textexclamdown→¡ textquestiondown→¿ textmu→µ TeX→TeX LaTeX→LaTeX LaTeXe→LaTeX2e BibTeX→BibTeX`),
  ...table(`alpha→α beta→β gamma→γ delta→δ epsilon→ϵ varepsilon→ε zeta→ζ eta→η theta→θ vartheta→ϑ iota→ι
    kappa→κ lambda→λ mu→μ nu→ν xi→ξ pi→π rho→ρ sigma→σ varsigma→ς tau→τ upsilon→υ phi→ϕ varphi→φ chi→χ psi→ψ
    omega→ω Gamma→Γ Delta→Δ Theta→Θ Lambda→Λ Xi→Ξ Pi→Π Sigma→Σ Upsilon→Υ Phi→Φ Psi→Ψ Omega→Ω ell→ℓ`),
  ...table(`times→× pm→± mp→∓ div→÷ ast→∗ star→⋆ circ→∘ leq→≤ le→≤ geq→≥ ge→≥ neq→≠ ne→≠ ll→≪ gg→≫
    approx→≈ sim→∼ simeq→≃ equiv→≡ propto→∝ in→∈ notin→∉ ni→∋ subset→⊂ subseteq→⊆ supset→⊃ supseteq→⊇ cup→∪
    cap→∩ emptyset→∅ varnothing→∅ forall→∀ exists→∃ neg→¬ lnot→¬ land→∧ wedge→∧ lor→∨ vee→∨ oplus→⊕ otimes→⊗
    to→→ rightarrow→→ leftarrow→← leftrightarrow→↔ Rightarrow→⇒ Leftarrow→⇐ Leftrightarrow→⇔ mapsto→↦
    uparrow→↑ downarrow→↓ infty→∞ partial→∂ nabla→∇ sum→∑ prod→∏ int→∫ sqrt→√ angle→∠ perp→⊥ mid→| langle→⟨
    rangle→⟩ prime→′ Re→ℜ Im→ℑ aleph→ℵ hbar→ℏ log→log ln→ln exp→exp sin→sin cos→cos tan→tan max→max min→min
    arg→arg lim→lim sup→sup inf→inf det→det Pr→Pr`),
])

/** Spacing and hints that leave no trace but a space. */
export const BREAKS: ReadonlyMap<string, string> = new Map([
  ['\\', '\n'],
  ['newline', '\n'],
  ['linebreak', '\n'],
  ['par', '\n\n'],
  [' ', ' '],
  ['\n', ' '],
  ['\t', ' '],
  [',', ' '],
  [';', ' '],
  [':', ' '],
  ['quad', ' '],
  ['qquad', ' '],
  ['space', ' '],
  ['!', ''],
  ['/', ''],
  ['-', ''],
  ['@', ''],
  ['(', ''],
  [')', ''],
  ['[', ''],
  [']', ''],
])

/** Commands that change the look alone: the text in their braces stays. */
export const LOOKS: ReadonlySet<string> = new Set(
  `emph textit textbf textsc texttt textsf textrm textup textmd textsl textnormal textsuperscript textsubscript
  text mbox hbox fbox underline uline mathrm mathbf mathit mathsf mathtt mathcal mathbb mathfrak mathscr
  operatorname boldsymbol bm ensuremath mkbibemph mkbibitalic mkbibbold strong url path nolinkurl textcolor
  it itshape bf bfseries em sc scshape tt ttfamily rm rmfamily sf sffamily sl slshape md mdseries up upshape
  normalfont small large footnotesize displaystyle protect left right relax nocase natexlab bibinfo
  uppercase lowercase MakeUppercase MakeLowercase`.split(/\s+/),
)
