import { type Certification, type LevelName, type Verdict, requirementsAt } from '@isolab/contract';
import { ALL_ALLOWED, verifyEvidence } from '@isolab/verifier';
import {
  type History,
  type HistoryShape,
  NO_TIME,
  type TransactionId,
  TxnStatus,
  checkShape,
  fromPlain,
  nameAtom,
  showTransaction,
  toRegisters,
} from '@isolab/history';
import { levelsSatisfied } from '@isolab/oracle';
import {
  type CounterKind,
  type RowKind,
  arbitraryHistory,
  prepare,
  printHistory,
  randomCounters,
  randomRows,
  randomSums,
  type RunKind,
  randomNumbers,
  randomRun,
} from '@isolab/testkit';
import fc from 'fast-check';
import { STRONG_OPTIONS, type StrongOptions } from '../src/problem/options.ts';
import { THRESHOLDS, type Threshold, TUNING, type Tuning } from '../src/problem/tuning.ts';
import { weave, weaveWith } from '../src/weave.ts';

/** Where random histories come from: runs that nearly make sense, or testkit's executions of a store that are disturbed. */
export const KINDS = {
  unique: {},
  'mini-transactions': { mini: true },
  repeated: { repeated: true },
  'unique, open outcomes': { open: true },
  'repeated, open outcomes': { repeated: true, open: true },
  'single keys': { single: true },
  'single keys, repeated': { single: true, repeated: true },
  'single keys, repeated, open outcomes': { single: true, repeated: true, open: true },
  lists: { lists: true },
  'lists, open outcomes': { lists: true, open: true },
  disturbed: null,
  'wild registers': null,
  'wild lists': null,
  'wild single keys': null,
  rows: { rows: {} },
  'rows, repeated': { rows: { repeated: true } },
  'rows, open outcomes': { rows: { open: true } },
  'rows, aggregates': { rows: { aggregates: true } },
  'rows, aggregates, repeated': { rows: { aggregates: true, repeated: true } },
  'rows, aggregates, open outcomes': { rows: { aggregates: true, open: true } },
  'rows, repeated, open outcomes': { rows: { repeated: true, open: true } },
  'few rows, aggregates, open outcomes': { rows: { aggregates: true, open: true, tight: true } },
  'few rows, aggregates, repeated, open outcomes': {
    rows: { aggregates: true, repeated: true, open: true, tight: true },
  },
  counters: { counters: { transactions: 5 } },
  sums: { sums: true },
  'counters, plain writes, open outcomes': { counters: { repeated: true, writes: true, open: true, transactions: 4 } },
} as const satisfies Record<string, Runs | null>;

type Runs = RunKind | { readonly rows: RowKind } | { readonly counters: CounterKind } | { readonly sums: true };

export type Kind = keyof typeof KINDS;

/** Number of right verdicts, by verdict and certificate; and of attempts that gave up, by reason. */
export type Tally = Map<string, number>;

/**
 * Compares weave with the oracle at every level that takes a history, with random options, and verifies its
 * certificates. Throws at the first that is wrong, with the history in the notation of testkit. Lets other tasks run
 * now and then.
 */
export async function agreeOnRandomRuns(
  kind: Kind,
  count: number,
  seed: number,
  say: (done: number) => void = () => {},
): Promise<Tally> {
  const tally: Tally = new Map();
  for (let done = 0; done < count;) {
    for (const [i, history] of batch(kind, Math.min(BATCH, count - done), seed, done).entries())
      agreeOn(
        history,
        randomNumbers((seed + 1) * 7_919 + done + i),
        `${kind}, seed ${seed}, history ${done + i}`,
        tally,
      );
    done = Math.min(count, done + BATCH);
    say(done);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return tally;
}

const BATCH = 200;

function batch(kind: Kind, count: number, seed: number, first: number): History[] {
  const runs: Runs | null = KINDS[kind];
  const numbers = Array.from({ length: count }, (_, i) => seed * 1_000_003 + first + i);
  if (runs !== null && 'rows' in runs)
    return numbers.map((number) => fromPlain(randomRows(randomNumbers(number), runs.rows)));
  if (runs !== null && 'sums' in runs) return numbers.map((number) => fromPlain(randomSums(randomNumbers(number))));
  if (runs !== null && 'counters' in runs)
    return numbers.map((number) => randomCounters(randomNumbers(number), runs.counters));
  if (runs !== null) return numbers.map((number) => fromPlain(randomRun(randomNumbers(number), runs)));
  const random = randomNumbers(numbers[0]!);
  const flip = (): boolean => random() < 0.5;
  const single = kind === 'wild single keys';
  const lists = kind === 'disturbed' || single ? flip() : kind === 'wild lists';
  const wild = kind !== 'disturbed';
  const repeatedValues = !lists && flip();
  const statuses = { unknown: flip(), aborted: flip() };
  const bounds = { lists, repeatedValues, ...statuses, times: flip(), keys: wild && !single ? 2 : 3, wild, single };
  return fc.sample(arbitraryHistory(bounds), { numRuns: count, seed: numbers[0]! });
}

/** The history with the clock put forward or back before some transactions, so that times may contradict sessions. */
function withJumps(history: History, random: () => number): History {
  const { txnBegin, txnEnd } = history;
  if (txnBegin === null || txnEnd === null || random() < 0.8) return history;
  const jumps = Array.from(txnBegin, () => BigInt(Math.floor(60 * random()) - 30));
  const moved = (times: BigInt64Array): BigInt64Array =>
    times.map((time, t) => (time === NO_TIME ? time : time + 30n + jumps[t]!));
  return { ...history, txnBegin: moved(txnBegin), txnEnd: moved(txnEnd) };
}

function agreeOn(given: History, random: () => number, name: string, tally: Tally): void {
  const history = withJumps(given, random);
  const registers = toRegisters(history);
  const input = prepare(registers.history);
  const has = (shape: HistoryShape): boolean =>
    checkShape(shape === 'single-keys' ? history : input.history, input.index, shape).holds;
  if (!has('registers') && !has('unique-values')) return;
  const levels = weave.info.levels.filter((level) =>
    (requirementsAt(weave.info, level) as readonly HistoryShape[]).every((shape) => Array.isArray(shape) || has(shape)),
  );
  const truths = new Set(levelsSatisfied(history, levels));
  for (const level of levels) {
    const options = randomOptions(random);
    const tuning = random() < 0.3 ? TUNING : randomTuning(random);
    const findAll = random() < 0.3;
    try {
      const onCount = (counter: string): void => {
        if (counter.startsWith('gave up')) tally.set(counter, (tally.get(counter) ?? 0) + 1);
      };
      // The history as the host gives it: without the rows that scans passed over, which weave looks after by itself.
      const asGiven =
        registers.undecidedAggregates.length > 0 || (history.scans.table.length > 0 && random() < 0.7)
          ? { ...prepare(toRegisters(history, new Map()).history), kind: 'scans' as const, withScans: history }
          : input;
      const isRepeated = input.index.repeatedWrites > 0 && history.txnStatus.includes(TxnStatus.Unknown);
      const hasOpen = history.txnStatus.includes(TxnStatus.Unknown);
      const mayBeUnknown =
        (registers.undecidedAggregates.length > 0 && (hasOpen || level === 'linearizable')) ||
        (level === 'cut-isolation' && isRepeated);
      const truth = truths.has(level) ? 'satisfied' : 'violated';
      const check = { checker: weaveWith(tuning), level, options, findAll, onCount };
      const result = verdictOf(check, asGiven, input, truth, mayBeUnknown);
      tally.set(result, (tally.get(result) ?? 0) + 1);
    } catch (error) {
      const how = `${name}, ${level}, ${JSON.stringify(options)}, tuning ${JSON.stringify(tuning)}${findAll ? ', all anomalies' : ''}`;
      throw new Error(`${how}: ${(error as Error).message}\n${textOf(history)}\n`, { cause: error });
    }
  }
}

/** In the notation of testkit, which has no scans; those as messages show them. */
const textOf = (history: History): string =>
  history.scans.table.length === 0
    ? printHistory(history)
    : `${Array.from(history.keyInitial, (value, key) => `${nameAtom(history.keys, key)}: ${nameAtom(history.values, value)}`).join(', ')}\n${Array.from(
        history.txnStatus,
        (_, t) => `${history.txnSession[t]}: ${showTransaction(history, t as TransactionId)}`,
      ).join('\n')}`;

const randomOptions = (random: () => number): StrongOptions =>
  Object.fromEntries(
    Object.entries(STRONG_OPTIONS).map(([name, { choices }]) => [
      name,
      choices![Math.floor(random() * choices!.length)],
    ]),
  ) as unknown as StrongOptions;

/** Each threshold as it is, or so extreme that a small history meets it. A new threshold leaves the others as drawn. */
function randomTuning(random: () => number): Tuning {
  const seed = Math.floor(random() * 2 ** 32);
  return Object.fromEntries(
    Object.entries(THRESHOLDS as Readonly<Record<string, Threshold>>).map(([name, [value, , , extremes]]) => {
      // A small history needs no more moves than the extremes allow.
      const values = name === 'fewestMoves' ? extremes : [value, ...extremes];
      return [name, values[hashOf(name, seed) % values.length]];
    }),
  ) as unknown as Tuning;
}

/** FNV-1a, and a last mixing of its bits. */
function hashOf(text: string, seed: number): number {
  let hash = seed;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return (hash ^ (hash >>> 15)) >>> 0;
}

interface Check {
  readonly checker: typeof weave;
  readonly level: LevelName;
  readonly options: StrongOptions;
  readonly findAll: boolean;
  readonly onCount: (counter: string) => void;
}

type Given = Parameters<typeof weave.check>[0];

/** A fault that the judges of a verdict found, as opposed to a crash. */
export class WrongVerdict extends Error {}

function verdictOf(check: Check, given: Given, input: Given, truth: Verdict['status'], mayBeUnknown: boolean): string {
  const { checker, level, options, findAll, onCount } = check;
  let steps = 0;
  const tick = (more: number): void => {
    steps += more;
    if (steps > 1_000_000) throw new WrongVerdict('it does not end');
  };
  const context = { certify: true, findAll, stage() {}, count: onCount, progress() {}, tick };
  const verdict = checker.check(given, level, options, context) as Verdict;
  if (verdict.status === 'unknown' && mayBeUnknown) return `unknown, ${truth}, ${level}`;
  if (verdict.status === 'unknown' || verdict.status !== truth)
    throw new WrongVerdict(`got ${verdict.status}, expected ${truth}`);
  const judged = given.kind === 'scans' ? given.withScans : input.history;
  const evidence: readonly Certification[] = verdict.status === 'violated' ? verdict.anomalies : [verdict];
  for (const { certificate, passedOver } of evidence) {
    if (certificate === undefined) throw new WrongVerdict(`${truth}, without a certificate`);
    const proof = { certificate, passedOver };
    const verification = verifyEvidence(judged, level, verdict.status, proof, ALL_ALLOWED);
    if (!verification.ok) throw new WrongVerdict(`${truth}: ${verification.problem}`);
  }
  return `${truth} ${evidence[0]!.certificate!.kind}${evidence[0]!.passedOver ? ', rows passed over' : ''}`;
}
