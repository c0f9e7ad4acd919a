;; The ids of a text become its vector as the model defines it (the formula is told in
;; src/embedding/static/gated-sum.ts), as plain-sum.ts computes it, but quickly.
;;
;; Rows are int8 and weights become int16, of which the largest is 32767: one instruction then multiplies
;; eight numbers and adds them up in pairs. It errs by some hundred-thousandths of a vector.
;;
;; The memory begins with these numbers, four bytes each, all of them addresses but the last:
;;   0 table, 256 bytes a row      4 scale, a float for each id
;;   8, 12 the two gates, 256 × 32 floats, by rows
;;   16 counts: how often each id was counted, all zero between texts
;;   20 rows: the address of each distinct row of the text      24 weights, a float for each of them
;;   28 along: how far each row points along the gate, a float      32 how many distinct rows
;; At 64 lies the vector, at 1088 what the gate makes of it (256 floats each), at 2112 that as int16,
;; at 2624 the weights of 512 rows as int16. The last three lists have room for eight more than there are ids.
(module
  (memory (import "cairn" "memory") 1)
  (global $vector i32 (i32.const 64))
  (global $gate i32 (i32.const 1088))
  (global $smallGate i32 (i32.const 2112))
  (global $shares i32 (i32.const 2624))

  ;; count(ids, end): ids of the text, which may come in several calls. A text repeats many of its words.
  (func (export "count") (param $ids i32) (param $end i32)
    (local $table i32) (local $counts i32) (local $row i32) (local $id i32) (local $cell i32)
    (local $seen i32)
    (local.set $table (i32.load (i32.const 0)))
    (local.set $counts (i32.load (i32.const 16)))
    (local.set $row
      (i32.add (i32.load (i32.const 20)) (i32.shl (i32.load (i32.const 32)) (i32.const 2))))
    (block $done (loop $next
      (br_if $done (i32.ge_u (local.get $ids) (local.get $end)))
      (local.set $id (i32.load (local.get $ids)))
      (local.set $cell
        (i32.add (local.get $counts) (i32.shl (local.get $id) (i32.const 2))))
      (local.set $seen (i32.load (local.get $cell)))
      (i32.store (local.get $cell) (i32.add (local.get $seen) (i32.const 1)))
      ;; Written even where it was seen before, and then written over.
      (i32.store (local.get $row)
        (i32.add (local.get $table) (i32.shl (local.get $id) (i32.const 8))))
      (local.set $row
        (i32.add (local.get $row) (i32.shl (i32.eqz (local.get $seen)) (i32.const 2))))
      (local.set $ids (i32.add (local.get $ids) (i32.const 4)))
      (br $next)))
    (i32.store (i32.const 32) (i32.shr_u
      (i32.sub (local.get $row) (i32.load (i32.const 20))) (i32.const 2))))

  ;; finish(): the vector of all ids that were counted, which are forgotten; zero where it has no direction.
  (func (export "finish") (result i32)
    (local $hasDirection i32)
    (call $weigh)
    (call $sum)
    (if (call $toUnit) (then
      (call $openGate)
      (call $weighByGate)
      (call $sum)
      (local.set $hasDirection (call $toUnit))))
    (i32.store (i32.const 32) (i32.const 0))
    (local.get $hasDirection))

  ;; weigh(): the scale of each row times its count, and nothing for those that fill up the last eight.
  ;; Forgets the counts.
  (func $weigh
    (local $row i32) (local $end i32) (local $weight i32) (local $id4 i32) (local $cell i32)
    (local.set $row (i32.load (i32.const 20)))
    (local.set $end (i32.add (local.get $row) (i32.shl (i32.load (i32.const 32)) (i32.const 2))))
    (local.set $weight (i32.load (i32.const 24)))
    (block $done (loop $next
      (br_if $done (i32.ge_u (local.get $row) (local.get $end)))
      ;; Four times the id: where its number lies in a list of four bytes each.
      (local.set $id4 (i32.shr_u
        (i32.sub (i32.load (local.get $row)) (i32.load (i32.const 0))) (i32.const 6)))
      (local.set $cell (i32.add (i32.load (i32.const 16)) (local.get $id4)))
      (f32.store (local.get $weight) (f32.mul
        (f32.load (i32.add (i32.load (i32.const 4)) (local.get $id4)))
        (f32.convert_i32_s (i32.load (local.get $cell)))))
      (i32.store (local.get $cell) (i32.const 0))
      (local.set $row (i32.add (local.get $row) (i32.const 4)))
      (local.set $weight (i32.add (local.get $weight) (i32.const 4)))
      (br $next)))
    (v128.store offset=0 (local.get $weight) (v128.const i64x2 0 0))
    (v128.store offset=16 (local.get $weight) (v128.const i64x2 0 0))
    ;; Rows are taken in pairs: of an odd number, the last one goes with any row that weighs nothing.
    (i32.store (local.get $end) (i32.load (i32.const 0))))

  ;; mostOf(...): the largest of these floats, whatever its sign. Four are looked at together.
  (func $mostOf (param $at i32) (param $end i32) (result f32)
    (local $most v128)
    (loop $next
      (local.set $most (f32x4.max (local.get $most) (f32x4.abs (v128.load (local.get $at)))))
      (br_if $next (i32.lt_u
        (local.tee $at (i32.add (local.get $at) (i32.const 16))) (local.get $end))))
    (f32.max
      (f32.max (f32x4.extract_lane 0 (local.get $most)) (f32x4.extract_lane 1 (local.get $most)))
      (f32.max (f32x4.extract_lane 2 (local.get $most)) (f32x4.extract_lane 3 (local.get $most)))))

  ;; narrow(...): floats as int16 until `to` reaches `end` or is past it, `most` becoming 32767.
  (func $narrow (param $from i32) (param $to i32) (param $end i32) (param $most f32)
    (local $factor v128)
    (if (f32.gt (local.get $most) (f32.const 0)) (then
      (local.set $factor (f32x4.splat (f32.div (f32.const 32767) (local.get $most))))))
    (block $done (loop $next
      (br_if $done (i32.ge_u (local.get $to) (local.get $end)))
      (v128.store (local.get $to) (i16x8.narrow_i32x4_s
        (i32x4.trunc_sat_f32x4_s (f32x4.nearest
          (f32x4.mul (v128.load offset=0 (local.get $from)) (local.get $factor))))
        (i32x4.trunc_sat_f32x4_s (f32x4.nearest
          (f32x4.mul (v128.load offset=16 (local.get $from)) (local.get $factor))))))
      (local.set $from (i32.add (local.get $from) (i32.const 32)))
      (local.set $to (i32.add (local.get $to) (i32.const 16)))
      (br $next))))

  ;; sum(): the vector is the sum of all rows by their weights. Goes over the rows once per 32 dimensions,
  ;; so that the 32 sums never leave their registers.
  ;;
  ;; A pair of rows adds at most 2 · 32767 · 128 to a sum, so that 256 pairs cannot overflow an int32.
  ;; A text of more rows is added up in several goes, each with a largest weight of its own.
  (func $sum
    (local $go i32) (local $goEnd i32) (local $end i32) (local $goRows i32) (local $most f32)
    (local $block i32) (local $share i32) (local $sharesEnd i32) (local $pair i32)
    (local $a i32) (local $b i32) (local $out i32) (local $weights v128) (local $x v128) (local $y v128)
    (local $s0 v128) (local $s1 v128) (local $s2 v128) (local $s3 v128)
    (local $s4 v128) (local $s5 v128) (local $s6 v128) (local $s7 v128)
    (memory.fill (global.get $vector) (i32.const 0) (i32.const 1024))
    (local.set $goRows (i32.load (i32.const 20)))
    (local.set $go (i32.load (i32.const 24)))
    (local.set $end (i32.add (local.get $go) (i32.shl (i32.load (i32.const 32)) (i32.const 2))))
    (block $done (loop $nextGo
      (br_if $done (i32.ge_u (local.get $go) (local.get $end)))
      (local.set $goEnd (i32.add (local.get $go) (i32.const 2048)))
      (if (i32.gt_u (local.get $goEnd) (local.get $end)) (then (local.set $goEnd (local.get $end))))
      (local.set $most (call $mostOf (local.get $go) (local.get $goEnd)))
      (local.set $sharesEnd (i32.add (global.get $shares)
        (i32.shr_u (i32.sub (local.get $goEnd) (local.get $go)) (i32.const 1))))
      (call $narrow
        (local.get $go) (global.get $shares) (local.get $sharesEnd) (local.get $most))
      (local.set $out (global.get $vector))
      (local.set $block (i32.const 0))
      (loop $nextBlock
        (local.set $s0 (v128.const i64x2 0 0)) (local.set $s1 (v128.const i64x2 0 0))
        (local.set $s2 (v128.const i64x2 0 0)) (local.set $s3 (v128.const i64x2 0 0))
        (local.set $s4 (v128.const i64x2 0 0)) (local.set $s5 (v128.const i64x2 0 0))
        (local.set $s6 (v128.const i64x2 0 0)) (local.set $s7 (v128.const i64x2 0 0))
        (local.set $share (global.get $shares))
        (local.set $pair (local.get $goRows))
        (loop $nextPair
          (local.set $a (i32.add (i32.load offset=0 (local.get $pair)) (local.get $block)))
          (local.set $b (i32.add (i32.load offset=4 (local.get $pair)) (local.get $block)))
          (local.set $weights (v128.load32_splat (local.get $share)))
          (local.set $x (v128.load8x8_s offset=0 (local.get $a)))
          (local.set $y (v128.load8x8_s offset=0 (local.get $b)))
          (local.set $s0 (i32x4.add (local.get $s0) (i32x4.dot_i16x8_s (local.get $weights)
            (i8x16.shuffle 0 1 16 17 2 3 18 19 4 5 20 21 6 7 22 23 (local.get $x) (local.get $y)))))
          (local.set $s1 (i32x4.add (local.get $s1) (i32x4.dot_i16x8_s (local.get $weights)
            (i8x16.shuffle 8 9 24 25 10 11 26 27 12 13 28 29 14 15 30 31
              (local.get $x) (local.get $y)))))
          (local.set $x (v128.load8x8_s offset=8 (local.get $a)))
          (local.set $y (v128.load8x8_s offset=8 (local.get $b)))
          (local.set $s2 (i32x4.add (local.get $s2) (i32x4.dot_i16x8_s (local.get $weights)
            (i8x16.shuffle 0 1 16 17 2 3 18 19 4 5 20 21 6 7 22 23 (local.get $x) (local.get $y)))))
          (local.set $s3 (i32x4.add (local.get $s3) (i32x4.dot_i16x8_s (local.get $weights)
            (i8x16.shuffle 8 9 24 25 10 11 26 27 12 13 28 29 14 15 30 31
              (local.get $x) (local.get $y)))))
          (local.set $x (v128.load8x8_s offset=16 (local.get $a)))
          (local.set $y (v128.load8x8_s offset=16 (local.get $b)))
          (local.set $s4 (i32x4.add (local.get $s4) (i32x4.dot_i16x8_s (local.get $weights)
            (i8x16.shuffle 0 1 16 17 2 3 18 19 4 5 20 21 6 7 22 23 (local.get $x) (local.get $y)))))
          (local.set $s5 (i32x4.add (local.get $s5) (i32x4.dot_i16x8_s (local.get $weights)
            (i8x16.shuffle 8 9 24 25 10 11 26 27 12 13 28 29 14 15 30 31
              (local.get $x) (local.get $y)))))
          (local.set $x (v128.load8x8_s offset=24 (local.get $a)))
          (local.set $y (v128.load8x8_s offset=24 (local.get $b)))
          (local.set $s6 (i32x4.add (local.get $s6) (i32x4.dot_i16x8_s (local.get $weights)
            (i8x16.shuffle 0 1 16 17 2 3 18 19 4 5 20 21 6 7 22 23 (local.get $x) (local.get $y)))))
          (local.set $s7 (i32x4.add (local.get $s7) (i32x4.dot_i16x8_s (local.get $weights)
            (i8x16.shuffle 8 9 24 25 10 11 26 27 12 13 28 29 14 15 30 31
              (local.get $x) (local.get $y)))))
          (local.set $pair (i32.add (local.get $pair) (i32.const 8)))
          (br_if $nextPair (i32.lt_u
            (local.tee $share (i32.add (local.get $share) (i32.const 4))) (local.get $sharesEnd))))
        (call $addTo (local.get $out) (i32.const 0) (local.get $s0) (local.get $most))
        (call $addTo (local.get $out) (i32.const 16) (local.get $s1) (local.get $most))
        (call $addTo (local.get $out) (i32.const 32) (local.get $s2) (local.get $most))
        (call $addTo (local.get $out) (i32.const 48) (local.get $s3) (local.get $most))
        (call $addTo (local.get $out) (i32.const 64) (local.get $s4) (local.get $most))
        (call $addTo (local.get $out) (i32.const 80) (local.get $s5) (local.get $most))
        (call $addTo (local.get $out) (i32.const 96) (local.get $s6) (local.get $most))
        (call $addTo (local.get $out) (i32.const 112) (local.get $s7) (local.get $most))
        (local.set $out (i32.add (local.get $out) (i32.const 128)))
        (br_if $nextBlock (i32.lt_u
          (local.tee $block (i32.add (local.get $block) (i32.const 32))) (i32.const 256))))
      (local.set $goRows (i32.add (local.get $goRows) (i32.const 2048)))
      (local.set $go (local.get $goEnd))
      (br $nextGo))))

  ;; addTo(...): adds four sums to the vector, a share of 32767 having stood for `most`.
  (func $addTo (param $out i32) (param $bytes i32) (param $sums v128) (param $most f32)
    (local.set $out (i32.add (local.get $out) (local.get $bytes)))
    (v128.store (local.get $out) (f32x4.add
      (v128.load (local.get $out))
      (f32x4.mul
        (f32x4.convert_i32x4_s (local.get $sums))
        (f32x4.splat (f32.div (local.get $most) (f32.const 32767)))))))

  ;; toUnit(): the vector at length 1; zero where there is no direction to keep.
  (func $toUnit (result i32)
    (local $at i32) (local $end i32) (local $x v128) (local $squares v128) (local $factor v128)
    (local $total f32)
    (local.set $end (i32.add (global.get $vector) (i32.const 1024)))
    (local.set $at (global.get $vector))
    (loop $next
      (local.set $x (v128.load (local.get $at)))
      (local.set $squares
        (f32x4.add (local.get $squares) (f32x4.mul (local.get $x) (local.get $x))))
      (br_if $next (i32.lt_u
        (local.tee $at (i32.add (local.get $at) (i32.const 16))) (local.get $end))))
    (local.set $total (call $total (local.get $squares)))
    (if (i32.eqz (f32.gt (local.get $total) (f32.const 0))) (then (return (i32.const 0))))
    (local.set $factor (f32x4.splat (f32.div (f32.const 1) (f32.sqrt (local.get $total)))))
    (local.set $at (global.get $vector))
    (loop $next
      (v128.store (local.get $at)
        (f32x4.mul (v128.load (local.get $at)) (local.get $factor)))
      (br_if $next (i32.lt_u
        (local.tee $at (i32.add (local.get $at) (i32.const 16))) (local.get $end))))
    (i32.const 1))

  (func $total (param $x v128) (result f32)
    (f32.add
      (f32.add (f32x4.extract_lane 0 (local.get $x)) (f32x4.extract_lane 1 (local.get $x)))
      (f32.add (f32x4.extract_lane 2 (local.get $x)) (f32x4.extract_lane 3 (local.get $x)))))

  ;; openGate(): gate = token · (textᵀ · vector). The 32 numbers between the two live in registers.
  (func $openGate
    (local $at i32) (local $end i32) (local $row i32) (local $value v128) (local $sum v128)
    (local $i0 v128) (local $i1 v128) (local $i2 v128) (local $i3 v128)
    (local $i4 v128) (local $i5 v128) (local $i6 v128) (local $i7 v128)
    (local.set $row (i32.load (i32.const 8)))
    (local.set $at (global.get $vector))
    (local.set $end (i32.add (global.get $vector) (i32.const 1024)))
    (loop $next
      (local.set $value (v128.load32_splat (local.get $at)))
      (local.set $i0 (f32x4.add (local.get $i0)
        (f32x4.mul (local.get $value) (v128.load offset=0 (local.get $row)))))
      (local.set $i1 (f32x4.add (local.get $i1)
        (f32x4.mul (local.get $value) (v128.load offset=16 (local.get $row)))))
      (local.set $i2 (f32x4.add (local.get $i2)
        (f32x4.mul (local.get $value) (v128.load offset=32 (local.get $row)))))
      (local.set $i3 (f32x4.add (local.get $i3)
        (f32x4.mul (local.get $value) (v128.load offset=48 (local.get $row)))))
      (local.set $i4 (f32x4.add (local.get $i4)
        (f32x4.mul (local.get $value) (v128.load offset=64 (local.get $row)))))
      (local.set $i5 (f32x4.add (local.get $i5)
        (f32x4.mul (local.get $value) (v128.load offset=80 (local.get $row)))))
      (local.set $i6 (f32x4.add (local.get $i6)
        (f32x4.mul (local.get $value) (v128.load offset=96 (local.get $row)))))
      (local.set $i7 (f32x4.add (local.get $i7)
        (f32x4.mul (local.get $value) (v128.load offset=112 (local.get $row)))))
      (local.set $row (i32.add (local.get $row) (i32.const 128)))
      (br_if $next (i32.lt_u
        (local.tee $at (i32.add (local.get $at) (i32.const 4))) (local.get $end))))
    (local.set $row (i32.load (i32.const 12)))
    (local.set $at (global.get $gate))
    (local.set $end (i32.add (global.get $gate) (i32.const 1024)))
    (loop $next
      (local.set $sum (f32x4.add
        (f32x4.add
          (f32x4.add
            (f32x4.mul (local.get $i0) (v128.load offset=0 (local.get $row)))
            (f32x4.mul (local.get $i1) (v128.load offset=16 (local.get $row))))
          (f32x4.add
            (f32x4.mul (local.get $i2) (v128.load offset=32 (local.get $row)))
            (f32x4.mul (local.get $i3) (v128.load offset=48 (local.get $row)))))
        (f32x4.add
          (f32x4.add
            (f32x4.mul (local.get $i4) (v128.load offset=64 (local.get $row)))
            (f32x4.mul (local.get $i5) (v128.load offset=80 (local.get $row))))
          (f32x4.add
            (f32x4.mul (local.get $i6) (v128.load offset=96 (local.get $row)))
            (f32x4.mul (local.get $i7) (v128.load offset=112 (local.get $row)))))))
      (f32.store (local.get $at) (f32.add
        (f32.add (f32x4.extract_lane 0 (local.get $sum)) (f32x4.extract_lane 1 (local.get $sum)))
        (f32.add (f32x4.extract_lane 2 (local.get $sum)) (f32x4.extract_lane 3 (local.get $sum)))))
      (local.set $row (i32.add (local.get $row) (i32.const 128)))
      (br_if $next (i32.lt_u
        (local.tee $at (i32.add (local.get $at) (i32.const 4))) (local.get $end)))))

  ;; weighByGate(): every weight times 2 / (1 + exp(−x · gate)), x being the scale of a row times the row.
  (func $weighByGate
    (local $rows i32) (local $row i32) (local $end i32) (local $along i32) (local $unit f32)
    (local.set $unit
      (call $mostOf (global.get $gate) (i32.add (global.get $gate) (i32.const 1024))))
    (call $narrow (global.get $gate) (global.get $smallGate)
      (i32.add (global.get $smallGate) (i32.const 512)) (local.get $unit))
    (local.set $unit (f32.div (local.get $unit) (f32.const 32767)))
    (local.set $rows (i32.load (i32.const 20)))
    (local.set $end (i32.add (local.get $rows) (i32.shl (i32.load (i32.const 32)) (i32.const 2))))
    (local.set $along (i32.load (i32.const 28)))
    (loop $next
      (local.set $row (i32.load (local.get $rows)))
      (f32.store (local.get $along) (f32.mul
        (f32.mul (local.get $unit) (f32.load (i32.add (i32.load (i32.const 4))
          (i32.shr_u (i32.sub (local.get $row) (i32.load (i32.const 0))) (i32.const 6)))))
        (f32.convert_i32_s (call $dot (local.get $row)))))
      (local.set $along (i32.add (local.get $along) (i32.const 4)))
      (br_if $next (i32.lt_u
        (local.tee $rows (i32.add (local.get $rows) (i32.const 4))) (local.get $end))))
    (call $open (i32.load (i32.const 24)) (i32.load (i32.const 28)) (local.get $along)))

  ;; dot(row): of the row and the gate as int16; 256 · 128 · 32767 fits into an int32.
  (func $dot (param $row i32) (result i32)
    (local $gate i32) (local $s0 v128) (local $s1 v128)
    (local.set $gate (global.get $smallGate))
    (loop $next
      (local.set $s0 (i32x4.add (local.get $s0) (i32x4.dot_i16x8_s
        (v128.load8x8_s offset=0 (local.get $row)) (v128.load offset=0 (local.get $gate)))))
      (local.set $s1 (i32x4.add (local.get $s1) (i32x4.dot_i16x8_s
        (v128.load8x8_s offset=8 (local.get $row)) (v128.load offset=16 (local.get $gate)))))
      (local.set $s0 (i32x4.add (local.get $s0) (i32x4.dot_i16x8_s
        (v128.load8x8_s offset=16 (local.get $row)) (v128.load offset=32 (local.get $gate)))))
      (local.set $s1 (i32x4.add (local.get $s1) (i32x4.dot_i16x8_s
        (v128.load8x8_s offset=24 (local.get $row)) (v128.load offset=48 (local.get $gate)))))
      (local.set $s0 (i32x4.add (local.get $s0) (i32x4.dot_i16x8_s
        (v128.load8x8_s offset=32 (local.get $row)) (v128.load offset=64 (local.get $gate)))))
      (local.set $s1 (i32x4.add (local.get $s1) (i32x4.dot_i16x8_s
        (v128.load8x8_s offset=40 (local.get $row)) (v128.load offset=80 (local.get $gate)))))
      (local.set $s0 (i32x4.add (local.get $s0) (i32x4.dot_i16x8_s
        (v128.load8x8_s offset=48 (local.get $row)) (v128.load offset=96 (local.get $gate)))))
      (local.set $s1 (i32x4.add (local.get $s1) (i32x4.dot_i16x8_s
        (v128.load8x8_s offset=56 (local.get $row)) (v128.load offset=112 (local.get $gate)))))
      (local.set $row (i32.add (local.get $row) (i32.const 64)))
      (br_if $next (i32.lt_u
        (local.tee $gate (i32.add (local.get $gate) (i32.const 128)))
        (i32.add (global.get $smallGate) (i32.const 512)))))
    (local.set $s0 (i32x4.add (local.get $s0) (local.get $s1)))
    (i32.add
      (i32.add (i32x4.extract_lane 0 (local.get $s0)) (i32x4.extract_lane 1 (local.get $s0)))
      (i32.add (i32x4.extract_lane 2 (local.get $s0)) (i32x4.extract_lane 3 (local.get $s0)))))

  ;; open(...): each weight times 2 / (1 + exp(−along)), four at a time. The power of two nearest to exp is
  ;; made from its bits, and what is left, at most half of ln 2 either way, is a short series, exact to
  ;; a tenth of a millionth.
  (func $open (param $weight i32) (param $along i32) (param $end i32)
    (local $x v128) (local $twos v128) (local $exp v128)
    (loop $next
      (local.set $x (f32x4.max (f32x4.splat (f32.const -80)) (f32x4.min (f32x4.splat (f32.const 80))
        (f32x4.neg (v128.load (local.get $along))))))
      (local.set $twos
        (f32x4.nearest (f32x4.mul (local.get $x) (f32x4.splat (f32.const 1.44269504)))))
      ;; ln 2 in two parts, the first of few bits, so that nothing of x is lost.
      (local.set $x (f32x4.sub
        (f32x4.sub (local.get $x)
          (f32x4.mul (local.get $twos) (f32x4.splat (f32.const 0.693359375))))
        (f32x4.mul (local.get $twos) (f32x4.splat (f32.const -0.000212194440)))))
      (local.set $exp (f32x4.splat (f32.const 0.00138888889)))
      (local.set $exp (f32x4.add (f32x4.splat (f32.const 0.00833333333))
        (f32x4.mul (local.get $exp) (local.get $x))))
      (local.set $exp (f32x4.add (f32x4.splat (f32.const 0.0416666667))
        (f32x4.mul (local.get $exp) (local.get $x))))
      (local.set $exp (f32x4.add (f32x4.splat (f32.const 0.166666667))
        (f32x4.mul (local.get $exp) (local.get $x))))
      (local.set $exp (f32x4.add (f32x4.splat (f32.const 0.5))
        (f32x4.mul (local.get $exp) (local.get $x))))
      (local.set $exp (f32x4.add (f32x4.splat (f32.const 1))
        (f32x4.mul (local.get $exp) (local.get $x))))
      (local.set $exp (f32x4.add (f32x4.splat (f32.const 1))
        (f32x4.mul (local.get $exp) (local.get $x))))
      (local.set $exp (f32x4.mul (local.get $exp) (i32x4.shl
        (i32x4.add
          (i32x4.trunc_sat_f32x4_s (local.get $twos)) (i32x4.splat (i32.const 127)))
        (i32.const 23))))
      (v128.store (local.get $weight) (f32x4.mul (v128.load (local.get $weight)) (f32x4.div
        (f32x4.splat (f32.const 2))
        (f32x4.add (f32x4.splat (f32.const 1)) (local.get $exp)))))
      (local.set $weight (i32.add (local.get $weight) (i32.const 16)))
      (br_if $next (i32.lt_u
        (local.tee $along (i32.add (local.get $along) (i32.const 16))) (local.get $end)))))
)
