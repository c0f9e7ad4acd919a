;; A text becomes its words and the ids of their pieces, exactly those that
;; src/embedding/static/plain-words.ts finds, in a few nanoseconds a character.
;;
;; The memory, in this order (src/embedding/static/fast-vocabulary.ts lays it out):
;;   0        what each UTF-16 unit counts as (characters.ts), two bytes each; zero: not asked yet
;;   131072   the letters of a word that had to be folded, 128 at most, two bytes each
;;   then the list of pieces as text, the table that finds them, and the rooms in which texts are read.
;; Letters are taken eight at a time, so that behind each of these parts 16 bytes may be read.
;;
;; A room begins with these numbers, four bytes each:
;;   0 units: where the text lies, a zero after its last unit     4 end: how many units it has
;;   8 ids: where ids go     12 how many there is room for         16 how many were found
;;   20 tokens that unknown words take                             24 whether there was no room for an id
;;   28 places: for each unit how many words end before it, or -1 inside of a word
;;   32 how many bytes from one place to the next: four, or none where nobody asks for places and words
;;   36 words: the ids and the tokens up to the end of so many words: none, one, two, …    40 how many
;;   44 the first unit of the stretch that must be folded as a whole
(module
  (memory (import "cairn" "memory") 1)
  ;; Asked once for each character: BORDER (1), ENTANGLED (2) or the letter it counts as.
  (func $plainForm (import "cairn" "plainForm") (param $unit i32) (result i32))

  (global $word i32 (i32.const 131072))
  (global $longestWord i32 (i32.const 64))
  ;; The pieces, 16 bytes each, from the second place on, the first being nobody's: the first eight
  ;; letters, a byte each (0 or 255 for those that need more), zeros after the last; at 8 the kind, which
  ;; is twice the length, and 1 more where it continues a word; at 12 the address in the list. Frequent
  ;; pieces come first in the list, so that what most texts need lies together.
  (global $pieces (mut i32) (i32.const 0))
  ;; The table that finds them, four bytes a slot: the place of a piece in 17 bits and below it the lower
  ;; 15 of the hash; zero in a free slot. Four slots are a bucket and looked at as one. The upper bits of
  ;; the hash say in which bucket to begin.
  (global $slots (mut i32) (i32.const 0))
  (global $lastBucket (mut i32) (i32.const 0))
  (global $bucketShift (mut i32) (i32.const 0))
  (global $longestPiece (mut i32) (i32.const 0))
  ;; Of the letters that were looked for last.
  (global $hash (mut i32) (i32.const 0))

  (func (export "countLines") (param $at i32) (param $end i32) (result i32)
    (local $lines i32) (local $unit i32)
    (local.set $unit (i32.const 10))
    (block $done (loop $next
      (br_if $done (i32.ge_u (local.get $at) (local.get $end)))
      (local.set $unit (i32.load16_u (local.get $at)))
      (local.set $lines (i32.add (local.get $lines) (i32.eq (local.get $unit) (i32.const 10))))
      (local.set $at (i32.add (local.get $at) (i32.const 2)))
      (br $next)))
    (i32.add (local.get $lines) (i32.ne (local.get $unit) (i32.const 10))))

  ;; learn(...): fills both from a text of one piece a line. There are fewer than 2^17 lines, at most two
  ;; for a bucket, and so many buckets as `bucketBits` can number. Returns zero, or the first empty line.
  (func (export "learn") (param $at i32) (param $end i32) (param $pieces i32) (param $slots i32)
    (param $bucketBits i32) (result i32)
    (local $line i32) (local $kind i32) (local $start i32) (local $slot i32) (local $first v128)
    (global.set $pieces (local.get $pieces))
    (global.set $slots (local.get $slots))
    (global.set $bucketShift (i32.sub (i32.const 32) (local.get $bucketBits)))
    (global.set $lastBucket
      (i32.sub (i32.shl (i32.const 1) (local.get $bucketBits)) (i32.const 1)))
    (block $done (loop $nextLine
      (br_if $done (i32.ge_u (local.get $at) (local.get $end)))
      (local.set $line (i32.add (local.get $line) (i32.const 1)))
      ;; Two number signs mark a piece that continues a word.
      (local.set $kind (i32.eq (i32.load (local.get $at)) (i32.const 0x00230023)))
      (local.set $at (i32.add (local.get $at) (i32.shl (local.get $kind) (i32.const 2))))
      (local.set $start (local.get $at))
      (block $lineEnd (loop $nextUnit
        (br_if $lineEnd (i32.ge_u (local.get $at) (local.get $end)))
        (br_if $lineEnd (i32.eq (i32.load16_u (local.get $at)) (i32.const 10)))
        (local.set $at (i32.add (local.get $at) (i32.const 2)))
        (br $nextUnit)))
      (if (i32.eq (local.get $at) (local.get $start)) (then (return (local.get $line))))
      ;; A unit has two bytes, so this is twice the length.
      (local.set $kind (i32.or (local.get $kind) (i32.sub (local.get $at) (local.get $start))))
      (if (i32.gt_u (i32.shr_u (local.get $kind) (i32.const 1)) (global.get $longestPiece))
        (then (global.set $longestPiece (i32.shr_u (local.get $kind) (i32.const 1)))))
      (local.set $pieces (i32.add (local.get $pieces) (i32.const 16)))
      (local.set $first
        (call $upToEight (local.get $start) (i32.shr_u (local.get $kind) (i32.const 1))))
      (v128.store (local.get $pieces)
        (i8x16.narrow_i16x8_u (local.get $first) (local.get $first)))
      (i32.store offset=8 (local.get $pieces) (local.get $kind))
      (i32.store offset=12 (local.get $pieces) (local.get $start))
      (local.set $slot (call $find (local.get $start) (local.get $kind)))
      (if (i32.eqz (i32.load (local.get $slot))) (then
        (i32.store (local.get $slot) (i32.or
          (i32.shl (local.get $line) (i32.const 15))
          (i32.and (global.get $hash) (i32.const 0x7fff))))))
      (local.set $at (i32.add (local.get $at) (i32.const 2)))
      (br $nextLine)))
    (i32.const 0))

  ;; find(...): the slot of the piece with these letters and this kind, or a free one that it could take.
  ;; Nearly all in one function, as a call takes as long as half of what is done here.
  (func $find (param $letters i32) (param $kind i32) (result i32)
    (local $at i32) (local $left i32) (local $eight v128) (local $first v128) (local $narrow i64)
    (local $mixed i64) (local $hash i32) (local $bucket i32) (local $four v128) (local $hits i32)
    (local $slot i32) (local $piece i32)
    (local.set $mixed (i64.extend_i32_u (local.get $kind)))
    (local.set $left (i32.shr_u (local.get $kind) (i32.const 1)))
    (local.set $at (local.get $letters))
    (local.set $first (v128.and (v128.load (local.get $letters))
      (i16x8.lt_s (v128.const i16x8 0 1 2 3 4 5 6 7) (i16x8.splat (local.get $left)))))
    (local.set $narrow (i64x2.extract_lane 0
      (i8x16.narrow_i16x8_u (local.get $first) (local.get $first))))
    (local.set $eight (local.get $first))
    (loop $nextEight
      ;; The upper half of a product depends on all letters, the lower half on the first of them.
      (local.set $mixed (i64.add
        (i64.mul
          (i64.xor
            (i64.rotl (local.get $mixed) (i64.const 32))
            (i64x2.extract_lane 0 (local.get $eight)))
          (i64.const 0x9e3779b97f4a7c15))
        (i64.mul
          (i64x2.extract_lane 1 (local.get $eight))
          (i64.const 0xc2b2ae3d27d4eb4f))))
      (local.set $left (i32.sub (local.get $left) (i32.const 8)))
      (if (i32.gt_s (local.get $left) (i32.const 0)) (then
        (local.set $at (i32.add (local.get $at) (i32.const 16)))
        (local.set $eight (call $upToEight (local.get $at) (local.get $left)))
        (br $nextEight))))
    (local.set $hash (i32.wrap_i64 (i64.shr_u (local.get $mixed) (i64.const 32))))
    (global.set $hash (local.get $hash))
    (local.set $bucket (i32.shr_u (local.get $hash) (global.get $bucketShift)))
    (loop $nextBucket
      (local.set $at (i32.add (global.get $slots) (i32.shl (local.get $bucket) (i32.const 4))))
      (local.set $four (v128.load (local.get $at)))
      (local.set $hits (i32x4.bitmask (i32x4.eq (v128.const i32x4 0 0 0 0) (v128.and
        (v128.xor (local.get $four) (i32x4.splat (local.get $hash)))
        (v128.const i32x4 0x7fff 0x7fff 0x7fff 0x7fff)))))
      (loop $nextHit
        (if (local.get $hits) (then
          (local.set $slot
            (i32.add (local.get $at) (i32.shl (i32.ctz (local.get $hits)) (i32.const 2))))
          (local.set $hits (i32.and (local.get $hits) (i32.sub (local.get $hits) (i32.const 1))))
          (local.set $piece (i32.add (global.get $pieces)
            (i32.shl (i32.shr_u (i32.load (local.get $slot)) (i32.const 15)) (i32.const 4))))
          (br_if $nextHit (i64.ne (i64.load (local.get $piece)) (local.get $narrow)))
          (br_if $nextHit (i32.ne (i32.load offset=8 (local.get $piece)) (local.get $kind)))
          ;; That was all of them, unless there are more or some need more than a byte.
          (if (i32.or
                (i32.gt_u (local.get $kind) (i32.const 17))
                (v128.any_true (i16x8.gt_u (local.get $first) (i16x8.splat (i32.const 254)))))
            (then (br_if $nextHit (i32.eqz (call $same (local.get $letters)
              (i32.load offset=12 (local.get $piece)) (i32.shr_u (local.get $kind) (i32.const 1)))))))
          (return (local.get $slot)))))
      (local.set $hits (i32x4.bitmask (i32x4.eq (local.get $four) (v128.const i32x4 0 0 0 0))))
      (if (local.get $hits) (then (return
        (i32.add (local.get $at) (i32.shl (i32.ctz (local.get $hits)) (i32.const 2))))))
      (local.set $bucket
        (i32.and (i32.add (local.get $bucket) (i32.const 1)) (global.get $lastBucket)))
      (br $nextBucket))
    (unreachable))

  ;; upToEight(...): the first eight of the letters that are left, zeros after the last.
  (func $upToEight (param $letters i32) (param $left i32) (result v128)
    (v128.and (v128.load (local.get $letters))
      (i16x8.lt_s (v128.const i16x8 0 1 2 3 4 5 6 7) (i16x8.splat (local.get $left)))))

  (func $same (param $a i32) (param $b i32) (param $left i32) (result i32)
    (loop $nextEight
      (if (v128.any_true (v128.xor
            (call $upToEight (local.get $a) (local.get $left))
            (call $upToEight (local.get $b) (local.get $left))))
        (then (return (i32.const 0))))
      (local.set $a (i32.add (local.get $a) (i32.const 16)))
      (local.set $b (i32.add (local.get $b) (i32.const 16)))
      (br_if $nextEight (i32.gt_s
        (local.tee $left (i32.sub (local.get $left) (i32.const 8))) (i32.const 0))))
    (i32.const 1))

  ;; read(room, from): reads on until the text ends or a character is entangled with its neighbours, and
  ;; returns where that is. In the second case all that was found since the last space is taken back.
  ;;
  ;; The unit after the last is zero, a border: no letter needs to look where the text ends. Where nobody
  ;; asks for places and words, they are all written over each other, which is quicker than to ask.
  ;; What most words need is in this one function, as calls would take half of the time.
  (func (export "read") (param $room i32) (param $from i32) (result i32)
    (local $at i32) (local $end i32) (local $place i32) (local $placeBytes i32) (local $unit i32)
    (local $form i32) (local $letters i32) (local $length i32) (local $eight v128) (local $count i32)
    (local $spot i32) (local $id i32) (local $ids i32) (local $idsEnd i32) (local $unknown i32)
    (local $words i32) (local $note i32) (local $firstId i32)
    (local $stretch i32) (local $idsBefore i32) (local $unknownBefore i32) (local $wordsBefore i32)
    (local.set $at (i32.add (i32.load (local.get $room)) (i32.shl (local.get $from) (i32.const 1))))
    (local.set $end (i32.add (i32.load (local.get $room))
      (i32.shl (i32.load offset=4 (local.get $room)) (i32.const 1))))
    (local.set $placeBytes (i32.load offset=32 (local.get $room)))
    (local.set $place (i32.add
      (i32.load offset=28 (local.get $room)) (i32.mul (local.get $from) (local.get $placeBytes))))
    (local.set $words (i32.load offset=40 (local.get $room)))
    (local.set $note (i32.add (i32.load offset=36 (local.get $room)) (i32.mul
      (local.get $words) (i32.shl (local.get $placeBytes) (i32.const 1)))))
    (local.set $firstId (i32.load offset=8 (local.get $room)))
    (local.set $idsEnd (i32.add (local.get $firstId)
      (i32.shl (i32.load offset=12 (local.get $room)) (i32.const 2))))
    (local.set $ids (i32.add (local.get $firstId)
      (i32.shl (i32.load offset=16 (local.get $room)) (i32.const 2))))
    (local.set $unknown (i32.load offset=20 (local.get $room)))
    (local.set $stretch (local.get $at))
    (local.set $idsBefore (local.get $ids))
    (local.set $unknownBefore (local.get $unknown))
    (local.set $wordsBefore (local.get $words))
    (block $done
    (loop $next
      (i32.store (local.get $place) (local.get $words))
      (local.set $unit (i32.load16_u (local.get $at)))
      (local.set $form (i32.load16_u (i32.shl (local.get $unit) (i32.const 1))))
      (if (i32.eqz (local.get $form)) (then (local.set $form (call $formOf (local.get $unit)))))
      (if (i32.gt_u (local.get $form) (i32.const 2)) (then
        ;; Nearly all words are ASCII letters between borders, all but the first of them small.
        ;; This makes a capital small, and no other character a small letter.
        (local.set $eight
          (v128.or (v128.load (local.get $at)) (v128.const i16x8 32 0 0 0 0 0 0 0)))
        (local.set $length (i32.const 0))
        (local.set $spot (local.get $place))
        (loop $nextEight
          (local.set $count (i32.ctz (i32.xor (i32.const -1) (i16x8.bitmask (i16x8.lt_u
            (i16x8.sub (local.get $eight) (v128.const i16x8 97 97 97 97 97 97 97 97))
            (v128.const i16x8 26 26 26 26 26 26 26 26))))))
          ;; Some of these places lie after the word: they are written again when they are reached.
          (v128.store offset=4 (local.get $spot) (v128.const i32x4 -1 -1 -1 -1))
          (v128.store offset=20 (local.get $spot) (v128.const i32x4 -1 -1 -1 -1))
          (local.set $length (i32.add (local.get $length) (local.get $count)))
          (local.set $letters
            (i32.add (local.get $at) (i32.shl (local.get $length) (i32.const 1))))
          (if (i32.eq (local.get $count) (i32.const 8)) (then
            (local.set $spot
              (i32.add (local.get $spot) (i32.shl (local.get $placeBytes) (i32.const 3))))
            (local.set $eight (v128.load (local.get $letters)))
            (br $nextEight))))
        ;; A word, if what comes after it is known to be a border.
        (if (i32.eq (i32.const 1) (i32.load16_u
              (i32.shl (i32.load16_u (local.get $letters)) (i32.const 1))))
          (then
            (local.set $letters (local.get $at))
            ;; The text is ours, and read only once.
            (if (i32.lt_u (local.get $unit) (i32.const 97)) (then
              (i32.store16 (local.get $at) (i32.or (local.get $unit) (i32.const 32))))))
          (else
            (local.set $letters (global.get $word))
            (local.set $length
              (call $foldWord (local.get $at) (local.get $place) (local.get $placeBytes)))))
        (local.set $at (i32.add (local.get $at) (i32.shl (local.get $length) (i32.const 1))))
        (local.set $place
          (i32.add (local.get $place) (i32.mul (local.get $length) (local.get $placeBytes))))
        ;; Most words are pieces of their own.
        (block $added
          (if (i32.and
                (i32.le_u (local.get $length) (global.get $longestWord))
                (i32.lt_u (local.get $ids) (local.get $idsEnd)))
            (then
              (local.set $id (i32.shr_u (i32.load
                (call $find (local.get $letters) (i32.shl (local.get $length) (i32.const 1))))
                (i32.const 15)))
              (if (local.get $id) (then
                (i32.store (local.get $ids) (i32.sub (local.get $id) (i32.const 1)))
                (local.set $ids (i32.add (local.get $ids) (i32.const 4)))
                (br $added)))))
          (i32.store offset=16 (local.get $room)
            (i32.shr_u (i32.sub (local.get $ids) (local.get $firstId)) (i32.const 2)))
          (call $cutWord (local.get $room) (local.get $letters) (local.get $length)
            (local.get $length))
          (local.set $ids (i32.add (local.get $firstId)
            (i32.shl (i32.load offset=16 (local.get $room)) (i32.const 2))))
          (local.set $unknown (i32.load offset=20 (local.get $room))))
        (local.set $words (i32.add (local.get $words) (i32.const 1)))
        (local.set $note
          (i32.add (local.get $note) (i32.shl (local.get $placeBytes) (i32.const 1))))
        (local.set $count
          (i32.shr_u (i32.sub (local.get $ids) (local.get $firstId)) (i32.const 2)))
        (i32.store offset=0 (local.get $note) (local.get $count))
        (i32.store offset=4 (local.get $note) (i32.add (local.get $count) (local.get $unknown)))
        (br $next)))
      (if (i32.eq (local.get $form) (i32.const 2)) (then
        (local.set $ids (local.get $idsBefore))
        (i32.store offset=20 (local.get $room) (local.get $unknownBefore))
        (local.set $words (local.get $wordsBefore))
        (i32.store offset=44 (local.get $room) (i32.shr_u
          (i32.sub (local.get $stretch) (i32.load (local.get $room))) (i32.const 1)))
        (br $done)))
      (br_if $done (i32.eq (local.get $at) (local.get $end)))
      (local.set $at (i32.add (local.get $at) (i32.const 2)))
      (local.set $place (i32.add (local.get $place) (local.get $placeBytes)))
      ;; No fold reaches across a space: what stands before it is settled.
      (if (i32.eq (local.get $unit) (i32.const 32)) (then
        (local.set $stretch (local.get $at))
        (local.set $idsBefore (local.get $ids))
        (local.set $unknownBefore (local.get $unknown))
        (local.set $wordsBefore (local.get $words))))
      (br $next)))
    (i32.store offset=16 (local.get $room)
      (i32.shr_u (i32.sub (local.get $ids) (local.get $firstId)) (i32.const 2)))
    (i32.store offset=40 (local.get $room) (local.get $words))
    (i32.shr_u (i32.sub (local.get $at) (i32.load (local.get $room))) (i32.const 1)))

  ;; foldWord(...): writes the letters of the word that begins here, in small letters and no more than 64
  ;; of them, where folded words go, and tells how many there are.
  (func $foldWord (param $at i32) (param $place i32) (param $placeBytes i32) (result i32)
    (local $form i32) (local $before i32) (local $length i32)
    (local.set $form (call $formOf (i32.load16_u (local.get $at))))
    (block $wordEnd (loop $nextLetter
      (local.set $before (local.get $form))
      (if (i32.lt_u (i32.sub (local.get $form) (i32.const 65)) (i32.const 26))
        (then (local.set $form (i32.add (local.get $form) (i32.const 32)))))
      (if (i32.lt_u (local.get $length) (global.get $longestWord)) (then
        (i32.store16
          (i32.add (global.get $word) (i32.shl (local.get $length) (i32.const 1)))
          (local.get $form))))
      (local.set $length (i32.add (local.get $length) (i32.const 1)))
      (local.set $at (i32.add (local.get $at) (i32.const 2)))
      (local.set $place (i32.add (local.get $place) (local.get $placeBytes)))
      (local.set $form (call $formOf (i32.load16_u (local.get $at))))
      (br_if $wordEnd (i32.le_u (local.get $form) (i32.const 2)))
      (if (i32.lt_u (i32.sub (local.get $form) (i32.const 65)) (i32.const 26)) (then
        (br_if $wordEnd (call $isCamelBorder
          (local.get $before) (call $formOf (i32.load16_u offset=2 (local.get $at)))))))
      (i32.store (local.get $place) (i32.const -1))
      (br $nextLetter)))
    (local.get $length))

  (func $formOf (param $unit i32) (result i32)
    (local $form i32)
    (local.set $form (i32.load16_u (i32.shl (local.get $unit) (i32.const 1))))
    (if (i32.eqz (local.get $form)) (then
      (local.set $form (call $plainForm (local.get $unit)))
      (i32.store16 (i32.shl (local.get $unit) (i32.const 1)) (local.get $form))))
    (local.get $form))

  ;; A capital begins a word in `aB`, in `1B`, and before the last capital of `ABc`.
  (func $isCamelBorder (param $before i32) (param $next i32) (result i32)
    (if (i32.lt_u (i32.sub (local.get $before) (i32.const 65)) (i32.const 26))
      (then (return (i32.lt_u (i32.sub (local.get $next) (i32.const 97)) (i32.const 26)))))
    (i32.or
      (i32.lt_u (i32.sub (local.get $before) (i32.const 97)) (i32.const 26))
      (i32.lt_u (i32.sub (local.get $before) (i32.const 48)) (i32.const 10))))

  ;; addWord(...): a word that lies where folded words go; of so many units, and so many characters.
  (func (export "addWord") (param $room i32) (param $length i32) (param $characters i32)
    (call $cutWord
      (local.get $room) (global.get $word) (local.get $length) (local.get $characters)))

  ;; noteWord(room): the ids and tokens up to here are those up to the end of a word.
  (func (export "noteWord") (param $room i32)
    (local $words i32) (local $note i32) (local $count i32)
    (local.set $words (i32.add (i32.load offset=40 (local.get $room)) (i32.const 1)))
    (local.set $note (i32.add (i32.load offset=36 (local.get $room))
      (i32.mul (local.get $words) (i32.shl (i32.load offset=32 (local.get $room)) (i32.const 1)))))
    (local.set $count (i32.load offset=16 (local.get $room)))
    (i32.store offset=0 (local.get $note) (local.get $count))
    (i32.store offset=4 (local.get $note)
      (i32.add (local.get $count) (i32.load offset=20 (local.get $room))))
    (i32.store offset=40 (local.get $room) (local.get $words)))

  ;; A word that is too long, or has a part that is no piece, is left out whole and takes a token for
  ;; every four characters.
  (func $cutWord (param $room i32) (param $letters i32) (param $length i32) (param $characters i32)
    (if (i32.le_u (local.get $characters) (global.get $longestWord)) (then
      (if (call $addPieces (local.get $room) (local.get $letters) (local.get $length))
        (then (return)))))
    (i32.store offset=20 (local.get $room) (i32.add
      (i32.load offset=20 (local.get $room))
      (i32.shr_u (i32.add (local.get $characters) (i32.const 3)) (i32.const 2)))))

  ;; addPieces(...): the longest piece from the left, again and again; zero, and nothing added, where
  ;; there is none.
  (func $addPieces (param $room i32) (param $letters i32) (param $left i32) (result i32)
    (local $size i32) (local $id i32) (local $continues i32) (local $before i32)
    (local.set $before (i32.load offset=16 (local.get $room)))
    (loop $nextPiece
      (local.set $size (select (global.get $longestPiece) (local.get $left)
        (i32.lt_u (global.get $longestPiece) (local.get $left))))
      (block $found
        (loop $shorter
          (br_if $found (local.tee $id (i32.shr_u (i32.load
            (call $find (local.get $letters)
              (i32.or (i32.shl (local.get $size) (i32.const 1)) (local.get $continues))))
            (i32.const 15))))
          (br_if $shorter (local.tee $size (i32.sub (local.get $size) (i32.const 1)))))
        (i32.store offset=16 (local.get $room) (local.get $before))
        (return (i32.const 0)))
      (call $addId (local.get $room) (local.get $id))
      (local.set $letters (i32.add (local.get $letters) (i32.shl (local.get $size) (i32.const 1))))
      (local.set $continues (i32.const 1))
      (br_if $nextPiece (local.tee $left (i32.sub (local.get $left) (local.get $size)))))
    (i32.const 1))

  (func $addId (param $room i32) (param $oneMore i32)
    (local $count i32)
    (local.set $count (i32.load offset=16 (local.get $room)))
    (if (i32.eq (local.get $count) (i32.load offset=12 (local.get $room))) (then
      (i32.store offset=24 (local.get $room) (i32.const 1))
      (return)))
    (i32.store
      (i32.add (i32.load offset=8 (local.get $room)) (i32.shl (local.get $count) (i32.const 2)))
      (i32.sub (local.get $oneMore) (i32.const 1)))
    (i32.store offset=16 (local.get $room) (i32.add (local.get $count) (i32.const 1))))
)
