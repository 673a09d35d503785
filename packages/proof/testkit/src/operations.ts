import {
  type Operation,
  type OperationHistory,
  type OperationLevel,
  type OperationVerdict,
  type SequentialModel,
  type Value,
  findModel,
  makeHistory,
  nextStates,
  showValue,
} from '@isolab/operations';
import { decideOperations } from '@isolab/oracle';
import { verifyOperations } from '@isolab/verifier';
import type { RunContext } from '@isolab/contract';
import { randomNumbers } from './random-numbers.ts';
import { TestContext } from './test-context.ts';

/** Vocabulary of random operations of a model: calls and possible results. */
export interface Vocabulary {
  readonly model: SequentialModel;
  readonly calls: readonly ModelCall[];
}

export interface ModelCall {
  readonly f: string;
  readonly argument: Value;
  readonly results: readonly Value[];
}

/** Arguments and results by function. */
interface Words {
  readonly calls: readonly (readonly [f: string, argument: Value])[];
  readonly results: Readonly<Record<string, readonly Value[]>>;
}

const VALUES: readonly Value[] = [1, 2];
const FOUND: readonly Value[] = [null, 1, 2];
const KEYS: readonly Value[] = ['x', 'y'];
const pairs = (first: readonly Value[], second: readonly Value[]): Value[] =>
  first.flatMap((a) => second.map((b) => [a, b]));
const each = (f: string, args: readonly Value[]): [string, Value][] => args.map((argument) => [f, argument]);
const SUBSETS: readonly Value[] = [[], [1], [2], [1, 2]];
const TRANSACTIONS: readonly Value[] = [
  [['read', 'x', null]],
  [['write', 'x', 1]],
  [
    ['write', 'x', 2],
    ['write', 'y', 1],
  ],
  [
    ['read', 'x', null],
    ['read', 'y', null],
  ],
  [
    ['read', 'y', null],
    ['write', 'x', 2],
  ],
];
const readsOf = (argument: Value): Value[] => {
  const [first, ...others] = argument as [Value[], ...Value[][]];
  const heads = first[0] === 'read' ? FOUND.map((value) => [first[0]!, first[1]!, value]) : [first];
  return others.length === 0
    ? heads.map((head) => [head])
    : heads.flatMap((head) => readsOf(others).map((rest) => [head, ...(rest as Value[])]));
};

const WORDS: Readonly<Record<string, Words>> = {
  register: { calls: [['read', null], ...each('write', VALUES)], results: { read: FOUND } },
  'cas-register': {
    calls: [['read', null], ...each('write', VALUES), ...each('cas', pairs(VALUES, VALUES))],
    results: { read: FOUND, cas: [true, false] },
  },
  map: {
    calls: [
      ...each('get', KEYS),
      ...each('put', pairs(KEYS, VALUES)),
      ...each('cas', [
        ['x', [1, 2]],
        ['y', [2, 1]],
      ]),
      ...each('delete', KEYS),
      ['append', ['x', 'a']],
    ],
    results: { get: [...FOUND, 'a', '1a', 'aa'], cas: [true, false] },
  },
  'multi-register': { calls: each('txn', TRANSACTIONS), results: {} },
  mutex: {
    calls: [
      ['acquire', null],
      ['release', null],
    ],
    results: {},
  },
  'fifo-queue': { calls: [...each('enqueue', VALUES), ['dequeue', null]], results: { dequeue: FOUND } },
  'unordered-queue': { calls: [...each('enqueue', VALUES), ['dequeue', null]], results: { dequeue: FOUND } },
  stack: { calls: [...each('push', VALUES), ['pop', null]], results: { pop: FOUND } },
  set: { calls: [...each('add', VALUES), ...each('remove', [1]), ['read', null]], results: { read: SUBSETS } },
  counter: {
    calls: [...each('add', [1, 2]), ['inc', null], ['dec', null], ['read', null]],
    results: { read: [0, 1, 2, 3, -1] },
  },
};

/** Names of the models with random histories: all built-in models. */
export const RANDOM_MODELS: readonly string[] = Object.keys(WORDS);

export function vocabularyOf(name: string): Vocabulary {
  const { calls, results } = WORDS[name]!;
  return {
    model: findModel(name)!,
    calls: calls.map(([f, argument]) => ({
      f,
      argument,
      results: f === 'txn' ? readsOf(argument) : (results[f] ?? [null]),
    })),
  };
}

/**
 * Generates a few random operations, some of which overlap, have equal times or are pending. Most results come from an
 * execution, so that many histories satisfy a level, but some results are random.
 */
export function randomOperations({ model, calls }: Vocabulary, random: () => number, size = 6): OperationHistory {
  const below = (n: number): number => Math.floor(random() * n);
  const numProcesses = 1 + below(4);
  const clock = new Int32Array(numProcesses);
  const planned: (ModelCall & { process: number; call: number; return: number; point: number })[] = [];
  for (let n = 1 + below(size); n > 0; n--) {
    const process = below(numProcesses);
    const call = clock[process]! + 1 + below(3);
    const returned = call + below(5);
    clock[process] = returned;
    const asked = calls[below(calls.length)]!;
    planned.push({ ...asked, process, call, return: returned, point: call + random() * (returned - call) });
  }
  const states = new Map<string, unknown>();
  const operations = planned
    .toSorted((a, b) => a.point - b.point)
    .flatMap(({ process, call, return: returned, f, argument, results: possible }): Operation[] => {
      const asked = { process, f, argument, result: undefined, call, return: null };
      const part = model.partition === undefined ? '' : showValue(model.partition(asked));
      const state = states.get(part) ?? model.initial;
      const drawn = possible[below(possible.length)]!;
      const isDrawn = random() < 0.12;
      const allowed = possible.filter(
        (result) => nextStates(model, state, { ...asked, result, return: returned }).length > 0,
      );
      if (allowed.length === 0 && !isDrawn) return [];
      const result = isDrawn ? drawn : allowed[below(allowed.length)]!;
      const happens = random() < 0.85;
      const next = nextStates(model, state, { ...asked, result, return: returned });
      if (random() < 0.15) {
        if (happens && next.length > 0) states.set(part, next[below(next.length)]);
        return [asked];
      }
      if (next.length > 0) states.set(part, next[below(next.length)]);
      return [{ ...asked, result, return: returned }];
    });
  return makeHistory(operations);
}

export type OperationsCheck = (
  history: OperationHistory,
  model: SequentialModel,
  context: RunContext,
) => OperationVerdict;

/** Describes a checker that disagrees with the definition, or whose certificate is refused; null if there is none. */
export function disagreement(
  check: OperationsCheck,
  level: OperationLevel,
  history: OperationHistory,
  model: SequentialModel,
): string | null {
  const verdict = check(history, model, new TestContext());
  const expected = decideOperations(history, model, level) ? 'satisfied' : 'violated';
  if (verdict.status !== expected) return `${model.name}: ${verdict.status}, expected ${expected}: ${tell(history)}`;
  if (verdict.certificate === null) return null;
  const verification = verifyOperations(history, model, level, verdict.status, verdict.certificate);
  return verification.ok ? null : `${model.name}: ${verification.problem}: ${tell(history)}`;
}

/** Runs a check on `runs` random histories of a model. Returns the first disagreement, or null. */
export function firstDisagreement(
  check: OperationsCheck,
  level: OperationLevel,
  name: string,
  { runs, seed }: { readonly runs: number; readonly seed: number },
): string | null {
  const vocabulary = vocabularyOf(name);
  const random = randomNumbers(seed);
  for (let run = 0; run < runs; run++) {
    const found = disagreement(check, level, randomOperations(vocabulary, random), vocabulary.model);
    if (found !== null) return found;
  }
  return null;
}

/** Prints a history in one line. */
export const tell = ({ operations }: OperationHistory): string =>
  operations
    .map(
      ({ process, f, argument, result, call, return: returned }) =>
        `${showValue(process)}: ${f} ${showValue(argument)} → ${result === undefined ? '?' : showValue(result)} [${call}, ${returned ?? '…'}]`,
    )
    .join('; ');
