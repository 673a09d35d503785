import { LEVELS, type LevelName, type VerdictStatus, addDefinition, implies } from '@isolab/contract';
import { type History, fromPlain } from '@isolab/history';
import { readLevel } from '@isolab/levels';
import {
  type HistoryBounds,
  type RunKind,
  arbitraryHistory,
  randomNumbers,
  randomRows,
  randomRun,
  printHistory,
  withExchanges,
  draws,
} from '@isolab/testkit';
import fc from 'fast-check';
import { check, open } from 'isolab';
import { describe, expect, test } from 'vitest';
import type { Checkpoint } from '../src/watcher/checkpoint.ts';
import { DEFAULTS, type WatchOptions } from '../src/index.ts';
import { judging } from '../src/engine/full-checks.ts';
import { Watcher } from '../src/watcher/watcher.ts';
import { type Arriving, arrivingLines, longestWait, withJumps } from './arriving.ts';
import { MemoryLog, linesOf } from './lines.ts';
import { type Sending, sentLines } from './sending.ts';

/** ISOLAB_RUNS asks for more. */
const RUNS = Number(process.env['ISOLAB_RUNS'] ?? draws(15));

interface Drawn extends Arriving {
  readonly history: History;
  readonly levels: readonly LevelName[];
  readonly sending: Sending;
  /** Number of lines that come between two judgements. */
  readonly batches: readonly number[];
  /**
   * Whether the watcher is killed after one, and where the source then begins: where it was, at the start, or at an
   * earlier place.
   */
  readonly kills: readonly ('none' | 'on' | 'anew' | 'before')[];
  /** Wait beyond the needed time; or the wait, although more is needed. */
  readonly patience: number;
  readonly impatience: number | null;
  readonly mostReopened: number;
  readonly values: 'auto' | 'repeated';
}

/** Needs of a kind of history. */
interface Kind {
  readonly histories: fc.Arbitrary<History>;
  readonly repeated: boolean;
  readonly lists: boolean;
  readonly single: boolean;
}

const bytesOf = (lines: readonly string[]): Buffer => Buffer.from(lines.map((line) => `${line}\n`).join(''));

/** The lines that senders send, and the horizon that is true of them or not. */
async function sent({ history, sending, patience, impatience, ...drawn }: Drawn) {
  const [header, ...own] = await linesOf(history);
  const order = arrivingLines(history, own, drawn);
  const horizon = impatience ?? longestWait(history, order) + 1 + patience;
  const texts = order.map(({ text }) => text);
  return { ...sentLines(header!, texts, sending), horizon, transactions: own.length };
}

async function watched(drawn: Drawn) {
  const { levels, batches, kills, mostReopened, values } = drawn;
  const { lines, duplicates, horizon, transactions } = await sent(drawn);
  let time = 0;
  const options: WatchOptions = {
    ...DEFAULTS,
    name: 'a stream',
    levels,
    log: new MemoryLog(),
    alarmFolder: null,
    horizon: { transactions: horizon, ms: Infinity },
    mostReopened,
    timeMs: 10_000,
    values,
    clock: () => (time += 1e6), // so that it is time to examine everything again at each full check
  };
  let watcher = await new Watcher(options).open();
  let place: { lines: number; sent: number; numbers?: Checkpoint['numbers'] } = { lines: 0, sent: 0 }; // where a source may continue, which is after the latest checkpoint
  let next = batches[0] ?? 1;
  let batch = 0;
  for (let i = 0; i < lines.length; i++) {
    watcher.take(bytesOf([lines[i]!]));
    if (i + 1 < next) continue;
    await watcher.judge();
    next += batches[++batch % batches.length] ?? 1;
    const kill = kills[batch % kills.length]!;
    if (kill === 'none') continue;
    const saved = JSON.parse(JSON.stringify(await watcher.checkpoint())) as Checkpoint;
    if (kill === 'anew') place = { lines: 0, sent: 0 };
    watcher = await new Watcher(options).open(saved, kill === 'on' ? null : place);
    if (kill !== 'on') {
      watcher.take(bytesOf(lines.slice(place.sent, i + 1)));
    }
    place = { lines: watcher.line, sent: i + 1, numbers: saved.numbers };
  }
  const status = await watcher.finish();
  // A line that comes again after the last line of the log counts again if it is read again.
  const isReadAgain = kills.some((kill) => kill === 'anew' || kill === 'before');
  expect([status.transactions, isReadAgain ? duplicates : status.duplicates]).toEqual([transactions, duplicates]);
  const undecided = levels
    .filter((name) => status.levels[name] === 'undecided')
    .map((name): [LevelName, string] => [name, status.whyUndecided[name] ?? '']);
  return { violated: new Set(status.alarms.map(({ level }) => level)), undecided, status };
}

/** Lists are decided at strong levels only. */
const levelsFor = ({ lists, single }: Kind): LevelName[] =>
  LEVELS.map(({ name }) => name).filter(
    (name) => (name !== 'linearizable' || single) && (!lists || !implies('causal', name)),
  );

/** Levels that only whole histories are checked for, and one whose violations later transactions may take away. */
const LOOKED_AT = ['parallel-snapshot-isolation', 'monotonic-reads', 'cursor-stability', 'gaps'] as LevelName[];
addDefinition(readLevel('level gaps\nacyclic ww | wr\nirreflexive wr ; (rw \\ so)\nempty (wr ; wr) \\ so', 'gaps.lvl'));

const drawnFrom = (kind: Kind, mostReopened: number, levels = levelsFor(kind)): fc.Arbitrary<Drawn> => {
  const level = fc.constantFrom(...levels);
  const numbers = (bounds: fc.NatConstraints & { readonly min?: number }): fc.Arbitrary<number[]> =>
    fc.array(fc.integer({ min: 0, max: 5, ...bounds }), { minLength: 12, maxLength: 12 });
  return fc.record({
    history: fc
      .tuple(kind.histories, fc.oneof({ weight: 3, arbitrary: fc.constant([0]) }, numbers({ min: -30, max: 30 })))
      .map(([history, jumps]) => withJumps(history, jumps)),
    levels: fc
      .oneof({ weight: 3, arbitrary: level.map((one) => [one]) }, fc.uniqueArray(level, { minLength: 2, maxLength: 4 }))
      .map((several) => several),
    sending: sendings(kind),
    sessions: numbers({}),
    batches: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 6 }),
    kills: fc.oneof(
      { weight: 3, arbitrary: fc.constant(['none' as const]) },
      fc.array(fc.constantFrom('none' as const, 'on' as const, 'anew' as const, 'before' as const), {
        minLength: 3,
        maxLength: 3,
      }),
    ),
    patience: fc.nat({ max: 3 }),
    // Only a watcher that waits for all of several possible writers knows which was read from.
    impatience: kind.repeated
      ? fc.constant(null)
      : fc.oneof({ weight: 2, arbitrary: fc.constant(null) }, fc.nat({ max: 6 })),
    outcomes: fc.oneof(fc.constant([-1]), numbers({ min: -1, max: 8 })),
    mostReopened: fc.constant(mostReopened),
    values: kind.repeated ? fc.constant('repeated' as const) : fc.constantFrom('auto' as const, 'repeated' as const),
  });
};

const often = <T>(value: T, other: fc.Arbitrary<T>): fc.Arbitrary<T> =>
  fc.oneof({ weight: 2, arbitrary: fc.constant(value) }, other);

const sendings = ({ lists }: Kind): fc.Arbitrary<Sending> =>
  fc.record({
    hasInitialTransaction: lists ? fc.constant(false) : often(false, fc.constant(true)),
    isNumbered: fc.boolean(),
    again: fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 5 }),
    levels: often(
      [''],
      fc.array(fc.constantFrom('', 'serializable', 'read committed'), { minLength: 3, maxLength: 3 }),
    ),
    headers: often([], fc.array(fc.nat({ max: 8 }), { maxLength: 2 })),
  });

const drawnWithin = (bounds: HistoryBounds): Kind => ({
  histories: arbitraryHistory(bounds),
  repeated: bounds.repeatedValues === true || bounds.wild === true,
  lists: bounds.lists === true,
  single: bounds.single === true,
});

const run = (runKind: RunKind): Kind => ({
  histories: fc.nat().map((seed) => fromPlain(randomRun(randomNumbers(seed), runKind))),
  repeated: runKind.repeated === true,
  lists: runKind.lists === true,
  single: runKind.single === true,
});

/** The run, spelled with exchanges. */
const runOfExchanges = (runKind: RunKind): Kind => ({
  ...run(runKind),
  histories: fc
    .nat()
    .map((seed) => fromPlain(withExchanges(randomRun(randomNumbers(seed), runKind), randomNumbers(seed + 1), 0))),
});

const all = { aborted: true, unknown: true, times: true };

describe.each<[string, Kind]>([
  ['plain', drawnWithin({ transactions: 8 })],
  ['aborted transactions', drawnWithin({ transactions: 8, aborted: true })],
  ['unknown outcomes', drawnWithin({ transactions: 8, aborted: true, unknown: true })],
  ['repeated values', drawnWithin({ transactions: 8, repeatedValues: true })],
  ['times', drawnWithin({ transactions: 8, times: true })],
  ['many sessions', drawnWithin({ transactions: 12, sessions: 6, keys: 3 })],
  ['lists', drawnWithin({ transactions: 8, lists: true })],
  ['lists and all else', drawnWithin({ transactions: 8, lists: true, ...all })],
  ['single operations', drawnWithin({ transactions: 8, operations: 1, single: true, times: true })],
  ['wild', drawnWithin({ transactions: 8, wild: true, repeatedValues: true, ...all })],
  ['wild lists', drawnWithin({ transactions: 8, wild: true, lists: true, ...all })],
  ['everything', drawnWithin({ transactions: 8, repeatedValues: true, ...all })],
  ['run of unique values', run({})],
  ['run of mini-transactions', run({ mini: true })],
  ['run of repeated values', run({ repeated: true })],
  ['run with open outcomes', run({ open: true })],
  ['run of repeated values with open outcomes', run({ repeated: true, open: true })],
  ['run of single keys', run({ single: true })],
  ['run of single keys, repeated', run({ single: true, repeated: true })],
  ['run of single keys, repeated, with open outcomes', run({ single: true, repeated: true, open: true })],
  ['run of exchanges', runOfExchanges({})],
  ['run of exchanges, repeated, with open outcomes', runOfExchanges({ repeated: true, open: true })],
  ['run of lists', run({ lists: true })],
  ['run of lists with open outcomes', run({ lists: true, open: true })],
])('%s', (_, kind) => {
  const verdictsOf = async ({ history, levels }: Drawn): Promise<[LevelName, VerdictStatus][]> => {
    const verdicts: [LevelName, VerdictStatus][] = [];
    for (const level of levels) {
      const result = await check(history, judging(level));
      fc.pre(result.verdict !== 'unknown');
      verdicts.push([level, result.verdict]);
    }
    return verdicts;
  };
  const told = async (drawn: Drawn): Promise<string> => {
    const { levels, batches, kills } = drawn;
    const { lines, horizon } = await sent(drawn);
    const how = `judged after ${batches.join(', ')}, killed ${kills.join()}, horizon ${horizon}`;
    return `${levels.join(', ')}, ${how}:\n${lines.join('\n')}\n`;
  };
  const forAll = (mostReopened: number, hold: (drawn: Drawn) => Promise<void>): Promise<void> =>
    fc.assert(fc.asyncProperty(drawnFrom(kind, mostReopened), hold), { numRuns: RUNS });
  const found = (violated: ReadonlySet<LevelName>, level: LevelName): VerdictStatus =>
    violated.has(level) ? 'violated' : 'satisfied';

  test('the verdict at the end is that of the whole history', () =>
    forAll(Infinity, async (drawn) => {
      const expected = await verdictsOf(drawn);
      const { violated, undecided } = await watched(drawn);
      // It takes no open outcomes, and a window may show less than the whole of a list with a repeated append.
      const isPartial = (level: LevelName, why: string): boolean =>
        level === 'cut-isolation' || (kind.lists && why.startsWith('weave needs'));
      fc.pre(!undecided.some(([level, why]) => isPartial(level, why)));
      const text = await told(drawn);
      const verdicts = expected.map(([level]) => [level, found(violated, level)]);
      expect([undecided, verdicts, text]).toEqual([[], expected, text]);
    }));

  test('levels that are judged by full checks are those of the whole history', () =>
    fc.assert(
      fc.asyncProperty(drawnFrom(kind, Infinity, LOOKED_AT), async (drawn) => {
        const expected = await verdictsOf(drawn);
        const { violated, undecided } = await watched(drawn);
        const text = await told(drawn);
        const verdicts = expected.map(([level]) => [level, found(violated, level)]);
        expect([undecided, verdicts, text]).toEqual([[], expected, text]);
      }),
      { numRuns: Math.ceil(RUNS / 4) },
    ));

  test('a forgotten transaction makes no verdict wrong', () =>
    forAll(0, async (drawn) => {
      const expected = await verdictsOf(drawn);
      const { violated, undecided, status } = await watched(drawn);
      const text = await told(drawn);
      const isSure = undecided.length === 0 && status.believed === 0 && status.late === 0;
      const verdicts = expected.map(([level, verdict]) => {
        const said = found(violated, level);
        return [level, isSure || said === 'violated' ? said : verdict];
      });
      expect([verdicts, text]).toEqual([expected, text]);
    }));
});

describe.each([
  ['rows', {}],
  ['repeated versions of rows', { repeated: true }],
  ['rows with open outcomes', { open: true }],
])('%s', (_, rowKind) => {
  const histories = fc.nat().map((seed) => fromPlain(randomRows(randomNumbers(seed), rowKind)));
  const kind: Kind = { histories, repeated: true, lists: false, single: false };

  test('a violation by the rows that scans returned is one of the whole history', async () => {
    let alarms = 0;
    await fc.assert(
      fc.asyncProperty(drawnFrom(kind, Infinity), async (drawn) => {
        const { violated } = await watched(drawn);
        const text = printHistory(drawn.history);
        for (const level of violated) {
          const result = await check(drawn.history, judging(level));
          expect([level, result.verdict, text]).toEqual([level, 'violated', text]);
          alarms++;
        }
      }),
      { numRuns: 4 * RUNS },
    );
    expect(alarms).toBeGreaterThan(RUNS / 10);
  });
});

const TAKEN_AWAY = 'taken-away' as LevelName;

test('a violation that later transactions may remove is alarmed at the end only', async () => {
  addDefinition(readLevel('level taken-away\nirreflexive (wr \\ (so ; wr)) ; rw', 'taken-away.lvl'));
  const skewed = [
    '{"isolab":"history","version":1,"initial":0}',
    '{"session":1,"ops":[["w","x",1],["w","z",1]]}',
    '{"session":2,"ops":[["r","x",1],["r","z",0],["r","y",3]]}',
  ];
  const alarms = async (...lines: readonly string[]): Promise<number> => {
    const watcher = await new Watcher({
      ...DEFAULTS,
      name: 'a stream',
      levels: [TAKEN_AWAY],
      log: new MemoryLog(),
      alarmFolder: null,
    }).open();
    watcher.take(bytesOf(skewed));
    expect((await watcher.judge()).alarms).toEqual([]);
    watcher.take(bytesOf(lines));
    return (await watcher.finish()).alarms.length;
  };
  expect(await alarms('{"session":1,"ops":[["w","y",3]]}')).toBe(0);
  expect(await alarms('{"session":3,"ops":[["w","y",3]]}')).toBe(1);
});

test('a question that one full check cannot decide because an outcome is open is decided by a later one', async () => {
  const watcher = await new Watcher({
    ...DEFAULTS,
    name: 'a stream',
    levels: ['parallel-snapshot-isolation'],
    values: 'repeated',
    log: new MemoryLog(),
    alarmFolder: null,
  }).open();
  watcher.take(
    bytesOf([
      '{"isolab":"history","version":1,"initial":0,"times":"events"}',
      '{"status":"unknown","session":1,"begin":2,"at":1,"ops":[["r","y",[1]],["append","y",1]]}',
      '{"session":0,"begin":0,"end":1,"ops":[["append","y",1]]}',
    ]),
  );
  expect(await watcher.judge()).toMatchObject({
    levels: { 'parallel-snapshot-isolation': 'stands' },
    looked: { 'parallel-snapshot-isolation': 0 },
  });
  watcher.take(
    bytesOf([
      '{"outcome":"aborted","session":1,"end":3}',
      '{"session":0,"begin":4,"end":5,"ops":[["append","x",1]]}',
      '{"session":0,"begin":6,"end":7,"ops":[["r","x",[]]]}',
    ]),
  );
  expect((await watcher.finish()).levels).toEqual({ 'parallel-snapshot-isolation': 'violated' });
});

test('an outcome is of the latest transaction of its session, also where that was forgotten first', async () => {
  const watcher = await new Watcher({
    ...DEFAULTS,
    name: 'a stream',
    levels: ['prefix'],
    horizon: { transactions: 3, ms: Infinity },
    log: new MemoryLog(),
    alarmFolder: null,
  }).open();
  for (const line of [
    '{"isolab":"history","version":1,"initial":0}',
    '{"session":1,"status":"unknown","ops":[["append","k1",1],["append","k0",2]]}',
    '{"session":1,"status":"unknown","ops":[["r","k1",[]]]}', // misses elements of its session
    '{"session":0,"ops":[["r","k1",[]],["append","k2",3]]}',
    '{"session":0,"ops":[["r","k2",[3]],["r","k0",[2]]]}', // shows that the first happened
    '{"session":2,"ops":[["r","k2",[]]]}',
    '{"session":0,"ops":[["r","k2",[3]],["append","k0",4],["r","k0",[2,4]]]}',
    '{"outcome":"committed","session":1}',
  ]) {
    watcher.take(bytesOf([line]));
    await watcher.judge();
  }
  expect((await watcher.finish()).levels).toEqual({ prefix: 'violated' });
});

test('an outcome that says nothing of when it came takes no alarm back', async () => {
  const text = [
    '{"isolab":"history","version":1,"initial":0,"times":"events","sessions":[0,1]}',
    '{"session":1,"status":"unknown","begin":26,"at":1,"ops":[["w","x",1]]}',
    '{"session":0,"begin":24,"begun":25,"end":30,"at":2,"ops":[["r","x",1]]}',
    '{"outcome":"committed","session":1}',
  ];
  const level = 'generalized-snapshot-isolation';
  const watcher = await new Watcher({
    ...DEFAULTS,
    name: 'a stream',
    levels: [level],
    log: new MemoryLog(),
    alarmFolder: null,
  }).open();
  watcher.take(bytesOf(text.slice(0, 3)));
  const sentence = 'T2 sees T1’s x = 1, and T1 began after T2 had begun: each would have to come before the other.';
  expect((await watcher.judge()).alarms).toMatchObject([{ sentence }]);
  watcher.take(bytesOf(text.slice(3)));
  expect((await watcher.finish()).alarms).toMatchObject([{ sentence }]);
  expect((await check(await open({ text: text.join('\n') }), { level })).verdict).toBe('violated');
});
