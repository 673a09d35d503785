import { LEVELS, type LevelName, type VerdictStatus, implies } from '@isolab/contract';
import { isolabReader } from '@isolab/formats';
import { type History, fromPlain } from '@isolab/history';
import { type HistoryBounds, type RunKind, arbitraryHistory, randomNumbers, randomRun } from '@isolab/testkit';
import fc from 'fast-check';
import { check } from 'isolab';
import { beforeAll, describe, expect, test } from 'vitest';
import { chains } from '../src/chains.ts';
import { streamHeader } from '../src/header.ts';
import { Engine, type EngineOptions } from '../src/index.ts';
import { type Arriving, arrivingLines, longestWait, withJumps } from './arriving.ts';
import { MemoryLog, linesOf } from './lines.ts';

/** ISOLAB_RUNS asks for more. */
const RUNS = Number(process.env['ISOLAB_RUNS'] ?? 300);

const TIMEOUT = 60_000 + 40 * RUNS;

let newReader: EngineOptions['newReader'];
beforeAll(async () => {
  newReader = await isolabReader();
});

interface Drawn extends Arriving {
  readonly history: History;
  readonly levels: readonly LevelName[];
  /** How many lines come between two judgements; whether the engine is killed after one, and goes on. */
  readonly batches: readonly number[];
  readonly kills: readonly boolean[];
  /** How much longer is waited than needed; or how long, although more is needed. */
  readonly patience: number;
  readonly impatience: number | null;
  readonly mostReopened: number;
  readonly values: 'auto' | 'repeated';
}

/** What a kind of history needs. */
interface Kind {
  readonly histories: fc.Arbitrary<History>;
  readonly repeated: boolean;
  readonly lists: boolean;
  readonly single: boolean;
}

async function watched(drawn: Drawn) {
  const { history, levels, batches, kills, patience, impatience, mostReopened, values } = drawn;
  const [header, ...lines] = await linesOf(history);
  const order = arrivingLines(history, lines, drawn);
  const log = new MemoryLog();
  const options: EngineOptions = {
    name: 'a stream',
    levels,
    header: Buffer.from(`${streamHeader(header!).text}\n`),
    newReader,
    log,
    horizon: { transactions: impatience ?? longestWait(history, order) + 1 + patience, ms: Infinity },
    mostReopened,
    timeMs: 10_000,
    values,
  };
  let engine = new Engine(options);
  const violated = new Set<LevelName>();
  const undecided: [LevelName, string][] = [];
  const judge = async (isEnd: boolean): Promise<void> => {
    const judged = await engine.judge(0, isEnd);
    for (const { level } of judged.alarms) violated.add(level);
    for (const { level } of judged.contests) undecided.push([level, 'contested']);
    for (const { level, why } of judged.undecided) undecided.push([level, why]);
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
    if (!kills[batch % kills.length]) continue;
    const saved = JSON.parse(JSON.stringify(await engine.save())) as Awaited<ReturnType<Engine['save']>>;
    engine = new Engine(options);
    engine.restore(saved, 0);
  }
  await judge(true);
  return { violated, undecided, engine };
}

/** Lists are decided at strong levels only. */
const levelsFor = ({ lists, single }: Kind): LevelName[] =>
  LEVELS.map(({ name }) => name).filter(
    (name) => (name !== 'linearizable' || single) && (!lists || !implies('causal', name)),
  );

const drawnFrom = (kind: Kind, mostReopened: number): fc.Arbitrary<Drawn> => {
  const level = fc.constantFrom(...levelsFor(kind));
  const numbers = (bounds: fc.NatConstraints & { readonly min?: number }): fc.Arbitrary<number[]> =>
    fc.array(fc.integer({ min: 0, max: 5, ...bounds }), { minLength: 12, maxLength: 12 });
  return fc.record({
    history: fc
      .tuple(kind.histories, fc.oneof({ weight: 3, arbitrary: fc.constant([0]) }, numbers({ min: -30, max: 30 })))
      .map(([history, jumps]) => withJumps(history, jumps)),
    levels: fc
      .oneof(
        { weight: 3, arbitrary: level.map((one) => [one]) },
        fc.array(level, { minLength: 2, maxLength: 4 }).map((several) => chains(several)[0]!),
      )
      .map((several) => several),
    sessions: numbers({}),
    batches: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 6 }),
    kills: fc.oneof(
      { weight: 3, arbitrary: fc.constant([false]) },
      fc.array(fc.boolean(), { minLength: 3, maxLength: 3 }),
    ),
    patience: fc.nat({ max: 3 }),
    // Which of several writers was read from, only those know who wait for all of them.
    impatience: kind.repeated
      ? fc.constant(null)
      : fc.oneof({ weight: 2, arbitrary: fc.constant(null) }, fc.nat({ max: 6 })),
    outcomes: fc.oneof(fc.constant([-1]), numbers({ min: -1, max: 8 })),
    mostReopened: fc.constant(mostReopened),
    values: kind.repeated ? fc.constant('repeated' as const) : fc.constantFrom('auto' as const, 'repeated' as const),
  });
};

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
  ['run of lists', run({ lists: true })],
  ['run of lists with open outcomes', run({ lists: true, open: true })],
])('%s', (_, kind) => {
  const verdictsOf = async ({ history, levels }: Drawn): Promise<[LevelName, VerdictStatus][]> => {
    const verdicts: [LevelName, VerdictStatus][] = [];
    for (const level of levels) {
      const result = await check(history, { level, checker: 'weave', allowVacuous: true });
      fc.pre(result.levels[level] !== 'unknown');
      verdicts.push([level, result.levels[level]!]);
    }
    return verdicts;
  };
  const told = async (drawn: Drawn): Promise<string> => {
    const { history, levels, batches, patience, impatience, kills } = drawn;
    const [header, ...lines] = await linesOf(history);
    const coming = arrivingLines(history, lines, drawn).map(({ text }) => text);
    const how = `judged after ${batches.join(', ')}, killed ${kills.join()}, horizon ${impatience ?? `of ${patience} more`}`;
    return `${levels.join(', ')}, ${how}:\n${[header, ...coming].join('\n')}\n`;
  };
  const forAll = (mostReopened: number, hold: (drawn: Drawn) => Promise<void>): Promise<void> =>
    fc.assert(fc.asyncProperty(drawnFrom(kind, mostReopened), hold), { numRuns: RUNS });
  const found = (violated: ReadonlySet<LevelName>, level: LevelName): VerdictStatus =>
    violated.has(level) ? 'violated' : 'satisfied';

  test('the verdict at the end is that of the whole history', { timeout: TIMEOUT }, () =>
    forAll(Infinity, async (drawn) => {
      const expected = await verdictsOf(drawn);
      const { violated, undecided } = await watched(drawn);
      // It takes no open outcomes; and of a list to which something was appended twice, a window may tell less than the whole.
      const isPartial = (level: LevelName, why: string): boolean =>
        level === 'cut-isolation' || (kind.lists && why.startsWith('weave needs'));
      fc.pre(!undecided.some(([level, why]) => isPartial(level, why)));
      const text = await told(drawn);
      const verdicts = expected.map(([level]) => [level, found(violated, level)]);
      expect([undecided, verdicts, text]).toEqual([[], expected, text]);
    }),
  );

  test('what is forgotten makes no verdict wrong', { timeout: TIMEOUT }, () =>
    forAll(0, async (drawn) => {
      const expected = await verdictsOf(drawn);
      const { violated, undecided, engine } = await watched(drawn);
      const text = await told(drawn);
      const isSure = undecided.length === 0 && engine.believed === 0 && engine.late === 0;
      const verdicts = expected.map(([level, verdict]) => {
        const said = found(violated, level);
        return [level, isSure || said === 'violated' ? said : verdict];
      });
      expect([verdicts, text]).toEqual([expected, text]);
    }),
  );
});
