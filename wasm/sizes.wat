;; Adds up the words of each row of an FTS5 table from the sizes of its columns.
;; `src/storage/sqlite/postings/sizes.ts` has a plain twin of it and documents the addresses.
(module
  (import "cairn" "memory" (memory 1))

  ;; The number of words of the longest row so far.
  (global $longest (mut i32) (i32.const 0))
  (func (export "longest") (result i32) (global.get $longest))

  ;; Returns the address after the last size, or -1 if a size crosses $end or is 2^24 or more.
  (func (export "sum") (param $at i32) (param $end i32) (param $count i32) (param $columns i32) (param $textColumns i32)
    (param $words i32) (param $textWords i32) (result i32)
    (local $column i32) (local $byte i32) (local $size i32) (local $all i32) (local $text i32)
    (block $done
      (loop $row
        (br_if $done (i32.eqz (local.get $count)))
        (local.set $all (i32.const 0))
        (local.set $text (i32.const 0))
        (local.set $column (i32.const 0))
        (loop $columnLoop
          (local.set $size (i32.const 0))
          (loop $digits
            (if (i32.ge_u (local.get $at) (local.get $end)) (then (return (i32.const -1))))
            (local.set $byte (i32.load8_u (local.get $at)))
            (local.set $at (i32.add (local.get $at) (i32.const 1)))
            (local.set $size
              (i32.or (i32.shl (local.get $size) (i32.const 7)) (i32.and (local.get $byte) (i32.const 127))))
            (if (i32.ge_u (local.get $size) (i32.const 0x1000000)) (then (return (i32.const -1))))
            (br_if $digits (i32.ge_u (local.get $byte) (i32.const 128))))
          (local.set $all (i32.add (local.get $all) (local.get $size)))
          (if (i32.and (i32.shr_u (local.get $textColumns) (local.get $column)) (i32.const 1))
            (then (local.set $text (i32.add (local.get $text) (local.get $size)))))
          (local.set $column (i32.add (local.get $column) (i32.const 1)))
          (br_if $columnLoop (i32.lt_u (local.get $column) (local.get $columns))))
        (if (i32.gt_u (local.get $all) (global.get $longest)) (then (global.set $longest (local.get $all))))
        (i32.store (local.get $words) (local.get $all))
        (i32.store (local.get $textWords) (local.get $text))
        (local.set $words (i32.add (local.get $words) (i32.const 4)))
        (local.set $textWords (i32.add (local.get $textWords) (i32.const 4)))
        (local.set $count (i32.sub (local.get $count) (i32.const 1)))
        (br $row)))
    (local.get $at)))
