import {
  IMPOSSIBLE,
  type Operation,
  type OperationHistory,
  type OperationLevel,
  type OperationVerdict,
  type OperationOrder,
  type PartCertificate,
  type SequentialModel,
  WholeMachine,
  showValue,
} from '@isolab/operations';
import type { Story, StoryEdge, StoryStep, StoryTransaction } from '@isolab/story';

type Judged = Exclude<OperationVerdict, { status: 'unknown' }>;

/** Presents a verdict about operations as a story, with each operation as a cell in the lane of its process. */
export function operationStory(
  history: OperationHistory,
  model: SequentialModel,
  level: OperationLevel,
  verdict: Judged,
  certificate: OperationOrder | PartCertificate | null,
): Story {
  const { operations } = history;
  const shownAs = new Shown(history, model);
  const part = certificate?.kind === 'operation-part' ? certificate.kept : [...operations.keys()];
  const shown = part.toSorted((i, j) => operations[i]!.call - operations[j]!.call);
  const told = verdict.status === 'satisfied' ? [] : failure(history, model, level, shown, verdict);
  const witness = verdict.status === 'satisfied' ? stepsOf(history, model, verdict.certificate.order) : null;
  const processes = [...new Set(shown.map((i) => operations[i]!.process))];
  const numHidden = operations.length - shown.length;
  const [summary = `An order of all operations that ${model.name} allows was found.`, ...sentences] = told;
  return {
    title: verdict.status === 'satisfied' ? titleOf(level, true) : titleOf(level, false),
    verdict: verdict.status,
    level,
    anomaly: null,
    summary,
    isPart: numHidden > 0,
    sessions: processes.map((process) => ({ id: showValue(process), label: `process ${showValue(process)}` })),
    transactions: shown.map((i) => cellOf(shownAs, operations[i]!, i, verdict.status === 'violated')),
    edges: level === 'linearizable' ? realTimeEdges(operations, shown) : [],
    prose: [summary, ...sentences].map((text) => ({ text, edges: [] })),
    ...(numHidden > 0 && {
      hidden: {
        transactions: numHidden,
        sessions: 0,
        reason: 'their outcomes and results do not affect the verdict',
      },
    }),
    clock: {
      spans: shown.map((i) => ({ transaction: `o${i}`, beginMs: operations[i]!.call, endMs: operations[i]!.return })),
      faults: [],
    },
    ...(witness && { witness: { text: summary, initial: [], steps: witness } }),
  };
}

const titleOf = (level: OperationLevel, holds: boolean): string =>
  ({
    linearizable: holds ? 'Linearizable' : 'Not linearizable',
    sequential: holds ? 'Sequentially consistent' : 'Not sequentially consistent',
  })[level];

/**
 * Prints operations as `write 3`, `read → nil` or `cas [1, 2] → ?`. A nil result is also printed for functions that
 * normally return another value.
 */
class Shown {
  readonly #returning: ReadonlySet<string>;

  readonly #model: SequentialModel;

  constructor({ operations }: OperationHistory, model: SequentialModel) {
    this.#model = model;
    const returns = operations.filter(
      ({ result, argument }) => result !== null && result !== undefined && showValue(result) !== showValue(argument),
    );
    this.#returning = new Set(returns.map(({ f }) => f));
  }

  of(operation: Operation): string {
    const { f, argument, result, return: returned } = operation;
    const asked = argument === null ? f : `${f} ${showValue(argument)}`;
    if (returned === null) return `${asked} → ?`;
    const isSaid =
      result === null
        ? this.#returning.has(f) || this.#model.isRead?.(operation) === true
        : showValue(result) !== showValue(argument);
    return isSaid ? `${asked} → ${showValue(result)}` : asked;
  }
}

function cellOf(shownAs: Shown, operation: Operation, i: number, isViolated: boolean): StoryTransaction {
  const { process, call, return: returned, place } = operation;
  return {
    id: `o${i}`,
    session: showValue(process),
    label: `#${i + 1}`,
    status: returned === null ? 'unknown' : 'committed',
    role: isViolated ? 'cycle' : 'context',
    operations: [
      {
        id: `o${i}.0`,
        kind: 'compare-and-set',
        key: null,
        value: null,
        text: shownAs.of(operation),
        role: isViolated ? 'cycle' : 'context',
        ...(place !== undefined && { place }),
      },
    ],
    ...(place !== undefined && { place }),
    time: returned === null ? `called at ${call}, pending` : `from ${call} to ${returned}`,
  };
}

/** Finds the longest valid order of the operations shown, and the operations that could not follow it. */
function failure(
  history: OperationHistory,
  model: SequentialModel,
  level: OperationLevel,
  shown: readonly number[],
  verdict: Extract<Judged, { status: 'violated' }>,
): string[] {
  const { operations } = history;
  const shownAs = new Shown(history, model);
  const machine = new WholeMachine(model, history);
  const { order, next } =
    shown.length > MOST_SEARCHED
      ? { order: verdict.longest, next: verdict.stuck < 0 ? [] : [verdict.stuck] }
      : longestOrder(history, machine, level, shown);
  const named = (i: number): string => `${shownAs.of(operations[i]!)} of process ${showValue(operations[i]!.process)}`;
  const before =
    order.length === 0
      ? 'At first'
      : `After ${order.length > SHOWN ? '… ' : ''}${order.slice(-SHOWN).map(named).join(', ')}`;
  const state = machine.showAt(order);
  const blocked = next.map((i) => `${named(i)}${at(operations[i]!)}`);
  const all = shown.length === 1 ? 'the operation shown' : `the ${shown.length} operations shown`;
  const article = /^[aeiou]/.test(model.name) ? 'an' : 'a';
  if (next.length === 0) return [`No order of ${all} is valid for ${article} ${model.name}.`];
  return [
    `${before} the ${model.name} is ${state}, and ${blocked.join(' or ')} would have to come next, which ${article} ${model.name} does not allow.`,
    `No other order of ${all} gets further; all orders were tried.`,
  ];
}

const at = ({ place }: Operation): string => (place === undefined ? '' : ` (${place})`);
const SHOWN = 6;

/** Searches depth-first among the few operations of a part. */
function longestOrder(
  { operations }: OperationHistory,
  machine: WholeMachine,
  level: OperationLevel,
  shown: readonly number[],
): { readonly order: readonly number[]; readonly next: readonly number[] } {
  const precedes = (a: number, b: number): boolean => {
    const [x, y] = [operations[a]!, operations[b]!];
    return x.return !== null && x.return < y.call && (level === 'linearizable' || x.process === y.process);
  };
  let longest: readonly number[] = [];
  const seen = new Set<string>();
  let steps = 0;
  const search = (order: readonly number[], state: number): void => {
    if (order.length > longest.length) longest = order;
    const key = `${order.toSorted((a, b) => a - b).join()} ${state}`;
    if (seen.has(key) || ++steps > MOST_STEPS) return;
    seen.add(key);
    const left = shown.filter((i) => !order.includes(i));
    for (const i of left) {
      if (left.some((other) => other !== i && precedes(other, i))) continue;
      const reached = machine.step(state, i);
      if (reached !== IMPOSSIBLE) search([...order, i], reached);
    }
  };
  search([], machine.initial);
  const left = shown.filter((i) => !longest.includes(i));
  return { order: longest, next: left.filter((i) => !left.some((other) => other !== i && precedes(other, i))) };
}

const MOST_STEPS = 2000;
const MOST_SEARCHED = 60;

/** Lists the operations of an order with the state after each of them. */
function stepsOf(history: OperationHistory, model: SequentialModel, order: readonly number[]): StoryStep[] {
  const shownAs = new Shown(history, model);
  const machine = new WholeMachine(model, history);
  const states = machine.statesAlong(order);
  return order.map((i, step) => {
    const operation = history.operations[i]!;
    const isChanged = step === 0 ? states[0] !== machine.showAt([]) : states[step] !== states[step - 1];
    return {
      event: 'transaction',
      transaction: `o${i}`,
      text: `process ${showValue(operation.process)}: ${shownAs.of(operation)}`,
      changes: isChanged ? [{ key: model.name, value: states[step]! }] : [],
    };
  });
}

/** Returns edges from operations that returned to operations that were called later, without transitive edges. */
function realTimeEdges(operations: OperationHistory['operations'], shown: readonly number[]): StoryEdge[] {
  return shown.flatMap((to) => {
    const earlier = shown.filter(
      (i) => operations[i]!.return !== null && operations[i]!.return! < operations[to]!.call,
    );
    const latestCall = Math.max(...earlier.map((i) => operations[i]!.call));
    return earlier
      .filter((i) => operations[i]!.return! >= latestCall && operations[i]!.process !== operations[to]!.process)
      .map((from): StoryEdge => ({
        id: `o${from}-o${to}`,
        from: { transaction: `o${from}` },
        to: { transaction: `o${to}` },
        kind: 'real-time',
        part: 'context',
        sentence: `#${from + 1} returned before #${to + 1} was called.`,
      }));
  });
}
