import { type CheckerVerdict, type RunContext, indexed } from '@isolab/contract';
import { type History, OpKind, TxnStatus, countKeys, toRegisters } from '@isolab/history';
import { certifying } from '../problem/contexts.ts';
import type { Tuning } from '../problem/tuning.ts';
import { concluded, outcomeOf } from '../proof/numbers.ts';
import { checkWeakLevel } from '../theories/weak/weak.ts';
import { unlessOpen } from './decide.ts';

/**
 * Decides cut isolation. When a scan passes over a row, the row did not match, in agreement with every other scan that
 * passed over it. Such reads are compared only where a transaction also learned that the row matched, from an aggregate
 * or from a row that was returned without its version. Null if the outcome of a transaction is unknown, because it may
 * depend on the passed-over version.
 */
export function checkCutIsolationWithScans(
  withScans: History,
  tuning: Tuning,
  context: RunContext,
): CheckerVerdict | null {
  if (withScans.txnStatus.includes(TxnStatus.Unknown)) return null;
  const passedOver = comparedRows(withScans);
  const registers = toRegisters(withScans, passedOver);
  const inner = { ...certifying(context), findAll: context.findAll };
  const found = checkWeakLevel(indexed(registers.history), 'cut-isolation', tuning, inner);
  const verdict =
    found.status === 'satisfied' ? unlessOpen(found, withScans, registers.undecidedAggregates, () => true) : found;
  const scope = { withScans, passedOver, most: tuning.mostPassedOver };
  return concluded([outcomeOf(verdict, registers)], context.certify, scope);
}

/** Returns, by scan, rows that the transaction of the scan learned to match some condition. */
function comparedRows(withScans: History): Map<number, number[]> {
  const { history, items } = toRegisters(withScans, new Map());
  const { txnStart, opKind, opKey } = history;
  const { keyTable, table } = withScans.scans;
  const numKeys = countKeys(withScans);
  const compared = new Map<number, number[]>();
  for (let t = 0; t + 1 < txnStart.length; t++) {
    const rows = new Set<number>();
    for (let op = txnStart[t]!; op < txnStart[t + 1]!; op++) {
      // Without passed-over rows, an item that is read has matched.
      if (opKind[op] === OpKind.Read && opKey[op]! >= numKeys) rows.add(items[opKey[op]! - numKeys]!.row);
    }
    if (rows.size === 0) continue;
    for (let op = withScans.txnStart[t]!; op < withScans.txnStart[t + 1]!; op++) {
      if (withScans.opKind[op] !== OpKind.Scan) continue;
      const scan = withScans.opValue[op]!;
      const ofTable = [...rows].filter((row) => keyTable[row] === table[scan]);
      if (ofTable.length > 0) compared.set(scan, ofTable);
    }
  }
  return compared;
}
