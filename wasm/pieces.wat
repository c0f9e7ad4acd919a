;; Lists the word pieces of the bundled model and enters each into a hash table.
;; `src/embedding/static/vocabulary.ts` has a plain twin of it and documents the addresses.
(module
  (import "cairn" "memory" (memory 1))
  ;; The length of the longest piece in UTF-16 units.
  (global $longest (mut i32) (i32.const 0))
  (func (export "longest") (result i32) (global.get $longest))

  ;; The UTF-16 units of the text are at 0 to $end. Returns the number of pieces, or -1 - id for an empty line.
  (func (export "list") (param $end i32) (param $starts i32) (param $ends i32) (param $slots i32) (param $mask i32)
    (result i32)
    (local $at i32) (local $start i32) (local $unit i32) (local $hash i32) (local $id i32) (local $slot i32)
    (block $done
      (loop $line
        (br_if $done (i32.ge_u (local.get $at) (local.get $end)))
        (local.set $hash (i32.const 0x811c9dc5))
        (if (i32.eq (i32.load (local.get $at)) (i32.const 0x00230023))
          (then
            (local.set $hash (i32.const 0x2b5f1d37))
            (local.set $at (i32.add (local.get $at) (i32.const 4)))))
        (local.set $start (local.get $at))
        (block $ended
          (loop $next
            (br_if $ended
              (i32.eq (local.tee $unit (i32.load16_u (local.get $at))) (i32.const 10)))
            (local.set $hash
              (i32.mul (i32.xor (local.get $hash) (local.get $unit)) (i32.const 0x01000193)))
            (local.set $at (i32.add (local.get $at) (i32.const 2)))
            (br $next)))
        (local.set $unit (i32.shr_u (i32.sub (local.get $at) (local.get $start)) (i32.const 1)))
        (if (i32.eqz (local.get $unit))
          (then (return (i32.sub (i32.const -1) (local.get $id)))))
        (if (i32.gt_u (local.get $unit) (global.get $longest))
          (then (global.set $longest (local.get $unit))))
        (i32.store (i32.add (local.get $starts) (i32.shl (local.get $id) (i32.const 2)))
          (i32.shr_u (local.get $start) (i32.const 1)))
        (i32.store (i32.add (local.get $ends) (i32.shl (local.get $id) (i32.const 2)))
          (i32.shr_u (local.get $at) (i32.const 1)))
        (local.set $slot (i32.xor (local.get $hash) (i32.shr_u (local.get $hash) (i32.const 15))))
        (block $free
          (loop $probe
            (local.set $slot (i32.and (local.get $slot) (local.get $mask)))
            (local.set $unit (i32.add (local.get $slots) (i32.shl (local.get $slot) (i32.const 2))))
            (br_if $free (i32.eqz (i32.load (local.get $unit))))
            (local.set $slot (i32.add (local.get $slot) (i32.const 1)))
            (br $probe)))
        (local.set $id (i32.add (local.get $id) (i32.const 1)))
        (i32.store (local.get $unit) (local.get $id))
        (local.set $at (i32.add (local.get $at) (i32.const 2)))
        (br $line)))
    (local.get $id)))
