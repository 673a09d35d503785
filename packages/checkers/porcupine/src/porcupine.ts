import {
  API_VERSION,
  type FoundAnomaly,
  type IndexedHistory,
  Stop,
  defineChecker,
  internalViolations,
  violatedBy,
} from '@isolab/contract';
import {
  type History,
  Outcome,
  type TransactionId,
  countKeys,
  findReversed,
  locateOperation,
  nameAtom,
  nameTransaction,
  plural,
  showOperation,
  transactionOf,
} from '@isolab/history';
import { type Lowering, inLowered, loweringOf } from './lowering.ts';
import { Action, Model, type Operations, firstUnfit, modelsOf, operationsOf } from './operations.ts';
import { type Partition, partitionsOf } from './partitions.ts';
import { refute } from './refute.ts';
import { Search, type SearchResult } from './search.ts';
import { type States, statesOf } from './states.ts';

/** Porcupine: linearizability, key by key, through the search of Wing and Gong with Lowe's memo. */
export const porcupine = defineChecker<object>({
  info: {
    name: 'porcupine',
    title: 'Porcupine',
    version: '0.1.0',
    apiVersion: API_VERSION,
    paper: {
      title: 'Faster linearizability checking via P-compositionality',
      authors: 'Alex Horn, Daniel Kroening',
      venue: 'FORTE',
      year: 2015,
    },
    levels: ['linearizable'],
    sound: true,
    complete: true,
    requires: ['single-operations', 'no-scans'],
    options: {},
    variants: {},
  },
  check(input, level, _, context) {
    const { history } = input;
    context.stage('construct');
    context.tick(history.opKind.length);
    const models = modelsOf(history, countKeys(history));
    const refusal = refusalOf(history, models);
    if (refusal !== null) return { status: 'unknown', reason: 'unsupported', detail: refusal };
    const lowering = loweringOf(history);
    const internal = internalViolations(input, level, context).map((anomaly) => inLowered(anomaly, lowering));
    if (internal.length > 0 && !context.findAll) return { status: 'violated', anomalies: internal };

    const operations = operationsOf(history, models);
    const partitions = partitionsOf(history, operations, models.length);
    context.count('partitions', partitions.length);
    context.stage('search');
    const hasTexts = models.includes(Model.Text); // no verifier accepts evidence about texts
    const orders: number[][] = [];
    const anomalies: FoundAnomaly[] = [...internal];
    for (const [done, partition] of partitions.entries()) {
      context.progress(done, partitions.length);
      const states = statesOf(history, partition.key, models[partition.key]);
      const search = new Search(partition, operations, states, (steps) => context.tick(steps));
      const result = searched(search, () =>
        evidence(history, operations, partition, search.result(), { done, all: partitions.length }),
      );
      context.count('configurations', search.configurations);
      if (result.linearizable) {
        if (context.certify) orders.push(tookPlace(operations, partition, result.longest, states));
        continue;
      }
      if (context.certify) context.stage('certify');
      const proof = context.certify && !hasTexts ? proofOf(input, lowering, operations, partition, result) : null;
      anomalies.push({ ...anomalyOf(operations, partition, result), ...proof });
      if (!context.findAll) break;
    }
    if (anomalies.length > 0) return violatedBy(anomalies, hasTexts ? 'strings' : 'search');
    if (!context.certify) return { status: 'satisfied' };
    if (hasTexts) return { status: 'satisfied', uncertified: 'strings' };
    context.stage('certify');
    const order = [withoutOperation(input), ...orders].flat();
    return { status: 'satisfied', certificate: { kind: 'commit-order', order } };
  },
});

/** Returns the operations that took effect, in order, without compare-and-sets that found a different value. */
function tookPlace(operations: Operations, { operation }: Partition, longest: Int32Array, states: States): number[] {
  const { txn, action, a, b } = operations;
  const order: number[] = [];
  let state = states.initial;
  for (const entry of longest) {
    const i = operation[entry];
    const isIdle = action[i] === Action.TryExchange && state !== a[i];
    if (!isIdle) order.push(txn[i]);
    state = states.step(state, action[i], a[i], b[i]);
  }
  return order;
}

/** Returns transactions that happened without any operation, which are missing from the orders of keys. */
function withoutOperation({ history: { txnStart }, index: { outcome } }: IndexedHistory): number[] {
  const found: number[] = [];
  for (let t = 0; t < outcome.length; t++)
    if (outcome[t] === Outcome.Happened && txnStart[t] === txnStart[t + 1]) found.push(t);
  return found;
}

/** Runs a search. If it is stopped, reports its progress. */
function searched(search: Search, tell: () => string): SearchResult {
  try {
    return search.run();
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    throw new Stop(error.reason, `${error.message}; ${tell()}`);
  }
}

/** Returns the anomaly of the longest prefix: its last operation, and the operation that could not follow. */
function anomalyOf({ txn }: Operations, { operation }: Partition, { longest, stuck }: SearchResult): FoundAnomaly {
  const last = longest.length > 0 ? [txn[operation[longest[longest.length - 1]]]] : [];
  return { name: 'stale-read', transactions: [...last, txn[operation[stuck]]] };
}

/** Searches for a proof among operations called close to the point where the search got stuck. */
function proofOf(
  { history, index }: IndexedHistory,
  lowering: Lowering,
  { txn }: Operations,
  { operation }: Partition,
  { stuck }: SearchResult,
): Partial<FoundAnomaly> | null {
  const near = Array.from(operation.subarray(Math.max(0, stuck - NEAR), stuck + NEAR), (i) => txn[i]);
  return refute(history, index, lowering, near);
}

const NEAR = 100;

/** Returns the evidence found before the budget was spent. */
function evidence(
  history: History,
  { txn }: Operations,
  { key, operation }: Partition,
  { longest, stuck }: SearchResult,
  keys: { readonly done: number; readonly all: number },
): string {
  const tell = (entry: number): string => showOperation(history, history.txnStart[txn[operation[entry]]]);
  const tail = Array.from(longest.subarray(-SHOWN), tell);
  const steps = `${longest.length > SHOWN ? '… ' : ''}${tail.join(', ')}`;
  const blocked =
    stuck < 0
      ? ''
      : `; then ${tell(stuck)} of ${nameTransaction(history, txn[operation[stuck]] as TransactionId)} could not follow`;
  return (
    `${keys.done} of ${keys.all} keys were found linearizable, and of the ${plural(operation.length, 'operation')} on key ` +
    `${nameAtom(history.keys, key)} a prefix of ${longest.length}${steps === '' ? '' : `: ${steps}`}${blocked}`
  );
}

const SHOWN = 8;

function refusalOf(history: History, models: Uint8Array): string | null {
  const unfit = firstUnfit(history, models);
  if (unfit !== null) {
    const t = transactionOf(history, unfit.op);
    const place = `${nameTransaction(history, t)} (${locateOperation(history, unfit.op)})`;
    return `Expected ${unfit.expected}, got ${showOperation(history, unfit.op)} in ${place}.`;
  }
  const reversed = findReversed(history);
  return reversed < 0 ? null : `${nameTransaction(history, reversed)} returned before it was called.`;
}
