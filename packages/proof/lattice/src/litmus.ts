/** Histories that distinguish levels that small random histories rarely distinguish. */
export const LITMUS: readonly string[] = [
  // Long fork.
  `w(x,1)
w(y,1)
r(x,1) r(y,0)
r(x,0) r(y,1)`,
  // The order of two writers is known from a third transaction, and a fourth transaction misses the write of the first.
  `w(x,1) w(y,1)
w(y,2)
r(x,1) r(y,2)
r(y,2) r(x,0)`,
  // Causality through two transactions.
  `w(x,1)
r(x,1) w(y,1)
r(y,1) r(x,0)`,
  // Lists of two keys whose writers are ordered differently.
  `a(x,1) a(y,1)
a(x,2) a(y,2)
r(x,[1 2]) r(y,[2 1])`,
  `a(x,1) | a(y,1)
a(y,2) | a(x,2)
r(x,[2 1])
r(y,[1 2])`,
  `a(x,1) | a(x,2)
r(x,[2 1])`,
  // Session order and real time, one after the other.
  `a(x,1) @1-2
a(y,1) @3-4 | a(x,2) @5-6
r(x,[2 1]) @7-8`,
  // Two read-only transactions see two writers in different orders.
  `r(x,0) r(y,0) w(x,1)
r(x,0) r(y,0) w(y,1)`,
  `w(x,1)
w(y,1)
r(x,1) r(y,0)
r(y,1) r(x,0)`,
  // Phantoms: rows that a scan passed over, at repeatable read.
  `scan(t, v = 1, {}) put(t/1, {v: 1})
scan(t, v = 1, {}) put(t/2, {v: 1})`,
  `put(t/1, {v: 1}) w(x,1)
r(x,1) scan(t, v = 1, {})`,
  `put(t/1, {v: 1}) w(x,1)
scan(t, v = 1, {}) r(x,1)`,
  `put(t/1, {v: 1})
put(t/2, {v: 1})
scan(t, v = 1, {1: {v: 1}})
scan(t, v = 1, {2: {v: 1}})`,
  // A reader has seen a write that a later reader misses, while its writer continues.
  `w(x,1) @1-8..9
r(x,1) @2..3-3
r(x,0) @4-5`,
  // The end of a transaction is unknown.
  `a(x,1) @1-2
a(x,2) @3-
r(x,[2 1])`,
  `a(x,1) @1..2- | r(y,0) @3-4
a(x,2) @5-6
r(x,[2 1])`,
  // Two scans with the same condition, where only the second scan returned the row.
  `put(t/1, {v: 1})
scan(t, v = 1, {}) scan(t, v = 1, {1: ?})`,
];
