;; The three loops of the bundled model, four numbers at a time. `src/embedding/static/gated-sum.ts` has plain twins of
;; them and documents the addresses. There are no helper functions, because calls are not inlined.
(module
  (import "cairn" "memory" (memory 1))

  ;; Addresses: 0 total (256 floats), 1024 gate (256 floats), 2048 product of text and total (32 floats),
  ;; 4096 ids, 266240 weights, 528384 products.

  ;; total += weight · row, for each of the listed ids; sixteen columns at a time.
  (func (export "addRows") (param $table i32) (param $count i32)
    (local $total i32) (local $row i32) (local $i i32) (local $end i32) (local $weight v128) (local $half v128)
    (local $a v128) (local $b v128) (local $c v128) (local $d v128)
    (local.set $end (i32.shl (local.get $count) (i32.const 2)))
    (loop $columns
      (local.set $a (v128.load (local.get $total)))
      (local.set $b (v128.load offset=16 (local.get $total)))
      (local.set $c (v128.load offset=32 (local.get $total)))
      (local.set $d (v128.load offset=48 (local.get $total)))
      (local.set $i (i32.const 0))
      (block $done
        (loop $rows
          (br_if $done (i32.ge_u (local.get $i) (local.get $end)))
          (local.set $weight (v128.load32_splat offset=266240 (local.get $i)))
          (local.set $row
            (i32.add (local.get $table) (i32.shl (i32.load offset=4096 (local.get $i)) (i32.const 8))))
          (local.set $half (v128.load8x8_s (local.get $row)))
          (local.set $a (f32x4.add (local.get $a) (f32x4.mul (local.get $weight)
            (f32x4.convert_i32x4_s (i32x4.extend_low_i16x8_s (local.get $half))))))
          (local.set $b (f32x4.add (local.get $b) (f32x4.mul (local.get $weight)
            (f32x4.convert_i32x4_s (i32x4.extend_high_i16x8_s (local.get $half))))))
          (local.set $half (v128.load8x8_s offset=8 (local.get $row)))
          (local.set $c (f32x4.add (local.get $c) (f32x4.mul (local.get $weight)
            (f32x4.convert_i32x4_s (i32x4.extend_low_i16x8_s (local.get $half))))))
          (local.set $d (f32x4.add (local.get $d) (f32x4.mul (local.get $weight)
            (f32x4.convert_i32x4_s (i32x4.extend_high_i16x8_s (local.get $half))))))
          (local.set $i (i32.add (local.get $i) (i32.const 4)))
          (br $rows)))
      (v128.store (local.get $total) (local.get $a))
      (v128.store offset=16 (local.get $total) (local.get $b))
      (v128.store offset=32 (local.get $total) (local.get $c))
      (v128.store offset=48 (local.get $total) (local.get $d))
      (local.set $table (i32.add (local.get $table) (i32.const 16)))
      (local.set $total (i32.add (local.get $total) (i32.const 64)))
      (br_if $columns (i32.lt_u (local.get $total) (i32.const 1024)))))

  ;; products[i] = gate · row, for each of the listed ids.
  (func (export "multiplyRows") (param $table i32) (param $count i32)
    (local $gate i32) (local $row i32) (local $i i32) (local $end i32)
    (local $a v128) (local $b v128) (local $half v128)
    (local.set $end (i32.shl (local.get $count) (i32.const 2)))
    (block $done
      (loop $rows
        (br_if $done (i32.ge_u (local.get $i) (local.get $end)))
        (local.set $row
          (i32.add (local.get $table) (i32.shl (i32.load offset=4096 (local.get $i)) (i32.const 8))))
        (local.set $gate (i32.const 1024))
        (local.set $a (v128.const f32x4 0 0 0 0))
        (local.set $b (v128.const f32x4 0 0 0 0))
        (loop $columns
          (local.set $half (v128.load8x8_s (local.get $row)))
          (local.set $a (f32x4.add (local.get $a) (f32x4.mul (v128.load (local.get $gate))
            (f32x4.convert_i32x4_s (i32x4.extend_low_i16x8_s (local.get $half))))))
          (local.set $b (f32x4.add (local.get $b) (f32x4.mul (v128.load offset=16 (local.get $gate))
            (f32x4.convert_i32x4_s (i32x4.extend_high_i16x8_s (local.get $half))))))
          (local.set $half (v128.load8x8_s offset=8 (local.get $row)))
          (local.set $a (f32x4.add (local.get $a) (f32x4.mul (v128.load offset=32 (local.get $gate))
            (f32x4.convert_i32x4_s (i32x4.extend_low_i16x8_s (local.get $half))))))
          (local.set $b (f32x4.add (local.get $b) (f32x4.mul (v128.load offset=48 (local.get $gate))
            (f32x4.convert_i32x4_s (i32x4.extend_high_i16x8_s (local.get $half))))))
          (local.set $row (i32.add (local.get $row) (i32.const 16)))
          (local.set $gate (i32.add (local.get $gate) (i32.const 64)))
          (br_if $columns (i32.lt_u (local.get $gate) (i32.const 2048))))
        (local.set $a (f32x4.add (local.get $a) (local.get $b)))
        (f32.store offset=528384 (local.get $i) (f32.add
          (f32.add (f32x4.extract_lane 0 (local.get $a)) (f32x4.extract_lane 1 (local.get $a)))
          (f32.add (f32x4.extract_lane 2 (local.get $a)) (f32x4.extract_lane 3 (local.get $a)))))
        (local.set $i (i32.add (local.get $i) (i32.const 4)))
        (br $rows))))

  ;; gate = token · (textᵀ · total). Both matrices are 256 × 32, row by row. Sixteen of the 32 columns at a time.
  (func (export "openGate") (param $text i32) (param $token i32)
    (local $part i32) (local $j i32) (local $row i32) (local $x v128)
    (local $a v128) (local $b v128) (local $c v128) (local $d v128)
    (loop $parts
      (local.set $a (v128.const f32x4 0 0 0 0))
      (local.set $b (local.get $a))
      (local.set $c (local.get $a))
      (local.set $d (local.get $a))
      (local.set $j (i32.const 0))
      (loop $down
        (local.set $x (v128.load32_splat (local.get $j)))
        (local.set $row (i32.add (local.get $text) (i32.shl (local.get $j) (i32.const 5))))
        (local.set $a (f32x4.add (local.get $a) (f32x4.mul (local.get $x) (v128.load (local.get $row)))))
        (local.set $b (f32x4.add (local.get $b) (f32x4.mul (local.get $x) (v128.load offset=16 (local.get $row)))))
        (local.set $c (f32x4.add (local.get $c) (f32x4.mul (local.get $x) (v128.load offset=32 (local.get $row)))))
        (local.set $d (f32x4.add (local.get $d) (f32x4.mul (local.get $x) (v128.load offset=48 (local.get $row)))))
        (local.set $j (i32.add (local.get $j) (i32.const 4)))
        (br_if $down (i32.lt_u (local.get $j) (i32.const 1024))))
      (v128.store offset=2048 (local.get $part) (local.get $a))
      (v128.store offset=2064 (local.get $part) (local.get $b))
      (v128.store offset=2080 (local.get $part) (local.get $c))
      (v128.store offset=2096 (local.get $part) (local.get $d))
      (local.set $text (i32.add (local.get $text) (i32.const 64)))
      (local.set $part (i32.add (local.get $part) (i32.const 64)))
      (br_if $parts (i32.lt_u (local.get $part) (i32.const 128))))
    (local.set $j (i32.const 0))
    (loop $rows
      (local.set $a (v128.const f32x4 0 0 0 0))
      (local.set $b (local.get $a))
      (local.set $part (i32.const 0))
      (loop $across
        (local.set $row (i32.add (local.get $token) (local.get $part)))
        (local.set $a (f32x4.add (local.get $a) (f32x4.mul
          (v128.load offset=2048 (local.get $part)) (v128.load (local.get $row)))))
        (local.set $b (f32x4.add (local.get $b) (f32x4.mul
          (v128.load offset=2064 (local.get $part)) (v128.load offset=16 (local.get $row)))))
        (local.set $part (i32.add (local.get $part) (i32.const 32)))
        (br_if $across (i32.lt_u (local.get $part) (i32.const 128))))
      (local.set $a (f32x4.add (local.get $a) (local.get $b)))
      (f32.store offset=1024 (local.get $j) (f32.add
        (f32.add (f32x4.extract_lane 0 (local.get $a)) (f32x4.extract_lane 1 (local.get $a)))
        (f32.add (f32x4.extract_lane 2 (local.get $a)) (f32x4.extract_lane 3 (local.get $a)))))
      (local.set $token (i32.add (local.get $token) (i32.const 128)))
      (local.set $j (i32.add (local.get $j) (i32.const 4)))
      (br_if $rows (i32.lt_u (local.get $j) (i32.const 1024)))))
)
