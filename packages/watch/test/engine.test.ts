import { LEVELS, type LevelName, type VerdictStatus, implies } from '@isolab/contract';
import { isolabReader } from '@isolab/formats';
import { type History, OpKind, countTransactions, listElements } from '@isolab/history';
import { type HistoryBounds, arbitraryHistory } from '@isolab/testkit';
import fc from 'fast-check';
import { check } from 'isolab';
import { beforeAll, describe, expect, test } from 'vitest';
import { Engine, type EngineOptions } from '../src/index.ts';
import { streamHeader } from '../src/header.ts';
import { MemoryLog, linesOf } from './lines.ts';

/** ISOLAB_RUNS asks for more. */
const RUNS = Number(process.env['ISOLAB_RUNS'] ?? 300);

const TIMEOUT = 60_000 + 20 * RUNS;

let newReader: EngineOptions['newReader'];
beforeAll(async () => {
  newReader = await isolabReader();
});

interface Drawn {
  readonly history: History;
  readonly level: LevelName;
  /** Which session comes next, how many lines come between two judgements, and how much longer is waited than needed. */
  readonly sessions: readonly number[];
  readonly batches: readonly number[];
  readonly patience: number;
  /** Of each transaction: how many lines its outcome comes later; -1 if its own line has it. */
  readonly outcomes: readonly number[];
  readonly mostReopened: number;
  readonly values: 'auto' | 'repeated';
}

/** The order in which transactions come: that of their sessions, which are mixed as drawn. */
function arrivals({ sessionStart }: History, drawn: readonly number[]): number[] {
  const next = Array.from(sessionStart.subarray(0, -1));
  const order: number[] = [];
  for (let i = 0; ; i++) {
    const left = next.flatMap((t, s) => (t < sessionStart[s + 1]! ? [s] : []));
    if (left.length === 0) return order;
    order.push(next[left[(drawn[i] ?? 0) % left.length]!]!++);
  }
}

/** A line of a transaction, or that of its outcome. */
interface Line {
  readonly t: number;
  readonly text: string;
}

/** The lines as they come: outcomes of some transactions on lines of their own, before the next of the session at the latest. */
function arrivingLines(history: History, lines: readonly string[], { sessions, outcomes }: Drawn): Line[] {
  const { txnSession } = history;
  const coming: Line[] = [];
  const waiting = new Map<number, { readonly line: Line; left: number }>(); // by session
  const release = (isDue: (session: number, left: number) => boolean): void => {
    for (const [session, { line, left }] of waiting) {
      if (!isDue(session, left)) continue;
      waiting.delete(session);
      coming.push(line);
    }
  };
  for (const t of arrivals(history, sessions)) {
    const session = txnSession[t]!;
    release((other, left) => other === session || left <= 0);
    for (const one of waiting.values()) one.left--;
    const { status = 'committed', end, ...fields } = JSON.parse(lines[t]!) as Record<string, unknown>;
    const later = outcomes[t % outcomes.length]!;
    if (later < 0 || status === 'unknown') {
      coming.push({ t, text: lines[t]! });
      continue;
    }
    coming.push({ t, text: JSON.stringify({ status: 'unknown', ...fields }) });
    const outcome = { outcome: status, session: fields['session'], ...(end === undefined ? {} : { end }) };
    waiting.set(session, { line: { t, text: JSON.stringify(outcome) }, left: later });
  }
  release(() => true);
  return coming;
}

/** How long a read may have to wait for the last of those that may have written what it saw. */
function longestWait(history: History, order: readonly Line[]): number {
  const arrival = new Map<number, number>();
  for (const [i, { t }] of order.entries()) if (!arrival.has(t)) arrival.set(t, i);
  const writes = new Map<string, number>();
  const { txnStart, opKind, opKey, opValue } = history;
  const each = (visit: (op: number, t: number) => void): void => {
    for (let t = 0; t < countTransactions(history); t++)
      for (let op = txnStart[t]!; op < txnStart[t + 1]!; op++) visit(op, t);
  };
  each((op, t) => {
    if (opKind[op] !== OpKind.Write && opKind[op] !== OpKind.Append) return;
    const write = `${opKey[op]} ${opValue[op]}`;
    writes.set(write, Math.max(writes.get(write) ?? 0, arrival.get(t)!));
  });
  let longest = 0;
  each((op, t) => {
    const seen =
      opKind[op] === OpKind.Read
        ? [opValue[op]!]
        : opKind[op] === OpKind.ListRead && opValue[op]! > 0
          ? listElements(history.lists, opValue[op]!)
          : [];
    for (const value of seen) {
      const last = writes.get(`${opKey[op]} ${value}`);
      if (last !== undefined) longest = Math.max(longest, last - arrival.get(t)!);
    }
  });
  return longest;
}

async function watched(drawn: Drawn) {
  const { history, level, batches, patience, mostReopened, values } = drawn;
  const [header, ...lines] = await linesOf(history);
  const order = arrivingLines(history, lines, drawn);
  const log = new MemoryLog();
  const engine = new Engine({
    name: 'a stream',
    levels: [level],
    header: Buffer.from(`${streamHeader(header!).text}\n`),
    newReader,
    log,
    horizon: { transactions: longestWait(history, order) + 1 + patience, ms: Infinity },
    mostReopened,
    timeMs: 10_000,
    values,
  });
  let violated = 0;
  const reasons: string[] = [];
  const judge = async (isEnd: boolean): Promise<void> => {
    const { alarms, undecided } = await engine.judge(0, isEnd);
    violated += alarms.length;
    reasons.push(...undecided.map(({ why }) => why));
  };
  let next = batches[0] ?? 1;
  let batch = 0;
  for (const [i, { text }] of order.entries()) {
    const line = Buffer.from(`${text}\n`);
    log.lines.add(line, 0, line.length, i + 2, 0);
    engine.add(line, 0, line.length, i + 2, 0);
    if (i + 1 < next) continue;
    await judge(false);
    next += batches[++batch % batches.length] ?? 1;
  }
  await judge(true);
  return { violated, reasons, engine };
}

/** Lists are decided at strong levels only. */
const levelsFor = ({ lists = false, single = false }: HistoryBounds): LevelName[] =>
  LEVELS.map(({ name }) => name).filter(
    (name) => (name !== 'linearizable' || single) && (!lists || !implies('causal', name)),
  );

const drawnFrom = (bounds: HistoryBounds, mostReopened: number): fc.Arbitrary<Drawn> =>
  fc.record({
    history: arbitraryHistory(bounds),
    level: fc.constantFrom(...levelsFor(bounds)),
    sessions: fc.array(fc.nat({ max: 5 }), { minLength: 12, maxLength: 12 }),
    batches: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 6 }),
    patience: fc.nat({ max: 3 }),
    outcomes: fc.oneof(fc.constant([-1]), fc.array(fc.integer({ min: -1, max: 8 }), { minLength: 12, maxLength: 12 })),
    mostReopened: fc.constant(mostReopened),
    values: fc.constant(bounds.repeatedValues || bounds.wild ? 'repeated' : 'auto'),
  });

describe.each<[string, HistoryBounds]>([
  ['plain', { transactions: 8 }],
  ['aborted transactions', { transactions: 8, aborted: true }],
  ['unknown outcomes', { transactions: 8, aborted: true, unknown: true }],
  ['repeated values', { transactions: 8, repeatedValues: true }],
  ['times', { transactions: 8, times: true }],
  ['many sessions', { transactions: 12, sessions: 6, keys: 3 }],
  ['lists', { transactions: 8, lists: true }],
  ['lists and all else', { transactions: 8, lists: true, aborted: true, unknown: true, times: true }],
  ['single operations', { transactions: 8, operations: 1, single: true, times: true }],
  ['wild', { transactions: 8, wild: true, aborted: true, unknown: true, repeatedValues: true, times: true }],
  ['everything', { transactions: 8, aborted: true, unknown: true, repeatedValues: true, times: true }],
])('%s', (_, bounds) => {
  const verdictOf = async ({ history, level }: Drawn): Promise<VerdictStatus> => {
    const { levels } = await check(history, { level, checker: 'weave', allowVacuous: true });
    fc.pre(levels[level] !== 'unknown');
    return levels[level]!;
  };
  const told = async (drawn: Drawn): Promise<string> => {
    const [header, ...lines] = await linesOf(drawn.history);
    const coming = arrivingLines(drawn.history, lines, drawn).map(({ text }) => text);
    return `${drawn.level}, judged after ${drawn.batches.join(', ')}:\n${[header, ...coming].join('\n')}\n`;
  };
  const forAll = (mostReopened: number, hold: (drawn: Drawn) => Promise<void>): Promise<void> =>
    fc.assert(fc.asyncProperty(drawnFrom(bounds, mostReopened), hold), { numRuns: RUNS });

  test('the verdict at the end is that of the whole history', { timeout: TIMEOUT }, () =>
    forAll(Infinity, async (drawn) => {
      const expected = await verdictOf(drawn);
      const { violated, reasons } = await watched(drawn);
      fc.pre(drawn.level !== 'cut-isolation' || reasons.length === 0); // it takes no open outcomes
      const text = await told(drawn);
      expect([reasons, violated > 0 ? 'violated' : 'satisfied', text]).toEqual([[], expected, text]);
    }),
  );

  test('what is forgotten makes no verdict wrong', { timeout: TIMEOUT }, () =>
    forAll(0, async (drawn) => {
      const expected = await verdictOf(drawn);
      const { violated, reasons, engine } = await watched(drawn);
      const text = await told(drawn);
      const isSure = reasons.length === 0 && engine.believed === 0 && engine.late === 0;
      const verdict = violated > 0 ? 'violated' : 'satisfied';
      expect([verdict, text]).toEqual([isSure || violated > 0 ? expected : verdict, text]);
    }),
  );
});
