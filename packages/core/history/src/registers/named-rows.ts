import { atomOf } from '../columns/atoms.ts';
import type { History } from '../history/history.ts';
import { OpKind } from '../columns/operation.ts';
import { type RegisterHistory, toRegisters } from './registers.ts';
import type { PassedOver } from './items.ts';
import { isOpaque } from '../rows/predicate.ts';
import type { OperationId, TransactionId } from '../columns/ids.ts';

/** Rows that scans skipped, as data: the operation number of each scan with the names of its rows. */
export type NamedRows = readonly (readonly [scan: OperationId, rows: readonly string[]])[];

/** Properties that determine the operation numbers in an anomaly's certificate. */
export interface Numbering {
  readonly passedOver?: NamedRows | undefined;
  /** A certificate about aggregates names their operations. */
  readonly certificate?: { readonly kind: string; readonly aggregates?: readonly OperationId[] } | undefined;
}

/** Lowers a history to the form whose operations an anomaly's certificate numbers. */
export function registersOf(history: History, { passedOver, certificate }: Numbering): RegisterHistory {
  if (certificate?.kind === 'aggregates' && history.scans.table.length > 0)
    return toRegisters(history, null, new Set(certificate.aggregates!.map((op) => aggregateOf(history, op))));
  if (passedOver === undefined) return toRegisters(history);
  const rows = new Map<string, number>();
  history.scans.keyTable.forEach((table, key) => {
    if (table >= 0) rows.set(atomOf(history.keys, key) as string, key);
  });
  const asked = new Map<number, number[]>();
  for (const [op, names] of passedOver) {
    const scan = scanOf(history, op);
    const isRow = (key: number): boolean => history.scans.keyTable[key] === history.scans.table[scan];
    const keys = names.map((name) => rows.get(name) ?? -1);
    const other = keys.findIndex((key) => !isRow(key));
    if (other >= 0)
      throw new RangeError(`${JSON.stringify(names[other])} is not a row of the table that operation ${op} scans`);
    asked.set(scan, keys);
  }
  return toRegisters(history, asked);
}

function scanOf({ opKind, opValue }: History, op: OperationId): number {
  if (opKind[op] !== OpKind.Scan) throw new RangeError(`operation ${op} of the history is not a scan`);
  return opValue[op];
}

/** Returns the scan of an aggregate whose condition is modelled. */
function aggregateOf(history: History, op: OperationId): number {
  const scan = scanOf(history, op);
  const { aggregate, predicate, predicates } = history.scans;
  if (aggregate[scan] < 0) throw new RangeError(`operation ${op} of the history returned rows, not an aggregate`);
  if (isOpaque(predicates[predicate[scan]]!))
    throw new RangeError(`operation ${op} of the history has a condition that is not modelled`);
  return scan;
}

/** Returns the rows that the scans of some transactions skipped. */
export function namedRows(history: History, passedOver: PassedOver, txns: ReadonlySet<TransactionId>): NamedRows {
  const { txnStart, opKind, opValue, keys } = history;
  const named: [OperationId, string[]][] = [];
  for (const t of Array.from(txns).toSorted((a, b) => a - b)) {
    if (t < 0) continue;
    for (let op = txnStart[t]; op < txnStart[t + 1]; op++) {
      const rows = opKind[op] === OpKind.Scan ? passedOver.get(opValue[op]) : undefined;
      if (rows === undefined) continue;
      named.push([op, rows.map((row) => atomOf(keys, row) as string).toSorted()]);
    }
  }
  return named;
}
