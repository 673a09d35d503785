import { type Case, all, saw, steps } from './case.ts';

/** Anomalies in applications: cases that snapshot isolation is known to allow. */
export const APPLICATIONS: readonly Case[] = [
  {
    name: 'on-call doctors',
    title: 'write skew',
    group: 'applications',
    what: 'T1 and T2 count the doctors on call, and each sends another one home. Wrong if both counted two and both commit: no doctor is on call.',
    forbiddenBy: ['plain-serializable'],
    tables: [
      'CREATE TABLE isolab_doctors (id INT PRIMARY KEY, on_call INT)',
      'INSERT INTO isolab_doctors (id, on_call) VALUES (1, 1), (2, 1)',
    ],
    steps: steps(`
      T1: BEGIN
      T2: BEGIN
      T1: SELECT COUNT(*) AS n FROM isolab_doctors WHERE on_call = 1 => first
      T2: SELECT COUNT(*) AS n FROM isolab_doctors WHERE on_call = 1 => second
      T1: UPDATE isolab_doctors SET on_call = 0 WHERE id = 1
      T2: UPDATE isolab_doctors SET on_call = 0 WHERE id = 2
      T1: COMMIT
      T2: COMMIT
    `),
    final: ['SELECT COUNT(*) AS n FROM isolab_doctors WHERE on_call = 1'],
    shown: all(saw('first', [2]), saw('second', [2])),
  },
  {
    name: 'unique booking',
    title: 'phantom',
    group: 'applications',
    what: 'T1 and T2 look for bookings that overlap with theirs, find none, and book. Wrong if both found none and both commit: the bookings overlap.',
    forbiddenBy: ['plain-serializable'],
    tables: [
      'CREATE TABLE isolab_bookings (id INT PRIMARY KEY, room INT, starts INT, ends INT)',
      'INSERT INTO isolab_bookings (id, room, starts, ends) VALUES (1, 5, 800, 900)',
    ],
    steps: steps(`
      T1: BEGIN
      T2: BEGIN
      T1: SELECT id, starts, ends FROM isolab_bookings WHERE room = 5 AND starts < 1300 AND ends > 1200 => first
      T2: SELECT id, starts, ends FROM isolab_bookings WHERE room = 5 AND starts < 1330 AND ends > 1230 => second
      T1: INSERT INTO isolab_bookings (id, room, starts, ends) VALUES (2, 5, 1200, 1300)
      T2: INSERT INTO isolab_bookings (id, room, starts, ends) VALUES (3, 5, 1230, 1330)
      T1: COMMIT
      T2: COMMIT
    `),
    final: ['SELECT id, starts, ends FROM isolab_bookings WHERE room = 5 ORDER BY id'],
    shown: all(saw('first'), saw('second')),
  },
  {
    name: 'bank with audit',
    title: 'anomaly of a read-only transaction',
    group: 'applications',
    what: 'T2 withdraws 10 with a fee of 1, because it sees no money in either account; T1 deposits 20; T3, an audit, sees the deposit but not the withdrawal. Wrong if all commit: a withdrawal after the audit would have cost no fee.',
    forbiddenBy: ['plain-serializable'],
    tables: [
      'CREATE TABLE isolab_accounts (id INT PRIMARY KEY, balance INT)',
      'INSERT INTO isolab_accounts (id, balance) VALUES (1, 0), (2, 0)',
    ],
    steps: steps(`
      T2: BEGIN
      T2: SELECT id, balance FROM isolab_accounts WHERE id IN (1, 2) => withdrawer
      T1: BEGIN
      T1: UPDATE isolab_accounts SET balance = balance + 20 WHERE id = 2
      T1: COMMIT
      T3: BEGIN
      T3: SELECT id, balance FROM isolab_accounts WHERE id IN (1, 2) => audit
      T3: COMMIT
      T2: UPDATE isolab_accounts SET balance = balance - 11 WHERE id = 1
      T2: COMMIT
    `),
    final: ['SELECT id, balance FROM isolab_accounts ORDER BY id'],
    shown: all(saw('withdrawer', [1, 0], [2, 0]), saw('audit', [1, 0], [2, 20])),
  },
  {
    name: 'intersecting data',
    title: 'write skew between sums',
    group: 'applications',
    what: 'T1 adds up class 1 and puts the sum into class 2; T2 does the reverse. Wrong if neither sum includes the other and both commit.',
    forbiddenBy: ['plain-serializable'],
    tables: [
      'CREATE TABLE isolab_classes (id INT PRIMARY KEY, class INT, value INT)',
      'INSERT INTO isolab_classes (id, class, value) VALUES (1, 1, 10), (2, 1, 20), (3, 2, 100), (4, 2, 200)',
    ],
    steps: steps(`
      T1: BEGIN
      T2: BEGIN
      T1: SELECT SUM(value) AS total FROM isolab_classes WHERE class = 1 => first
      T2: SELECT SUM(value) AS total FROM isolab_classes WHERE class = 2 => second
      T1: INSERT INTO isolab_classes (id, class, value) VALUES (5, 2, 30)
      T2: INSERT INTO isolab_classes (id, class, value) VALUES (6, 1, 300)
      T1: COMMIT
      T2: COMMIT
    `),
    final: ['SELECT class, SUM(value) AS total FROM isolab_classes GROUP BY class ORDER BY class'],
    shown: all(saw('first', [30]), saw('second', [300])),
  },
  {
    name: 'batch processing',
    title: 'late insert',
    group: 'applications',
    what: 'T1 takes the number of the open batch; T2 closes it; T3 sees it closed and adds up its receipts; T1 adds a receipt to it. Wrong if all commit: the report lacks a receipt.',
    forbiddenBy: ['plain-serializable'],
    tables: [
      'CREATE TABLE isolab_control (id INT PRIMARY KEY, batch INT)',
      'INSERT INTO isolab_control (id, batch) VALUES (1, 7)',
      'CREATE TABLE isolab_receipts (id INT PRIMARY KEY, batch INT, amount INT)',
      'INSERT INTO isolab_receipts (id, batch, amount) VALUES (1, 7, 5)',
    ],
    steps: steps(`
      T1: BEGIN
      T1: SELECT batch FROM isolab_control WHERE id = 1 => open
      T2: BEGIN
      T2: UPDATE isolab_control SET batch = batch + 1 WHERE id = 1
      T2: COMMIT
      T3: BEGIN
      T3: SELECT batch FROM isolab_control WHERE id = 1 => closed
      T3: SELECT SUM(amount) AS total FROM isolab_receipts WHERE batch = 7 => report
      T3: COMMIT
      T1: INSERT INTO isolab_receipts (id, batch, amount) VALUES (2, 7, 3)
      T1: COMMIT
    `),
    final: ['SELECT SUM(amount) AS total FROM isolab_receipts WHERE batch = 7'],
    shown: all(saw('open', [7]), saw('closed', [8]), saw('report', [5])),
  },
  {
    name: 'limit and stock',
    title: 'write skew with a late read',
    group: 'applications',
    what: 'T1 reads the limit of an order and takes five pieces from the stock; T2 reads the calendar, and after the commit of T1 the stock, and sets the limit to it. Wrong if T1 saw the first limit, T2 the first stock, and both commit.',
    forbiddenBy: ['plain-serializable'],
    tables: [
      'CREATE TABLE isolab_limits (id INT PRIMARY KEY, pieces INT)',
      'INSERT INTO isolab_limits (id, pieces) VALUES (1, 5)',
      'CREATE TABLE isolab_stock (id INT PRIMARY KEY, pieces INT)',
      'INSERT INTO isolab_stock (id, pieces) VALUES (1, 8)',
      'CREATE TABLE isolab_calendar (id INT PRIMARY KEY, opens INT)',
      'INSERT INTO isolab_calendar (id, opens) VALUES (1, 9)',
    ],
    steps: steps(`
      T1: BEGIN
      T1: SELECT pieces FROM isolab_limits WHERE id = 1 => order
      T1: UPDATE isolab_stock SET pieces = pieces - 5 WHERE id = 1
      T2: BEGIN
      T2: SELECT opens FROM isolab_calendar WHERE id = 1 => opens
      T1: COMMIT
      T2: SELECT pieces FROM isolab_stock WHERE id = 1 => stock
      T2: UPDATE isolab_limits SET pieces = 8 WHERE id = 1
      T2: COMMIT
    `),
    final: ['SELECT pieces FROM isolab_limits WHERE id = 1', 'SELECT pieces FROM isolab_stock WHERE id = 1'],
    shown: all(saw('order', [5]), saw('stock', [8])),
  },
];
