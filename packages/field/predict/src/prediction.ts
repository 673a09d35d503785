/**
 * Predictions of found executions. The library judges each as a history of its own at both levels, and the verifier
 * accepts the certificates of both verdicts.
 */
import type { LevelName } from '@isolab/contract';
import {
  type Aggregate,
  type History,
  type IdColumn,
  type KeyId,
  type OperationId,
  type TransactionId,
  countKeys,
  locateTransaction,
  nameAtom,
  nameTransaction,
  showOperation,
} from '@isolab/history';
import { certificate, verify } from 'isolab';
import type { CheckResult } from 'isolab/check';
import type { Event } from './command/schedule.ts';
import type { DataFlow } from './data-flow.ts';
import type { Execution, Setting } from './execution.ts';
import { judgeWhole } from './judge.ts';
import { type Model, NO_SOURCE } from './model.ts';
import { orderOf } from './order.ts';
import type { Found } from './search.ts';
import { NUMBERED, type Names, namesOf, witnessOf } from './witness.ts';

/** A read that sees another version than recorded. */
export interface ChangedRead {
  readonly transaction: string;
  /** Place of the transaction in the recorded history. */
  readonly place: string;
  readonly recorded: string;
  readonly predicted: string;
  /** Origin of the predicted version. */
  readonly version: string;
}

export interface Prediction {
  /** Name of the anomaly, as in `check`. */
  readonly anomaly: string;
  readonly changes: readonly ChangedRead[];
  /** Programs of the transactions that violate the stronger level together. */
  readonly programs: readonly string[];
  /** Transactions whose later operations are unknown, because a changed value may determine them. */
  readonly cut: readonly string[];
  /** The predicted execution. */
  readonly history: History;
  /**
   * Execution as the application saw it: reads of updates are left out if their transactions had read the same rows
   * before, unless the stronger level then allows it.
   */
  readonly seen: { readonly history: History; readonly forbidden: CheckResult };
  /** The execution with reads and writes by key only, for a replay; or the reason why it cannot be replayed. */
  readonly replayable: History | string;
  /** Order of the recorded statements in which each read sees the predicted version; null if none is known. */
  readonly order: readonly Event[] | null;
  /** Verdicts on the predicted execution at the weaker and the stronger level. */
  readonly allowed: CheckResult;
  readonly forbidden: CheckResult;
}

/** Judges an execution through the library; null if no certificate proves its verdict, or the time has ended. */
export async function predictionOf(
  setting: Setting,
  whole: History,
  programs: readonly string[],
  { changes, execution, cycle }: Found,
  { weaker, stronger, ends }: { readonly weaker: LevelName; readonly stronger: LevelName; readonly ends: number },
): Promise<Prediction | null> {
  const { model, flow } = setting;
  const { history } = witnessOf(setting, execution, namesOf(setting, execution));
  const allowed = await judgeWhole(history, weaker, ends);
  const forbidden = await judgeWhole(history, stronger, ends);
  if (allowed.verdict !== 'satisfied' || forbidden.verdict !== 'violated') return null;
  const isProved = [allowed, forbidden].every((result) => {
    const evidence = certificate(history, result);
    return evidence !== null && verify(history, evidence, { allowVacuous: true }).ok;
  });
  if (!isProved) return null;
  const readBefore = readsOfReadRows(model, flow);
  const { history: ofApplication } = witnessOf(setting, execution, namesOf(setting, execution), (op) =>
    readBefore.has(op),
  );
  const seenResult = await judgeWhole(ofApplication, stronger, ends);
  const seen =
    seenResult.verdict === 'violated' ? { history: ofApplication, forbidden: seenResult } : { history, forbidden };
  const nameOf = (t: number): string => nameTransaction(model.history, model.txnOf[t] as TransactionId);
  const isCut = (t: number): boolean => execution.takesPart[t] === 1 && execution.end[t] < model.start[t + 1];
  return {
    anomaly: seen.forbidden.anomalies[0]!.name,
    changes: changes.map(({ read }) =>
      setting.scanned.aggregateOf(read) === undefined
        ? changeOf(setting, whole, read, execution.sources.get(read)!)
        : changeOfAggregate(setting, whole, read, execution),
    ),
    programs: cycle.map((t) => programs[t]!),
    cut: Array.from(model.session.keys()).filter(isCut).map(nameOf),
    history,
    seen,
    order: orderOf(setting, execution, cycle, weaker),
    replayable: replayableOf(setting, whole, execution, readBefore),
    allowed,
    forbidden,
  };
}

function replayableOf(
  setting: Setting,
  whole: History,
  execution: Execution,
  readBefore: ReadonlySet<number>,
): History | string {
  const { model, flow, scanned } = setting;
  const { start, key, isWrite, operation, source } = model;
  const rows = countKeys(whole);
  for (let t = 0; t < execution.end.length; t++)
    for (let op = start[t]; op < execution.end[t]; op++) {
      const seen = execution.sources.get(op) ?? source[op];
      const shown = seen === NO_SOURCE ? key[op] : scanned.shown(op, seen).key;
      if (scanned.aggregateOf(op) !== undefined) return 'an aggregate reads several rows';
      if (isWrite[op] === 0 && scanned.isItem(shown)) return 'a condition reads rows that it does not return';
      if (flow.isLocking(operation[op])) return 'a read locks rows';
    }
  const isLeftOut = (op: number): boolean => (isWrite[op] === 1 && scanned.isItem(key[op])) || readBefore.has(op);
  const nameOf = (of: number): string => nameAtom(whole.keys, of).replaceAll(/[^\w.:-]/g, '-');
  const isUnique = new Set(Array.from({ length: rows }, (_, of) => nameOf(of))).size === rows;
  const names: Names = isUnique ? { ...NUMBERED, key: nameOf } : NUMBERED;
  return witnessOf(setting, execution, names, isLeftOut).history;
}

/** Returns the reads of updates whose rows their transaction had read before. */
function readsOfReadRows({ operation, txn, key, isWrite }: Model, flow: DataFlow): Set<number> {
  const known = new Set<string>();
  const found = new Set<number>();
  for (let op = 0; op < operation.length; op++) {
    const row = `${txn[op]} ${key[op]}`;
    if (isWrite[op] === 0 && known.has(row) && flow.isUpdate(operation[op])) found.add(op);
    known.add(row);
  }
  return found;
}

function changeOf(
  { model, scanned }: Setting,
  { scans, source: origin }: History,
  read: number,
  source: number,
): ChangedRead {
  const { txnOf, txn, operation, value } = model;
  const history = { ...model.history, scans, source: origin };
  const of = (op: number): TransactionId => txnOf[txn[op]] as TransactionId;
  const op = operation[read];
  const shown = scanned.shown(read, source);
  const seen = source < 0 ? history.keyInitial[shown.key] : value[shown.source];
  const predicted = {
    opKey: history.opKey.with(op, shown.key) as IdColumn<KeyId>,
    opValue: history.opValue.with(op, seen),
  };
  return {
    transaction: nameTransaction(history, of(read)),
    place: locateTransaction(history, of(read)),
    recorded: showOperation(history, op),
    predicted: showOperation({ ...history, ...predicted }, op),
    version: source < 0 ? 'the initial version' : `the version of ${nameTransaction(history, of(source))}`,
  };
}

/** Returns the change of a row that an aggregate includes, with the results of the aggregate. */
function changeOfAggregate(
  { model, scanned }: Setting,
  whole: History,
  read: number,
  execution: Execution,
): ChangedRead {
  const { txnOf, txn, key, writers } = model;
  const { keyTable, counters = [], aggregate, aggregates } = whole.scans;
  const nameOf = (t: number): string => nameTransaction(whole, txnOf[t] as TransactionId);
  const source = execution.sources.get(read)!;
  const result = scanned.resultOf(read, execution);
  const changed = aggregates.with(aggregate[scanned.scanOf(read)], {
    ...scanned.aggregateOf(read)!,
    result: result ?? null,
  } as Aggregate);
  const op = scanned.operationOf(read) as OperationId;
  const row = scanned.isItem(key[read]) ? scanned.rowOf(key[read]) : key[read];
  const of = source < 0 ? 'the initial version' : `the version of ${nameOf(txn[source])}`;
  const isCounter = counters.includes(keyTable[row]);
  return {
    transaction: nameOf(txn[read]),
    place: locateTransaction(whole, txnOf[txn[read]] as TransactionId),
    recorded: showOperation(whole, op),
    predicted:
      result === undefined
        ? 'another result'
        : showOperation({ ...whole, scans: { ...whole.scans, aggregates: changed } }, op),
    version: isCounter
      ? `${source < 0 ? 'without' : 'with'} the increment of ${nameOf(writers[key[read]]![0]!)}`
      : `with ${of} of ${nameAtom(whole.keys, row)}`,
  };
}
