/**
 * Classifies and folds code points exactly as FTS5's `unicode61 remove_diacritics 2` does.
 *
 * Both tables were generated with SQLite (a document of all code points, `fts5vocab`), because
 * unicode61 is frozen near Unicode 6.1 and treats every unassigned code point as a letter. `\p{L}`
 * of a newer Node differs for hundreds of thousands of code points.
 */

/** Token characters as `gap,extra`: the distance from the end of the previous range, then the length - 1. */
const TOKEN_RANGES = [
  '1c,9 8,p 7,p 1c 8,1 2 4,1 2,2 2,m 2,u 2,cp 5,b f,4 8 2 3m,4 2,7 2,4 3 2,31 2,3u 9,5r 7,14',
  '3,3 2 1k,16 3,a 6 n,1 3,16 m,9 5,1 2,2q 2 g,1 8,e 3 f 2 2,t s,2i c,1l a,1 5,r 5 a 4 6,1 g,p',
  '4,1 2,3o s 5,1h 4 j 8,9 5,9 2,f 4,1j 2 8,1 3,1 4,8 2,9 3,d 3,5 3,4 4,1j 2 6,3 3,1 4,2 2,t',
  '3,2 2,a 4,1j 2 9 4 4,j 3,b 3,e 4,1j 2 8,1 3,1 4,7 3,9 3,b 2,g 2,1m 6,2 4 5,8 2,q 9,5 4,1l 8',
  '4 5,6 3,a 3,q 2,1 3,1j 2 8 4 5,6 3,a 3,t 3,1l 8 4 5,8 2,9 3,k 2,7 3,1x 2,3 7 2 9,h 4,1n 2,1',
  '8,3 2,6 a,9 3,2c 2,1 7 3,a 7,1e w,j d,1c o,4 c 11 g e,27 l,a 7,5 5,3 4 4,1 8,2 5,c d 2,9',
  '7,2i 2,gw d,12 b,2t 2,h7 3,g 2,p 3,25 4,z 4,s 6,q 3,t 3,1r 10 5 2,x g,49 2,39 d,3 d,3 2,2',
  '3,2x i,6 3,j z,m 6,1 3,1g b u,1 2,v 8 7,29 6,1a i,k 10,2 4,t e,1j f,7 5,z l,2 6,1p 3,1r 9,7',
  'q,3 2,3 4,5m 14,k 5,cc 2 4,a 4,c 4,c 4,c 3 2u,4 7,9 6,a 6,g r,l y,e 3 5 3,9 2 4,4 7 2 2 2,3',
  '2,a 3,3 6,4 5 2,1r h1,b 14,o c,28 27,l e9 3a,t qi,2 b,ay 7,3 4,6 5 3,33 2,d 2,2n 28 d,1v r',
  '2i,b 5z,p d,3 6,2 q,8 8,4 3,4 4,2g 5,2 2,2h 2,43 3,3 b,v 11,r w,a v,7 2,e x,9 14,e 1s 75,533',
  '1t,h3j 1k,1i 3,7g 4,2m h,v 2,27 9,7 o,8 3,2u 3,3a 2,2 2,3 2,m a,9 5,1l 5,7 3,1d i,8 3,f j,5',
  '4,16 b,m e,a 2,v 5,1a s,f 3,20 f,b 2,7 3,d 5,m 4 2,1f 2 4,1 3,4 3 2,r 3,a 8,2 3,6j c,8pd',
  '1kx,5ct 2,9 2,3r h,aj 3,57 3,1 r,5 8,8 10 k 5,42 2 g,9 8,p 7,p c,3d 8 8,9 8,73 4,1f a,1k i,5',
  'd,1f 1b,bk 2,1b 2,w5 2,5i 2,u 2,5c 4 3,4 5,13 4,3 2,f a,11 2,54 8,xr 4,1g n,1d 4,18 j,1p 4,z',
  'f,a 5,1n 4,1b f,3 5,yp e,2pj 5,esc 1b,f 5,j1o 6v,9 14,1 52,x 1z,55 2g,o9 2,o 2,u 2,o 2,u 2,o',
  '2,u 2,o 2,u 2,o 2,4kr 3,7h 19,3 2t,b g,1 f,1 g g,1b w 1p,3 18,22 u,c 18,4 a,6 3,4t y,e 7',
  '1z,2 l,b 12 6,k i,e 1s 2 53 5,2 1r,1 5,b p,42 1z,3 c,1b 1z,1l 39,gwi4 2,t 2p,3j 6p,47bj',
].join(' ')

/**
 * Folded characters as `gap,count,mode,shift`: the distance from the start of the previous run, the
 * number of characters, mode = 3 × (step - 1) + step of the target, and target - start. Mode 0 folds
 * all to one letter (àáâ → a); mode 5 folds every second one to its neighbour (Ā → ā).
 */
const FOLD_RUNS = [
  '1t,q,1,w 38,1,0,lj b,6,0,-2n 6,1,0,w 1,2,2,-2s 2,3,0,-2s 3,4,0,-2r 4,1,0,w 1,2,1,-2r',
  '2,4,0,-2s 5,1,0,w 1,4,0,-2s 4,1,0,-2s 1,1,0,w 2,6,0,-3j 7,2,2,-3o 2,3,0,-3o 3,4,0,-3n',
  '5,2,1,-3n 2,4,0,-3o 6,4,0,-3o 4,2,3,-3o 3,6,0,-4f 6,8,0,-4j 8,2,0,-4q 2,1,0,1 2,a,0,-4t',
  'a,8,0,-51 8,2,0,-58 2,1,0,1 2,9,0,-5b a,1,0,1 2,2,0,-5m 2,2,0,-5n 3,6,0,-5p 6,2,5,1',
  '4,6,0,-5x 7,1,0,1 2,6,0,-65 6,1,0,1 2,6,0,-6a 6,8,0,-6f 8,4,0,-6m 4,1,0,1 2,c,0,-6r',
  'c,2,0,-71 2,3,0,-71 3,6,0,-73 6,1,0,-7g 2,1,0,5u 1,2,5,1 4,1,0,5q 1,1,0,1 2,2,1,5p 2,1,0,1',
  '3,1,0,27 1,2,2,5m 2,1,0,1 2,1,0,5p 1,1,0,5r 2,1,0,5v 1,1,0,5t 1,1,0,1 4,1,0,5v 1,1,0,5x',
  '2,1,0,5y 1,2,0,-8h 2,2,5,1 4,1,0,62 1,1,0,1 2,1,0,62 3,1,0,1 2,1,0,62 1,2,0,-8q 2,2,1,61',
  '2,2,5,1 4,1,0,63 1,1,0,1 4,1,0,1 8,2,0,2 3,2,0,2 3,2,0,2 3,2,0,-a4 2,2,0,-9y 2,2,0,-9u',
  '2,a,0,-9q b,2,0,-al 2,3,5,1 6,2,0,-an 2,2,0,-al 2,4,0,-aj 4,1,0,1 2,1,0,-au 1,2,0,2',
  '3,2,0,-b1 2,1,0,-2p 1,1,0,-1k 1,2,0,-ay 2,2,0,-bd 2,2,5,1 4,4,0,-bj 4,4,0,-bj 4,4,0,-bj',
  '4,4,0,-bh 4,4,0,-bi 4,4,0,-bj 4,2,0,-bp 2,2,0,-bq 2,1,0,1 2,2,0,-c6 2,1,0,-3m 2,2,5,1',
  '4,2,0,-cl 2,2,0,-cj 2,8,0,-cb 8,2,0,-c9 8,1,0,8bv 1,1,0,1 2,1,0,-4j 1,1,0,8bs 3,1,0,1',
  '2,1,0,-5f 1,1,0,1x 1,1,0,1z 1,5,5,1 8a,2,5,1 6,1,0,1 g,2,4,12 3,2,1,11 3,2,4,1s 3,1,0,1r',
  '2,h,1,w i,9,1,w v,1,0,1 d,1,0,8 1,1,0,-u 1,1,0,-p 4,1,0,-f 1,1,0,-m 2,c,5,1 o,1,0,-1i',
  '1,1,0,-1c 3,1,0,-1o 1,1,0,-1s 2,1,0,1 2,1,0,-7 1,1,0,1 3,3,1,-3m 3,g,1,28 g,w,1,w 28,h,5,1',
  '16,r,5,1 1i,1,0,f 1,7,5,1 f,18,5,1 2p,12,1,1c 29b,12,1,5ls 13,1,0,5ls 6,1,0,5ls 2lv,2,0,-5un',
  '2,6,0,-5uo 6,2,0,-5ut 2,a,0,-5uu a,a,0,-5v3 a,3,4,-5vc 1,3,4,-5vd 5,8,0,-5vg 8,4,0,-5vn',
  '4,6,0,-5vp 6,8,0,-5vu 8,6,0,-5w1 6,8,0,-5w6 8,8,0,-5wd 8,4,0,-5wk 4,8,0,-5wm 8,a,0,-5wt',
  'a,8,0,-5x2 8,a,0,-5x9 a,4,0,-5xi 4,a,0,-5xl a,4,0,-5xu 4,2,0,-5xx 2,6,0,-5xy 6,1,0,-5ym',
  '1,1,0,-5yb 1,2,2,-5y9 3,1,0,-5yg 3,1,0,-5vj 2,o,0,-5z3 o,g,0,-5zn g,4,0,-5zz 4,o,0,-5zx',
  'o,e,0,-60f e,8,0,-60p 8,3,5,1 e,8,1,-8 g,6,1,-8 g,8,1,-8 g,8,1,-8 g,6,1,-8 h,4,5,-8 f,8,1,-8',
  'w,8,1,-8 g,8,1,-8 g,8,1,-8 g,2,1,-8 2,2,1,-22 2,1,0,-9 2,1,0,-5j9 a,4,1,-2e 4,1,0,-9',
  'c,2,1,-8 2,2,1,-2s e,2,1,-8 2,2,1,-34 2,1,0,-7 c,2,1,-3k 2,2,1,-3i 2,1,0,-9 8a,1,0,-5st',
  '4,1,0,-6gv 1,1,0,-6h6 7,1,0,s 1a,g,1,g z,1,0,1 22l,1b,1,1c 2o,1,0,1 2,1,0,-8af 1,1,0,-2xy',
  '1,1,0,-89z 3,3,5,1 6,1,0,-8bg 1,1,0,-8al 1,2,2,-8bj 3,1,0,1 3,1,0,1 9,2,1,-8cf 2,1e,5,1',
  '2z,2,5,1 7,1,0,1 nym,n,5,1 1s,c,5,1 4i,7,5,1 g,v,5,1 1z,2,5,1 4,1,0,-r9g 1,5,5,1 d,1,0,1',
  '2,1,0,-wmg 3,2,5,1 g,5,5,1 a,1,0,-wn8 h9z,q,1,w yn,14,1,14',
].join(' ')

/** The marks that unicode61 drops inside a token without ending it: bits from U+0300 on. */
const DIACRITIC_BITS = [0x08029fdf, 0x000361f8] as const
const FIRST_DIACRITIC = 0x300

const CODE_POINTS = 0x110000
const TOKEN = 1
const DIACRITIC = 2

/** For each code point: 0 for a separator, TOKEN or DIACRITIC. Decoded for the first text with other than ASCII. */
let classes: Uint8Array | null = null
let folds: ReadonlyMap<number, number> | null = null

function classOf(code: number): number {
  if (code < 0x80) return isAsciiToken(code) ? TOKEN : 0
  classes ??= readClasses()
  return classes[code] ?? 0
}

function isAsciiToken(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 48 && code <= 57) || isCapital(code)
}

function isCapital(code: number): boolean {
  return code >= 65 && code <= 90
}

function readClasses(): Uint8Array {
  const read = new Uint8Array(CODE_POINTS)
  let end = 0
  for (const [gap = 0, extra = 0] of readNumbers(TOKEN_RANGES)) {
    const start = end + gap
    end = start + extra
    read.fill(TOKEN, start, end + 1)
  }
  for (let i = 0; i < 64; i++) {
    const bits = DIACRITIC_BITS[i < 32 ? 0 : 1]
    if ((bits >>> (i & 31)) & 1) read[FIRST_DIACRITIC + i] = DIACRITIC
  }
  return read
}

function readFolds(): ReadonlyMap<number, number> {
  const read = new Map<number, number>()
  let start = 0
  for (const [gap = 0, count = 0, mode = 0, shift = 0] of readNumbers(FOLD_RUNS)) {
    start += gap
    const step = Math.floor(mode / 3) + 1
    for (let i = 0; i < count; i++) read.set(start + i * step, start + shift + i * (mode % 3))
  }
  return read
}

function readNumbers(entries: string): number[][] {
  const parse = (entry: string) => entry.split(',').map((digits) => Number.parseInt(digits, 36))
  return entries.split(' ').map(parse)
}

export function isTokenCode(code: number): boolean {
  return classOf(code) === TOKEN
}

/** Whether this code point continues a token. */
export function continuesToken(code: number): boolean {
  return classOf(code) !== 0
}

export function isDroppedCode(code: number): boolean {
  return classOf(code) === DIACRITIC
}

/** Folds a letter to lower case without accent. Other code points stay unchanged. */
export function foldCode(code: number): number {
  if (code < 0x80) return isCapital(code) ? code + 32 : code
  folds ??= readFolds()
  return folds.get(code) ?? code
}
