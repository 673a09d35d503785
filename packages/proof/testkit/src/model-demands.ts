import { isDeepStrictEqual } from 'node:util';
import type { Demand, Shown } from '@isolab/contract';
import {
  OPERATION_LEVELS,
  type Operation,
  type OperationHistory,
  type OperationLevel,
  type SequentialModel,
  nextStates,
  showValue,
  textOf,
} from '@isolab/operations';
import { decideOperations } from '@isolab/oracle';
import { type ModelCall, type Vocabulary, randomOperations, tell } from './operations.ts';
import { randomNumbers } from './random-numbers.ts';

/** Decides a history as isolab does, and verifies the evidence. */
export type OperationsJudge = (
  history: OperationHistory,
  model: SequentialModel,
  level: OperationLevel,
) => Promise<'satisfied' | 'violated' | 'unknown'>;

/** Requirements on every model of an object, tested with the operations that the model gives as examples. */
export function modelDemands(model: SequentialModel, judge: OperationsJudge): readonly Demand[] {
  const vocabulary = vocabularyFrom(model);
  let known: readonly DemandPart[] | null = null;
  // The first requirement that needs the states reports errors thrown during their computation.
  const parts = (): readonly DemandPart[] => (known ??= partsOf(vocabulary));
  return [
    {
      name: 'it gives examples of its operations',
      expected:
        "examples: [{ f: 'read', argument: null, result: 1 }, …], with all of its functions and no other function",
      show: () => examplesOf(model),
      isBasic: true,
    },
    {
      name: 'its states can be reached and compared',
      expected: 'steps that do not throw, and states of plain data, or equal and hash for them',
      show: () => ({ holds: true, found: reachedWords(parts()) }),
      isBasic: true,
    },
    {
      name: 'the part that an operation touches does not depend on its result',
      expected: 'a partition that depends only on f and argument, and is plain data',
      show: () => partition(vocabulary),
    },
    ...stepDemands(model, parts),
    ...stateDemands(model, parts),
    ...OPERATION_LEVELS.map((level) => ({
      name: `random histories are judged correctly, ${level}`,
      expected: 'the verdict of a search through all orders',
      show: () => agreement(vocabulary, level, judge),
    })),
  ];
}

function stepDemands(model: SequentialModel, parts: () => readonly DemandPart[]): readonly Demand[] {
  const everywhere = (problem: StepProblem) => (): Shown => firstProblem(model, parts(), problem);
  return [
    {
      name: 'a step does not modify the state that it is given',
      expected: 'a new state; push, splice, sort, set and similar calls modify the old state',
      show: () => unchanged(parts()),
    },
    {
      name: 'a step returns the same states each time',
      expected: 'states that depend only on the state before, f, argument and result',
      show: everywhere(unrepeatable),
    },
    {
      name: 'an operation that never returned may have any result',
      expected: 'with the result undefined, every state that some result leads to',
      show: everywhere(missingWhilePending),
    },
    {
      name: 'an operation that isRead accepts does not change the state',
      expected: 'the same state, or no state',
      show: everywhere(readThatWrites),
    },
    {
      name: 'each example is possible in some state',
      expected: 'a state that allows it',
      show: () => possible(model, parts()),
    },
  ];
}

const stateDemands = (model: SequentialModel, parts: () => readonly DemandPart[]): readonly Demand[] => [
  {
    name: 'equal states have one hash and the same next states',
    expected: 'equal steps from equal states',
    show: () => equality(model, parts()),
  },
  {
    name: 'states are shown as text',
    expected: 'a text that is not empty',
    show: () => {
      const words = parts().flatMap(({ states }) => states.map((state) => shownState(model, state)));
      const isEmpty = words.some((each) => each.trim() === '');
      return { holds: !isEmpty, found: isEmpty ? 'an empty text' : words.slice(0, 3).join(', ') };
    },
  },
];

/** Describes a problem with an operation in a state; null if there is none. */
type StepProblem = (model: SequentialModel, state: unknown, operation: Operation) => string | null;

function firstProblem(model: SequentialModel, parts: readonly DemandPart[], problem: StepProblem): Shown {
  for (const { states, operations } of parts)
    for (const state of states)
      for (const operation of operations) {
        const found = problem(model, state, operation);
        if (found !== null) return { holds: false, found: `${found}, in the state ${shownState(model, state)}` };
      }
  return { holds: true, found: '' };
}

/** The reachable states of one part of an object, and the returned and pending operations that touch it. */
interface DemandPart {
  readonly states: readonly unknown[];
  readonly operations: readonly Operation[];
  /** A step that modified its input state; null if there is none. */
  readonly changing: string | null;
}

const MOST_STATES = 100;

function vocabularyFrom(model: SequentialModel): Vocabulary {
  const calls = new Map<string, ModelCall & { readonly results: (typeof results)[number][] }>();
  const results: ModelCall['results'] = [];
  for (const { f, argument = null, result = null } of model.examples ?? []) {
    const text = `${f} ${textOf(argument)}`;
    const call = calls.get(text) ?? { f, argument, results: [] };
    calls.set(text, call);
    call.results.push(result);
  }
  return { model, calls: [...calls.values()] };
}

const operationOf = ({ f, argument }: ModelCall, result: Operation['result']): Operation => ({
  process: 0,
  f,
  argument,
  result,
  call: 0,
  return: result === undefined ? null : 1,
});

/** Explores the states reachable from the first state, separately for each part. */
function partsOf({ model, calls }: Vocabulary): readonly DemandPart[] {
  const parts = new Map<string, Operation[]>();
  for (const call of calls)
    for (const result of [...call.results, undefined]) {
      const operation = operationOf(call, result);
      const part = partOf(model, operation);
      parts.set(part, [...(parts.get(part) ?? []), operation]);
    }
  return Array.from(parts.values(), (operations) => {
    const states: unknown[] = [model.initial];
    let changing: string | null = null;
    for (let i = 0; i < states.length && states.length < MOST_STATES; i++)
      for (const operation of operations) {
        const before: unknown = structuredClone(states[i]);
        for (const next of nextStates(model, states[i], operation))
          if (!includes(model, states, next)) states.push(next);
        if (!isDeepStrictEqual(structuredClone(states[i]), before))
          changing ??= `${named(operation)} made ${showValue(before)} into ${showValue(states[i])}`;
      }
    return { states, operations, changing };
  });
}

const partOf = (model: SequentialModel, operation: Operation): string =>
  model.partition ? textOf(model.partition(operation)) : '';

/** Returns whether the searches treat two states as equal. */
function isSame(model: SequentialModel, a: unknown, b: unknown): boolean {
  if (model.hash && model.hash(a) !== model.hash(b)) return false;
  return model.equal ? model.equal(a, b) : textOf(a) === textOf(b);
}

const includes = (model: SequentialModel, states: readonly unknown[], state: unknown): boolean =>
  states.some((each) => isSame(model, each, state));

const shownState = (model: SequentialModel, state: unknown): string => (model.show ?? showValue)(state);

const named = ({ f, argument, result }: Operation): string =>
  `${f}${argument === null ? '' : ` ${showValue(argument)}`} → ${result === undefined ? 'unknown' : showValue(result)}`;

function examplesOf({ functions, examples = [] }: SequentialModel): Shown {
  const used = [...new Set(examples.map(({ f }) => f))];
  if (used.length === 0) return { holds: false, found: 'none' };
  const missing = functions?.filter((f) => !used.includes(f)) ?? [];
  if (missing.length > 0) return { holds: false, found: `none of ${missing.join(', ')}` };
  const strange = functions ? used.filter((f) => !functions.includes(f)) : [];
  if (strange.length > 0) return { holds: false, found: `${strange.join(', ')}, which is not in functions` };
  return { holds: true, found: `${examples.length} of ${used.join(', ')}` };
}

function reachedWords(parts: readonly DemandPart[]): string {
  const states = parts.reduce((sum, part) => sum + part.states.length, 0);
  const more = parts.some((part) => part.states.length >= MOST_STATES) ? 'the first ' : '';
  return `${more}${states} ${states === 1 ? 'state' : 'states'}${parts.length > 1 ? ` in ${parts.length} parts` : ''}`;
}

function partition({ model, calls }: Vocabulary): Shown {
  for (const call of calls) {
    const parts = [...call.results, undefined].map((result) => partOf(model, operationOf(call, result)));
    const other = parts.findIndex((part) => part !== parts[0]);
    if (other === -1) continue;
    const operation = operationOf(call, [...call.results, undefined][other]);
    return {
      holds: false,
      found: `${named(operation)} in the part ${parts[other]}, but in ${parts[0]} with another result`,
    };
  }
  return { holds: true, found: '' };
}

function unchanged(parts: readonly DemandPart[]): Shown {
  const { changing = null } = parts.find((part) => part.changing !== null) ?? {};
  return { holds: changing === null, found: changing ?? '' };
}

function unrepeatable(model: SequentialModel, state: unknown, operation: Operation): string | null {
  const once = nextStates(model, state, operation);
  const again = nextStates(model, state, { ...operation, process: 1, call: 10, return: operation.return && 12 });
  return isSubset(model, once, again) && isSubset(model, again, once)
    ? null
    : `two different answers to ${named(operation)}`;
}

const isSubset = (model: SequentialModel, some: readonly unknown[], all: readonly unknown[]): boolean =>
  some.every((state) => includes(model, all, state));

function missingWhilePending(model: SequentialModel, state: unknown, operation: Operation): string | null {
  if (operation.result === undefined) return null;
  const returned = nextStates(model, state, operation);
  const pending = nextStates(model, state, { ...operation, result: undefined, return: null });
  const missing = returned.find((next) => !includes(model, pending, next));
  if (missing === undefined && isSubset(model, returned, pending)) return null;
  return `${named(operation)} leads to ${shownState(model, missing)}, but the same operation without a result does not`;
}

function readThatWrites(model: SequentialModel, state: unknown, operation: Operation): string | null {
  if (model.isRead?.(operation) !== true) return null;
  const next = nextStates(model, state, operation).find((each) => !isSame(model, state, each));
  return next === undefined ? null : `${named(operation)} leaves ${shownState(model, next)} behind`;
}

/** Checks all pairs of states that steps return, including states that were dropped as equal to a known state. */
function equality(model: SequentialModel, parts: readonly DemandPart[]): Shown {
  if (!model.equal && !model.hash) return { holds: true, found: 'their contents are compared' };
  for (const { states, operations } of parts) {
    const given = states.slice(0, 20).flatMap((state) => operations.flatMap((each) => nextStates(model, state, each)));
    const distinct = given.slice(0, MOST_STATES);
    for (const unlike of [comparedWrongly, goesOnUnlike])
      for (const a of distinct)
        for (const b of distinct) {
          const found = unlike(model, a, b, operations);
          if (found !== null) return { holds: false, found };
        }
  }
  return { holds: true, found: '' };
}

const isEqual = (model: SequentialModel, a: unknown, b: unknown): boolean =>
  model.equal ? model.equal(a, b) : isSame(model, a, b);

const bothShown = (model: SequentialModel, a: unknown, b: unknown): string =>
  `${shownState(model, a)} and ${shownState(model, b)}`;

function comparedWrongly(model: SequentialModel, a: unknown, b: unknown): string | null {
  const both = bothShown(model, a, b);
  if (isEqual(model, a, b) !== isEqual(model, b, a)) return `${both} are equal in one direction only`;
  if (!isEqual(model, a, b))
    return isDeepStrictEqual(a, b) ? `${both} are not equal, although they are the same` : null;
  return model.hash && model.hash(a) !== model.hash(b) ? `${both} are equal, but have two hashes` : null;
}

function goesOnUnlike(model: SequentialModel, a: unknown, b: unknown, operations: readonly Operation[]): string | null {
  if (!isEqual(model, a, b)) return null;
  for (const operation of operations) {
    const [fromA, fromB] = [nextStates(model, a, operation), nextStates(model, b, operation)];
    if (!isSubset(model, fromA, fromB) || !isSubset(model, fromB, fromA))
      return `${bothShown(model, a, b)} are equal, but ${named(operation)} leads from them to different states`;
  }
  return null;
}

function possible(model: SequentialModel, parts: readonly DemandPart[]): Shown {
  const never = parts.flatMap(({ states, operations }) =>
    operations.filter((operation) => states.every((state) => nextStates(model, state, operation).length === 0)),
  );
  const returned = never.filter(({ result }) => result !== undefined);
  if (returned.length === 0) return { holds: true, found: '' };
  return { holds: null, found: `no state that was reached allows ${returned.map(named).join(', ')}` };
}

/** Number of runs, with few operations each, because a search tries all orders. */
const RUNS = 400;
const SIZE = 5;

async function agreement(vocabulary: Vocabulary, level: OperationLevel, judge: OperationsJudge): Promise<Shown> {
  const { model } = vocabulary;
  const random = randomNumbers(1);
  const counts = { satisfied: 0, violated: 0 };
  for (let run = 0; run < RUNS; run++) {
    const history = randomOperations(vocabulary, random, SIZE);
    if (history.operations.every((operation) => operation.return === null)) continue;
    const expected = decideOperations(history, model, level) ? 'satisfied' : 'violated';
    const found = await judge(history, model, level);
    if (found !== expected) return { holds: false, found: `${found} instead of ${expected}: ${tell(history)}` };
    counts[expected]++;
  }
  const found = `${counts.satisfied} satisfied, ${counts.violated} violated`;
  return { holds: counts.violated === 0 ? null : true, found };
}
