import {
  API_VERSION,
  type FoundAnomaly,
  type IndexedHistory,
  KNOWN_LEVELS,
  type LevelName,
  type RunContext,
  defineChecker,
  indexed,
  internalViolations,
} from '@isolab/contract';
import {
  type History,
  OpKind,
  type TransactionId,
  namedRows,
  passesOverFew,
  registersOf,
  toRegisters,
} from '@isolab/history';
import type { CheckerRef } from './load-checker.ts';

/**
 * The checker for a level or history that no other checker accepts. An anomaly within a single read violates every
 * level in any history. Without such an anomaly the verdict is unknown, and the detail lists the refusals of the other
 * checkers.
 */
export const internalOnly = (refusals: readonly string[] = []): CheckerRef => ({
  url: null,
  isFallback: true,
  refusals,
  checker: defineChecker<object, 'history' | 'definition'>({
    info: {
      name: 'internal',
      title: 'only internal anomalies, which every level forbids',
      version: '0.1.0',
      apiVersion: API_VERSION,
      paper: null,
      levels: KNOWN_LEVELS.map(({ name }) => name),
      sound: true,
      complete: false,
      accepts: ['history', 'definition'],
      requires: [],
      options: {},
      variants: {},
    },
    check: (input, level, _, context) => {
      const anomalies = internalAnomalies(input, level, context);
      if (anomalies.length > 0) return { status: 'violated', anomalies };
      return { status: 'unknown', reason: 'unsupported' };
    },
  }),
});

/** Certificates refer to operations of the lowered history. */
function internalAnomalies(input: IndexedHistory, level: LevelName, context: RunContext): readonly FoundAnomaly[] {
  const { history } = input;
  const anomaliesOf = (lowered: History): readonly FoundAnomaly[] =>
    internalViolations(indexed(lowered), level, context);
  if (history.scans.table.length === 0 || passesOverFew(history)) {
    const lowered = toRegisters(history).history;
    return lowered === history ? internalViolations(input, level, context) : anomaliesOf(lowered);
  }
  // Scans passed over more rows than memory can hold. The relevant rows are mostly rows of the same transaction.
  const passedOver = rowsOfOwnTransaction(history);
  const found = anomaliesOf(toRegisters(history, passedOver).history);
  if (found.length === 0) return [];
  const named = namedRows(
    history,
    passedOver,
    new Set(found.flatMap(({ transactions }) => transactions as TransactionId[])),
  );
  return anomaliesOf(registersOf(history, { passedOver: named }).history).map((each) => ({
    ...each,
    passedOver: named,
  }));
}

/** For each scan, the rows of its table that its transaction read or wrote, or that a scan returned to it. */
function rowsOfOwnTransaction({ txnStart, opKind, opKey, opValue, scans }: History): Map<number, number[]> {
  const { keyTable, table, rowStart, rowKey } = scans;
  const passedOver = new Map<number, number[]>();
  for (let t = 0; t + 1 < txnStart.length; t++) {
    const rows = new Set<number>();
    const ownScans: number[] = [];
    for (let op = txnStart[t]!; op < txnStart[t + 1]!; op++) {
      if (opKind[op] !== OpKind.Scan) {
        if (keyTable[opKey[op]!]! >= 0) rows.add(opKey[op]!);
        continue;
      }
      const scan = opValue[op]!;
      ownScans.push(scan);
      for (let i = rowStart[scan]!; i < rowStart[scan + 1]!; i++) rows.add(rowKey[i]!);
    }
    for (const scan of ownScans) {
      const ofTable = [...rows].filter((row) => keyTable[row] === table[scan]);
      if (ofTable.length > 0) passedOver.set(scan, ofTable);
    }
  }
  return passedOver;
}
