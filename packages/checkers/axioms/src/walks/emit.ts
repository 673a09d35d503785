import { type BaseLetter, levelSelectedBy } from '@isolab/levels';
import type { LevelFacts } from '../facts/facts.ts';
import { type Along, versionPoint } from '../facts/order.ts';
import type { Steps } from './steps.ts';
import type { Tick } from './types.ts';

// Expresses each relation as edges between two layers of nodes: from `a` + x to `b` + y for every pair. Relations
// between places along a line use helpers. So no relation takes more edges than the history has operations, except `rw`
// after lost updates.

/** Adds the edges of a relation. `tick` is charged for superlinear work. */
export function emit(steps: Steps, along: Along, name: BaseLetter['name'], a: number, b: number, tick: Tick): void {
  const { facts } = along;
  switch (name) {
    case 'so':
      return emitSessions(steps, facts, a, b);
    case 'rt':
      return emitRealTime(steps, facts, a, b);
    case 'wr':
      return emitWriteRead(steps, facts, a, b);
    case 'ww':
      return emitVersions(steps, along, a, b);
    case 'rw':
    case 'missed':
      return emitMissed(steps, along, name, a, b, tick);
    case 'co':
      return emitCommits(steps, along, a, b);
    case 'conflict':
      return emitConflicts(steps, facts, a, b);
    case 'seen':
    case 'reads':
    case 'po':
    case 'same-key':
    case 'same-value':
      return emitReads(steps, facts, name, a, b);
    case 'before':
      return emitEvents(steps, along, a, b);
    case 'time':
      return emitTimes(steps, facts, a, b);
    default:
      return emitIdentity(steps, facts, name, a, b);
  }
}

/** Returns a test of whether a relation selects a transaction, or a read, by its level; null for other relations. */
export function selectionBy({ levels, reads, initial }: LevelFacts, name: string): Selection | null {
  const selected = levelSelectedBy(name);
  if (selected === null) return null;
  const level = 1 + levels.names.indexOf(selected.level);
  const isAt = (n: number): boolean => level > 0 && n < initial && levels.of[n] === level;
  return selected.isOfReads
    ? { count: reads.op.length, has: (r) => isAt(reads.node[r]) }
    : { count: initial, has: isAt };
}

interface Selection {
  readonly count: number;
  readonly has: (thing: number) => boolean;
}

function emitSessions(steps: Steps, { initial, next }: LevelFacts, a: number, b: number): void {
  const line = steps.helpers(initial); // from each node to the nodes that follow it
  for (let n = 0; n < initial; n++) {
    steps.add(line + n, b + n);
    if (next[n] < 0) continue;
    steps.add(a + n, line + next[n]);
    steps.add(line + n, line + next[n]);
  }
}

function emitRealTime(steps: Steps, facts: LevelFacts, a: number, b: number): void {
  const { initial, called, returned } = facts;
  const order = Int32Array.from(called.keys())
    .filter((n) => called[n] >= 0)
    .toSorted((x, y) => called[x] - called[y]);
  const line = emitLine(steps, order, b);
  for (let n = 0; n < initial; n++) {
    if (returned[n] < 0) continue;
    const first = firstAbove(order, called, returned[n]);
    if (first < order.length) steps.add(a + n, line + first);
  }
}

/** Adds a line of helpers along an order; each helper leads to its item in layer `b`. Returns the first helper. */
function emitLine(steps: Steps, order: Int32Array, b: number): number {
  const line = steps.helpers(order.length);
  for (let i = 0; i < order.length; i++) {
    steps.add(line + i, b + order[i]);
    if (i + 1 < order.length) steps.add(line + i, line + i + 1);
  }
  return line;
}

/** The first place of an order whose item has a column value above a bound. */
function firstAbove(order: Int32Array, column: Int32Array, bound: number): number {
  let low = 0;
  let high = order.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (column[order[middle]] <= bound) low = middle + 1;
    else high = middle;
  }
  return low;
}

function emitWriteRead(steps: Steps, { reads }: LevelFacts, a: number, b: number): void {
  for (let r = 0; r < reads.op.length; r++) if (reads.writer[r] >= 0) steps.add(a + reads.writer[r], b + reads.node[r]);
}

function emitVersions(steps: Steps, along: Along, a: number, b: number): void {
  const { writes, initial } = along.facts;
  const line = emitVersionLines(steps, along, b);
  for (let key = 0; key + 1 < writes.start.length; key++) {
    const [from, to] = [writes.start[key], writes.start[key + 1]];
    if (from < to) steps.add(a + initial, line + from);
    for (let i = from; i + 1 < to; i++) steps.add(a + writes.node[along.chain[i]], line + i + 1, 1);
  }
}

/** Adds a line of helpers along the versions of each key; each helper leads to the writer of its version. */
function emitVersionLines(steps: Steps, { facts: { writes }, chain }: Along, b: number): number {
  const line = steps.helpers(chain.length);
  for (let i = 0; i < chain.length; i++) {
    const row = chain[i];
    steps.add(line + i, b + writes.node[row]);
    if (i + 1 < writes.start[writes.key[row] + 1]) steps.add(line + i, line + i + 1);
  }
  return line;
}

/**
 * Adds edges from the readers, or their reads, to the nodes that overwrite the version they saw, except to themselves.
 */
function emitMissed(steps: Steps, along: Along, name: 'rw' | 'missed', a: number, b: number, tick: Tick): void {
  const { facts, chain, placeInChain } = along;
  const { reads, writes, initial } = facts;
  const line = emitVersionLines(steps, along, b);
  for (let r = 0; r < reads.op.length; r++) {
    if (reads.writer[r] < 0) continue;
    const key = reads.key[r];
    const end = writes.start[key + 1];
    const isInitial = reads.writer[r] === initial;
    let first = isInitial ? writes.start[key] : placeInChain[reads.seenRow[r]] + 1;
    const node = a + (name === 'rw' ? reads.node[r] : r);
    const cost = isInitial ? 0 : 1;
    const own = reads.ownRow[r] < 0 ? -1 : placeInChain[reads.ownRow[r]];
    if (own >= first) {
      // The reader's own version is among them: the versions before it get single edges. They are few unless updates
      // were lost.
      tick(own - first);
      for (let i = first; i < own; i++) steps.add(node, b + writes.node[chain[i]], cost);
      first = own + 1;
    }
    if (first < end) steps.add(node, line + first, cost);
  }
}

function emitCommits(steps: Steps, { facts: { initial }, commits }: Along, a: number, b: number): void {
  const line = emitLine(steps, commits, b);
  if (commits.length > 0) steps.add(a + initial, line);
  for (let i = 0; i + 1 < commits.length; i++) steps.add(a + commits[i], line + i + 1, 1);
}

function emitConflicts(steps: Steps, { writes }: LevelFacts, a: number, b: number): void {
  const { start, node } = writes;
  const forward = steps.helpers(node.length); // to the writer of a row and the writers after it
  const backward = steps.helpers(node.length);
  for (let key = 0; key + 1 < start.length; key++) {
    for (let row = start[key]; row < start[key + 1]; row++) {
      steps.add(forward + row, b + node[row]);
      steps.add(backward + row, b + node[row]);
      if (row > start[key]) {
        steps.add(backward + row, backward + row - 1);
        steps.add(a + node[row], backward + row - 1);
      }
      if (row + 1 < start[key + 1]) {
        steps.add(forward + row, forward + row + 1);
        steps.add(a + node[row], forward + row + 1);
      }
    }
  }
}

type ReadRelation = 'seen' | 'reads' | 'po' | 'same-key' | 'same-value';

function emitReads(steps: Steps, facts: LevelFacts, name: ReadRelation, a: number, b: number): void {
  const { reads, writes } = facts;
  const count = reads.op.length;
  const group = name === 'same-value' ? groupsOf(reads.key, reads.shown) : reads.key;
  const isGrouped = name === 'same-key' || name === 'same-value';
  const hubs = steps.helpers(isGrouped ? Math.max(count, writes.start.length) : name === 'po' ? count : 0);
  let next = count; // first read of the next statement
  for (let r = count - 1; r >= 0; r--) {
    switch (name) {
      case 'seen':
        if (reads.writer[r] >= 0) steps.add(a + reads.writer[r], b + r);
        break;
      case 'reads':
        steps.add(a + reads.node[r], b + r);
        break;
      case 'same-key':
      case 'same-value':
        steps.add(a + r, hubs + group[r]);
        steps.add(hubs + group[r], b + r);
        break;
      case 'po':
        steps.add(hubs + r, b + r);
        if (r + 1 === count || reads.node[r + 1] !== reads.node[r]) next = count;
        else {
          steps.add(hubs + r, hubs + r + 1);
          if (reads.statement[r] < reads.statement[r + 1]) next = r + 1;
        }
        if (next < count) steps.add(a + r, hubs + next);
    }
  }
}

/** Numbers pairs so that equal pairs have equal numbers. */
function groupsOf(keys: Int32Array, shown: Int32Array): Int32Array {
  const groups = new Map<string, number>();
  return keys.map((key, r) => {
    const pair = `${key} ${shown[r]}`;
    if (!groups.has(pair)) groups.set(pair, groups.size);
    return groups.get(pair)!;
  });
}

/** The initial transaction's begin and commit precede all other events. */
function emitEvents(steps: Steps, { facts: { initial }, sequence }: Along, a: number, b: number): void {
  const line = emitLine(steps, sequence, b);
  const [begin, commit] = [2 * initial, 2 * initial + 1];
  steps.add(a + begin, b + commit);
  if (sequence.length > 0) {
    steps.add(a + begin, line);
    steps.add(a + commit, line);
  }
  for (let i = 0; i + 1 < sequence.length; i++) steps.add(a + sequence[i], line + i + 1, 1);
}

function emitTimes(steps: Steps, facts: LevelFacts, a: number, b: number): void {
  const { initial } = facts;
  const arrives = timesOf(facts, true);
  const leaves = timesOf(facts, false);
  const order = Int32Array.from(arrives.keys())
    .filter((e) => arrives[e] >= 0)
    .toSorted((x, y) => arrives[x] - arrives[y]);
  const line = emitLine(steps, order, b);
  for (let e = 0; e < 2 * initial; e++) {
    if (leaves[e] < 0) continue;
    const first = firstAbove(order, arrives, leaves[e]);
    if (first < order.length) steps.add(a + e, line + first);
  }
}

/** The earliest possible times of events, when they arrive, or the latest possible times, when they leave. */
export function timesOf({ initial, called, begun, committing, returned }: LevelFacts, arrives: boolean): Int32Array {
  const times = new Int32Array(2 * initial);
  for (let n = 0; n < initial; n++) {
    times[2 * n] = arrives ? called[n] : begun[n];
    times[2 * n + 1] = arrives ? committing[n] : returned[n];
  }
  return times;
}

function emitIdentity(steps: Steps, facts: LevelFacts, name: BaseLetter['name'], a: number, b: number): void {
  const { initial, isWriter } = facts;
  const selection = selectionBy(facts, name);
  if (selection !== null) {
    for (let i = 0; i < selection.count; i++) if (selection.has(i)) steps.add(a + i, b + i);
    return;
  }
  if (name === '[initial]') return steps.add(a + initial, b + initial);
  if (name === '[predicate]') return; // histories with such reads are refused at levels where this matters
  for (let n = 0; n <= initial; n++) {
    if (name === '[writer]') {
      if (n === initial || isWriter[n] === 1) steps.add(a + n, b + n);
    } else if (name === 'begin') steps.add(a + n, b + 2 * n);
    else if (name === 'commit') steps.add(a + n, b + 2 * n + 1);
    else if (name === '[begin]') steps.add(a + 2 * n, b + 2 * n);
    else steps.add(a + 2 * n + 1, b + 2 * n + 1);
  }
}

/** Returns whether a pair is in a relation, or null if the answer takes a search. */
export function holds(along: Along, name: BaseLetter['name'], x: number, y: number): boolean | null {
  const { facts, place, kind } = along;
  const { initial } = facts;
  const commit = (n: number): number => (n === initial ? -1 : place[kind === 'events' ? 2 * n + 1 : n]);
  switch (name) {
    case 'so':
      return x < y && y < initial && facts.session[x] === facts.session[y];
    case 'rt':
      return x < initial && y < initial && facts.returned[x] >= 0 && facts.returned[x] < facts.called[y];
    case 'co':
      return x !== y && commit(x) < commit(y);
    case 'same-key':
      return facts.reads.key[x] === facts.reads.key[y];
    case 'same-value':
      return facts.reads.key[x] === facts.reads.key[y] && facts.reads.shown[x] === facts.reads.shown[y];
    case 'po':
      return facts.reads.node[x] === facts.reads.node[y] && facts.reads.statement[x] < facts.reads.statement[y];
    case 'conflict':
      return x !== y && x < initial && y < initial && commonRow(facts, x, y, () => true) >= 0;
    case 'ww':
      return x !== y && y < initial && isVersionBefore(along, x, y);
    case 'before':
      return x !== y && eventPlace(along, x) < eventPlace(along, y);
    default:
      return null;
  }
}

const eventPlace = ({ facts, place }: Along, e: number): number =>
  e >= 2 * facts.initial ? e - 2 * facts.initial - 2 : place[e];

function isVersionBefore(along: Along, x: number, y: number): boolean {
  const { facts, place, kind } = along;
  const { writes, initial } = facts;
  if (x === initial) return writes.rowStart[y] < writes.rowStart[y + 1];
  const at = (row: number): number => place[versionPoint(kind, writes, row)];
  return commonRow(facts, x, y, (rowX, rowY) => at(rowX) < at(rowY)) >= 0;
}

/**
 * Returns the first row of `x` with a key that `y` also writes, in a row that passes a test together with it; or −1.
 */
export function commonRow(
  { writes }: LevelFacts,
  x: number,
  y: number,
  test: (rowX: number, rowY: number) => boolean,
): number {
  const { key, row, rowStart } = writes;
  let j = rowStart[y];
  for (let i = rowStart[x]; i < rowStart[x + 1]; i++) {
    while (j < rowStart[y + 1] && key[row[j]] < key[row[i]]) j++;
    if (j < rowStart[y + 1] && key[row[j]] === key[row[i]] && test(row[i], row[j])) return row[i];
  }
  return -1;
}
