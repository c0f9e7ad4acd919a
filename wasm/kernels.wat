;; The loops over all vectors (scan, score, coarsen), 16 bytes at a time. Their results are bit for
;; bit those of the plain kernels in src/vectors/kernels.ts. src/vectors/memory.ts has the memory layout.
(module
  (memory (import "cairn" "memory") 1 65536)

  ;; scan(job): estimates every live slot of one segment and keeps the best in the job's candidate list.
  ;;
  ;; A tile is 32 slots. For each group of 2 dimensions it holds 16 bytes, and in them 32 nibbles: one
  ;; per slot, two 2-bit codes each. A nibble is an index into that group's table of 16 partial sums,
  ;; so one swizzle looks up 16 slots at once. Entries are at most 63: four fit into a byte when added.
  (func (export "scan") (param $job i32)
    (local $tile i32) (local $tilesLeft i32) (local $quads i32) (local $quadsLeft i32)
    (local $table i32) (local $tables i32) (local $factors i32) (local $live i32)
    (local $slot i32) (local $mask i32) (local $scores i32) (local $lane i32) (local $score i32)
    (local $threshold i32) (local $shift i32) (local $allow i32) (local $owner i32) (local $count i32)
    (local $low v128) (local $bias v128) (local $b0 v128) (local $b1 v128) (local $b2 v128)
    (local $b3 v128) (local $t0 v128) (local $t1 v128) (local $t2 v128) (local $t3 v128)
    (local $sum v128) (local $a0 v128) (local $a1 v128) (local $a2 v128) (local $a3 v128)
    (local $limit v128)
    (local.set $tile (i32.load offset=0 (local.get $job)))
    (local.set $tilesLeft (i32.load offset=4 (local.get $job)))
    (local.set $quads (i32.load offset=8 (local.get $job)))
    (local.set $tables (i32.load offset=12 (local.get $job)))
    (local.set $bias (i16x8.splat (i32.load offset=16 (local.get $job))))
    (local.set $shift (i32.load offset=20 (local.get $job)))
    (local.set $factors (i32.load offset=24 (local.get $job)))
    (local.set $live (i32.load offset=28 (local.get $job)))
    (local.set $allow (i32.load offset=36 (local.get $job)))
    (local.set $slot (i32.load offset=44 (local.get $job)))
    (local.set $threshold (i32.load offset=60 (local.get $job)))
    (local.set $scores (i32.load offset=72 (local.get $job)))
    (local.set $low (i8x16.splat (i32.const 15)))
    (local.set $limit (i16x8.splat (local.get $threshold)))
    (block $done (loop $nextTile
      (br_if $done (i32.eqz (local.get $tilesLeft)))
      (local.set $mask (i32.load (local.get $live)))
      (if (i32.eqz (local.get $mask))
        (then (local.set $tile (i32.add (local.get $tile) (i32.shl (local.get $quads) (i32.const 6)))))
        (else
          (local.set $a0 (v128.const i64x2 0 0)) (local.set $a1 (v128.const i64x2 0 0))
          (local.set $a2 (v128.const i64x2 0 0)) (local.set $a3 (v128.const i64x2 0 0))
          (local.set $table (local.get $tables))
          (local.set $quadsLeft (local.get $quads))
          (loop $nextQuad
            (local.set $b0 (v128.load offset=0 (local.get $tile)))
            (local.set $b1 (v128.load offset=16 (local.get $tile)))
            (local.set $b2 (v128.load offset=32 (local.get $tile)))
            (local.set $b3 (v128.load offset=48 (local.get $tile)))
            (local.set $t0 (v128.load offset=0 (local.get $table)))
            (local.set $t1 (v128.load offset=16 (local.get $table)))
            (local.set $t2 (v128.load offset=32 (local.get $table)))
            (local.set $t3 (v128.load offset=48 (local.get $table)))
            (local.set $sum (i8x16.add
              (i8x16.add
                (i8x16.swizzle (local.get $t0) (v128.and (local.get $b0) (local.get $low)))
                (i8x16.swizzle (local.get $t1) (v128.and (local.get $b1) (local.get $low))))
              (i8x16.add
                (i8x16.swizzle (local.get $t2) (v128.and (local.get $b2) (local.get $low)))
                (i8x16.swizzle (local.get $t3) (v128.and (local.get $b3) (local.get $low))))))
            ;; Adds 16-bit lanes: an even byte plus 256 times its odd neighbour, which is subtracted at the end.
            (local.set $a0 (i16x8.add (local.get $a0) (local.get $sum)))
            (local.set $a1 (i16x8.add (local.get $a1) (i16x8.shr_u (local.get $sum) (i32.const 8))))
            (local.set $sum (i8x16.add
              (i8x16.add
                (i8x16.swizzle (local.get $t0)
                  (v128.and (i16x8.shr_u (local.get $b0) (i32.const 4)) (local.get $low)))
                (i8x16.swizzle (local.get $t1)
                  (v128.and (i16x8.shr_u (local.get $b1) (i32.const 4)) (local.get $low))))
              (i8x16.add
                (i8x16.swizzle (local.get $t2)
                  (v128.and (i16x8.shr_u (local.get $b2) (i32.const 4)) (local.get $low)))
                (i8x16.swizzle (local.get $t3)
                  (v128.and (i16x8.shr_u (local.get $b3) (i32.const 4)) (local.get $low))))))
            (local.set $a2 (i16x8.add (local.get $a2) (local.get $sum)))
            (local.set $a3 (i16x8.add (local.get $a3) (i16x8.shr_u (local.get $sum) (i32.const 8))))
            (local.set $tile (i32.add (local.get $tile) (i32.const 64)))
            (local.set $table (i32.add (local.get $table) (i32.const 64)))
            (br_if $nextQuad (local.tee $quadsLeft (i32.sub (local.get $quadsLeft) (i32.const 1)))))
          (local.set $a0 (i16x8.sub (local.get $a0) (i16x8.shl (local.get $a1) (i32.const 8))))
          (local.set $a2 (i16x8.sub (local.get $a2) (i16x8.shl (local.get $a3) (i32.const 8))))
          (local.set $a0 (i16x8.q15mulr_sat_s
            (i16x8.shl (i16x8.sub (local.get $a0) (local.get $bias)) (local.get $shift))
            (v128.load offset=0 (local.get $factors))))
          (local.set $a1 (i16x8.q15mulr_sat_s
            (i16x8.shl (i16x8.sub (local.get $a1) (local.get $bias)) (local.get $shift))
            (v128.load offset=16 (local.get $factors))))
          (local.set $a2 (i16x8.q15mulr_sat_s
            (i16x8.shl (i16x8.sub (local.get $a2) (local.get $bias)) (local.get $shift))
            (v128.load offset=32 (local.get $factors))))
          (local.set $a3 (i16x8.q15mulr_sat_s
            (i16x8.shl (i16x8.sub (local.get $a3) (local.get $bias)) (local.get $shift))
            (v128.load offset=48 (local.get $factors))))
          (local.set $mask (i32.and (local.get $mask)
            (i32.or
              (i32.or
                (i16x8.bitmask (i16x8.gt_s (local.get $a0) (local.get $limit)))
                (i32.shl (i16x8.bitmask (i16x8.gt_s (local.get $a1) (local.get $limit))) (i32.const 8)))
              (i32.or
                (i32.shl (i16x8.bitmask (i16x8.gt_s (local.get $a2) (local.get $limit))) (i32.const 16))
                (i32.shl (i16x8.bitmask (i16x8.gt_s (local.get $a3) (local.get $limit))) (i32.const 24))))))
          (if (local.get $mask) (then
            (v128.store offset=0 (local.get $scores) (local.get $a0))
            (v128.store offset=16 (local.get $scores) (local.get $a1))
            (v128.store offset=32 (local.get $scores) (local.get $a2))
            (v128.store offset=48 (local.get $scores) (local.get $a3))
            (local.set $count (i32.load offset=56 (local.get $job)))
            (loop $nextLane
              (local.set $lane (i32.ctz (local.get $mask)))
              (local.set $mask (i32.and (local.get $mask) (i32.sub (local.get $mask) (i32.const 1))))
              (block $skip
                (local.set $score
                  (i32.load16_s (i32.add (local.get $scores) (i32.shl (local.get $lane) (i32.const 1)))))
                (br_if $skip (i32.le_s (local.get $score) (local.get $threshold)))
                ;; The filter is checked last, because few slots get this far.
                (if (local.get $allow) (then
                  (local.set $owner (i32.load (i32.add (i32.load offset=32 (local.get $job))
                    (i32.shl (local.get $lane) (i32.const 2)))))
                  (br_if $skip (i32.ge_u (i32.shr_u (local.get $owner) (i32.const 3))
                    (i32.load offset=40 (local.get $job))))
                  (br_if $skip (i32.eqz (i32.and
                    (i32.shr_u
                      (i32.load8_u
                        (i32.add (local.get $allow) (i32.shr_u (local.get $owner) (i32.const 3))))
                      (i32.and (local.get $owner) (i32.const 7)))
                    (i32.const 1))))))
                (i32.store
                  (i32.add (i32.load offset=48 (local.get $job)) (i32.shl (local.get $count) (i32.const 2)))
                  (i32.add (local.get $slot) (local.get $lane)))
                (i32.store
                  (i32.add (i32.load offset=52 (local.get $job)) (i32.shl (local.get $count) (i32.const 2)))
                  (local.get $score))
                (local.set $count (i32.add (local.get $count) (i32.const 1)))
                (if (i32.eq (local.get $count) (i32.load offset=68 (local.get $job))) (then
                  (i32.store offset=56 (local.get $job) (local.get $count))
                  (call $keepBest (local.get $job))
                  (local.set $count (i32.load offset=56 (local.get $job)))
                  (local.set $threshold (i32.load offset=60 (local.get $job)))
                  (local.set $limit (i16x8.splat (local.get $threshold))))))
              (br_if $nextLane (local.get $mask)))
            (i32.store offset=56 (local.get $job) (local.get $count))))))
      (local.set $live (i32.add (local.get $live) (i32.const 4)))
      (local.set $factors (i32.add (local.get $factors) (i32.const 64)))
      (local.set $slot (i32.add (local.get $slot) (i32.const 32)))
      (i32.store offset=32 (local.get $job)
        (i32.add (i32.load offset=32 (local.get $job)) (i32.const 128)))
      (local.set $tilesLeft (i32.sub (local.get $tilesLeft) (i32.const 1)))
      (br $nextTile))))

  ;; keepBest(job): cuts the candidate list to the `want` best (score down, slot up) and raises the
  ;; threshold to the worst kept. Two histograms of 256 find that score without sorting.
  (func $keepBest (export "keepBest") (param $job i32)
    (local $histogram i32) (local $scores i32) (local $slots i32) (local $count i32) (local $want i32)
    (local $i i32) (local $cell i32) (local $score i32) (local $high i32) (local $kept i32)
    (local $ties i32)
    (local.set $histogram (i32.add (i32.load offset=72 (local.get $job)) (i32.const 64)))
    (local.set $slots (i32.load offset=48 (local.get $job)))
    (local.set $scores (i32.load offset=52 (local.get $job)))
    (local.set $count (i32.load offset=56 (local.get $job)))
    (local.set $want (i32.load offset=64 (local.get $job)))
    (if (i32.lt_u (local.get $count) (local.get $want)) (then (return)))

    (memory.fill (local.get $histogram) (i32.const 0) (i32.const 1024))
    (loop $byHigh
      (local.set $cell (i32.add (local.get $histogram) (i32.shl (i32.shr_u (i32.add (i32.load
        (i32.add (local.get $scores) (i32.shl (local.get $i) (i32.const 2))))
        (i32.const 32768)) (i32.const 8)) (i32.const 2))))
      (i32.store (local.get $cell) (i32.add (i32.load (local.get $cell)) (i32.const 1)))
      (br_if $byHigh (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (local.get $count))))
    ;; $ties: how many of the wanted scores are still to be found in or below the current cell.
    (local.set $ties (local.get $want))
    (local.set $high (i32.const 255))
    (block $found (loop $down
      (local.set $cell (i32.load (i32.add (local.get $histogram) (i32.shl (local.get $high) (i32.const 2)))))
      (br_if $found (i32.ge_u (local.get $cell) (local.get $ties)))
      (local.set $ties (i32.sub (local.get $ties) (local.get $cell)))
      (local.set $high (i32.sub (local.get $high) (i32.const 1)))
      (br $down)))

    (memory.fill (local.get $histogram) (i32.const 0) (i32.const 1024))
    (local.set $i (i32.const 0))
    (loop $byLow
      (local.set $score (i32.add (i32.load
        (i32.add (local.get $scores) (i32.shl (local.get $i) (i32.const 2)))) (i32.const 32768)))
      (if (i32.eq (i32.shr_u (local.get $score) (i32.const 8)) (local.get $high)) (then
        (local.set $cell (i32.add (local.get $histogram)
          (i32.shl (i32.and (local.get $score) (i32.const 255)) (i32.const 2))))
        (i32.store (local.get $cell) (i32.add (i32.load (local.get $cell)) (i32.const 1)))))
      (br_if $byLow (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (local.get $count))))
    (local.set $score (i32.const 255))
    (block $found2 (loop $down2
      (local.set $cell (i32.load (i32.add (local.get $histogram) (i32.shl (local.get $score) (i32.const 2)))))
      (br_if $found2 (i32.ge_u (local.get $cell) (local.get $ties)))
      (local.set $ties (i32.sub (local.get $ties) (local.get $cell)))
      (local.set $score (i32.sub (local.get $score) (i32.const 1)))
      (br $down2)))
    ;; From here on $high is the worst kept score. The first $ties slots with that score stay.
    (local.set $high (i32.sub
      (i32.or (i32.shl (local.get $high) (i32.const 8)) (local.get $score)) (i32.const 32768)))

    (local.set $i (i32.const 0))
    (loop $sift
      (local.set $score (i32.load (i32.add (local.get $scores) (i32.shl (local.get $i) (i32.const 2)))))
      (block $drop
        (br_if $drop (i32.lt_s (local.get $score) (local.get $high)))
        (if (i32.eq (local.get $score) (local.get $high)) (then
          (br_if $drop (i32.eqz (local.get $ties)))
          (local.set $ties (i32.sub (local.get $ties) (i32.const 1)))))
        (i32.store (i32.add (local.get $scores) (i32.shl (local.get $kept) (i32.const 2)))
          (local.get $score))
        (i32.store (i32.add (local.get $slots) (i32.shl (local.get $kept) (i32.const 2)))
          (i32.load (i32.add (local.get $slots) (i32.shl (local.get $i) (i32.const 2)))))
        (local.set $kept (i32.add (local.get $kept) (i32.const 1))))
      (br_if $sift (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (local.get $count))))
    (i32.store offset=56 (local.get $job) (local.get $kept))
    (i32.store offset=60 (local.get $job) (local.get $high)))

  ;; score(job): the similarity of each listed slot, from its int8 codes and a 16-bit query.
  (func (export "score") (param $job i32)
    (local $slots i32) (local $count i32) (local $segments i32) (local $width i32) (local $scales i32)
    (local $query i32) (local $unit f32) (local $out i32)
    (local $base i32) (local $at i32) (local $code i32) (local $end i32) (local $q i32)
    (local $s0 v128) (local $s1 v128)
    (local.set $slots (i32.load offset=0 (local.get $job)))
    (local.set $count (i32.load offset=4 (local.get $job)))
    (local.set $segments (i32.load offset=8 (local.get $job)))
    (local.set $width (i32.load offset=12 (local.get $job)))
    (local.set $scales (i32.load offset=16 (local.get $job)))
    (local.set $query (i32.load offset=20 (local.get $job)))
    (local.set $unit (f32.load offset=24 (local.get $job)))
    (local.set $out (i32.load offset=28 (local.get $job)))
    (block $done (loop $next
      (br_if $done (i32.eqz (local.get $count)))
      (local.set $at (i32.load (local.get $slots)))
      (local.set $base (i32.load
        (i32.add (local.get $segments) (i32.shl (i32.shr_u (local.get $at) (i32.const 12)) (i32.const 2)))))
      (local.set $at (i32.and (local.get $at) (i32.const 4095)))
      (local.set $code (i32.add (local.get $base) (i32.mul (local.get $at) (local.get $width))))
      (local.set $end (i32.add (local.get $code) (local.get $width)))
      (local.set $q (local.get $query))
      (local.set $s0 (v128.const i64x2 0 0))
      (local.set $s1 (v128.const i64x2 0 0))
      (loop $sixteen
        (local.set $s0 (i32x4.add (local.get $s0) (i32x4.dot_i16x8_s
          (v128.load8x8_s offset=0 (local.get $code)) (v128.load offset=0 (local.get $q)))))
        (local.set $s1 (i32x4.add (local.get $s1) (i32x4.dot_i16x8_s
          (v128.load8x8_s offset=8 (local.get $code)) (v128.load offset=16 (local.get $q)))))
        (local.set $q (i32.add (local.get $q) (i32.const 32)))
        (br_if $sixteen
          (i32.ne (local.tee $code (i32.add (local.get $code) (i32.const 16))) (local.get $end))))
      (local.set $s0 (i32x4.add (local.get $s0) (local.get $s1)))
      ;; Clamps, because rounding may exceed 1 by a millionth.
      (f32.store (local.get $out) (f32.max (f32.const -1) (f32.min (f32.const 1) (f32.mul
        (f32.mul
          (f32.convert_i32_s (call $total (local.get $s0)))
          (f32.load (i32.add (i32.add (local.get $base) (local.get $scales))
            (i32.shl (local.get $at) (i32.const 2)))))
        (local.get $unit)))))
      (local.set $slots (i32.add (local.get $slots) (i32.const 4)))
      (local.set $out (i32.add (local.get $out) (i32.const 4)))
      (local.set $count (i32.sub (local.get $count) (i32.const 1)))
      (br $next))))

  ;; levels(code, edge): maps 16 int8 numbers to 2-bit levels 0..3: below −edge, below 0, below edge, above.
  (func $levels (param $x v128) (param $edge v128) (result v128)
    (i8x16.neg (i8x16.add
      (i8x16.add
        (i8x16.ge_s (local.get $x) (i8x16.neg (local.get $edge)))
        (i8x16.ge_s (local.get $x) (v128.const i64x2 0 0)))
      (i8x16.ge_s (local.get $x) (local.get $edge)))))

  (func $total (param $x v128) (result i32)
    (i32.add
      (i32.add (i32x4.extract_lane 0 (local.get $x)) (i32x4.extract_lane 1 (local.get $x)))
      (i32.add (i32x4.extract_lane 2 (local.get $x)) (i32x4.extract_lane 3 (local.get $x)))))

  ;; edge(...): the border between a vector's inner and outer levels: `unit` times the length of its codes, at least 1.
  (func $edge (param $code i32) (param $width i32) (param $unit f32) (result i32)
    (local $end i32) (local $x v128) (local $h v128) (local $sum v128)
    (local.set $end (i32.add (local.get $code) (local.get $width)))
    (loop $sixteen
      (local.set $x (v128.load (local.get $code)))
      (local.set $h (i16x8.extend_low_i8x16_s (local.get $x)))
      (local.set $sum (i32x4.add (local.get $sum) (i32x4.dot_i16x8_s (local.get $h) (local.get $h))))
      (local.set $h (i16x8.extend_high_i8x16_s (local.get $x)))
      (local.set $sum (i32x4.add (local.get $sum) (i32x4.dot_i16x8_s (local.get $h) (local.get $h))))
      (br_if $sixteen
        (i32.ne (local.tee $code (i32.add (local.get $code) (i32.const 16))) (local.get $end))))
    (i32.trunc_sat_f32_s (f32.max (f32.const 1) (f32.min (f32.const 127) (f32.nearest (f32.mul
      (f32.sqrt (f32.convert_i32_s (call $total (local.get $sum)))) (local.get $unit)))))))

  ;; factor(...): the factor of a vector's estimates that makes its estimate of itself 1.
  (func $factor (param $code i32) (param $width i32) (param $edge i32) (param $scale f32)
    (param $unit f32) (result i32)
    (local $end i32) (local $x v128) (local $e v128) (local $all v128) (local $outer v128)
    (local.set $end (i32.add (local.get $code) (local.get $width)))
    (local.set $e (i8x16.splat (local.get $edge)))
    (loop $sixteen
      (local.set $x (v128.load (local.get $code)))
      (local.set $all (i32x4.add (local.get $all) (i32x4.extadd_pairwise_i16x8_u
        (i16x8.extadd_pairwise_i8x16_u (i8x16.abs (local.get $x))))))
      (local.set $outer (i32x4.add (local.get $outer) (i32x4.extadd_pairwise_i16x8_u
        (i16x8.extadd_pairwise_i8x16_u (v128.and (i8x16.abs (local.get $x))
          (v128.or (i8x16.ge_s (local.get $x) (local.get $e))
            (i8x16.lt_s (local.get $x) (i8x16.neg (local.get $e)))))))))
      (br_if $sixteen
        (i32.ne (local.tee $code (i32.add (local.get $code) (i32.const 16))) (local.get $end))))
    (i32.trunc_sat_f32_s (f32.min (f32.const 32767) (f32.div (local.get $unit)
      (f32.mul (local.get $scale) (f32.convert_i32_s (i32.add
        (i32.mul (call $total (local.get $all)) (i32.const 3))
        (i32.mul (call $total (local.get $outer)) (i32.const 7)))))))))

  ;; coarsen(...): derives the nibbles and factors of whole tiles, from slot `index` to before slot `end`.
  (func (export "coarsen") (param $shape i32) (param $segment i32) (param $index i32) (param $end i32)
    (loop $next
      (if (i32.eqz (i32.and (local.get $index) (i32.const 16)))
        (then (call $coarsenPair (local.get $shape) (local.get $segment) (local.get $index))))
      (br_if $next
        (i32.ne (local.tee $index (i32.add (local.get $index) (i32.const 1))) (local.get $end)))))

  ;; coarsenPair(...): the same for two slots 16 apart, which share their bytes.
  (func $coarsenPair (param $shape i32) (param $segment i32) (param $index i32)
    (local $width i32) (local $scales i32) (local $factors i32) (local $edgeUnit f32)
    (local $factorUnit f32)
    (local $first i32) (local $second i32) (local $end i32) (local $out i32) (local $lane i32)
    (local $x v128) (local $y v128) (local $e v128) (local $f v128)
    (local.set $width (i32.load offset=0 (local.get $shape)))
    (local.set $edgeUnit (f32.load offset=16 (local.get $shape)))
    (local.set $factorUnit (f32.load offset=20 (local.get $shape)))
    (local.set $first (i32.add (local.get $segment) (i32.mul (local.get $index) (local.get $width))))
    (local.set $second (i32.add (local.get $first) (i32.shl (local.get $width) (i32.const 4))))
    (local.set $end (i32.add (local.get $first) (local.get $width)))
    (local.set $scales
      (i32.add (i32.add (local.get $segment) (i32.load offset=8 (local.get $shape)))
        (i32.shl (local.get $index) (i32.const 2))))
    (local.set $factors
      (i32.add (i32.add (local.get $segment) (i32.load offset=12 (local.get $shape)))
        (i32.shl (local.get $index) (i32.const 1))))
    (local.set $lane (call $edge (local.get $first) (local.get $width) (local.get $edgeUnit)))
    (local.set $e (i8x16.splat (local.get $lane)))
    (i32.store16 (local.get $factors) (call $factor (local.get $first) (local.get $width)
      (local.get $lane) (f32.load (local.get $scales)) (local.get $factorUnit)))
    (local.set $lane (call $edge (local.get $second) (local.get $width) (local.get $edgeUnit)))
    (local.set $f (i8x16.splat (local.get $lane)))
    (i32.store16 offset=32 (local.get $factors) (call $factor (local.get $second) (local.get $width)
      (local.get $lane) (f32.load offset=64 (local.get $scales)) (local.get $factorUnit)))
    ;; Slots 0..7 of a tile are in even bytes, 8..15 in odd bytes, because the scan sums these separately.
    (local.set $lane (i32.and (local.get $index) (i32.const 15)))
    (local.set $out (i32.add
      (i32.add (i32.add (local.get $segment) (i32.load offset=4 (local.get $shape)))
        (i32.mul (i32.shr_u (local.get $index) (i32.const 5)) (i32.shl (local.get $width) (i32.const 3))))
      (i32.or (i32.shl (i32.and (local.get $lane) (i32.const 7)) (i32.const 1))
        (i32.shr_u (local.get $lane) (i32.const 3)))))
    (loop $sixteen
      (local.set $x (call $levels (v128.load (local.get $first)) (local.get $e)))
      (local.set $y (call $levels (v128.load (local.get $second)) (local.get $f)))
      (local.set $x (v128.or (local.get $x) (i16x8.shr_u (local.get $x) (i32.const 6))))
      (local.set $y (v128.or (local.get $y) (i16x8.shr_u (local.get $y) (i32.const 6))))
      (local.set $x (v128.or
        (v128.and (local.get $x) (i16x8.splat (i32.const 15)))
        (i16x8.shl (v128.and (local.get $y) (i16x8.splat (i32.const 15))) (i32.const 4))))
      (v128.store8_lane offset=0 0 (local.get $out) (local.get $x))
      (v128.store8_lane offset=16 2 (local.get $out) (local.get $x))
      (v128.store8_lane offset=32 4 (local.get $out) (local.get $x))
      (v128.store8_lane offset=48 6 (local.get $out) (local.get $x))
      (v128.store8_lane offset=64 8 (local.get $out) (local.get $x))
      (v128.store8_lane offset=80 10 (local.get $out) (local.get $x))
      (v128.store8_lane offset=96 12 (local.get $out) (local.get $x))
      (v128.store8_lane offset=112 14 (local.get $out) (local.get $x))
      (local.set $out (i32.add (local.get $out) (i32.const 128)))
      (local.set $second (i32.add (local.get $second) (i32.const 16)))
      (br_if $sixteen
        (i32.ne (local.tee $first (i32.add (local.get $first) (i32.const 16))) (local.get $end)))))
)
