import {
  type Aggregate,
  type History,
  OpKind,
  type RegisterHistory,
  type TransactionId,
  TxnStatus,
  askedRows,
} from '@isolab/history';
import type { Tuning } from '../../problem/tuning.ts';

/** An aggregate of several rows, in the history in which it reads each row that it may have included. */
export interface AskedAggregate {
  /** Operation of the aggregate in the history with scans. */
  readonly op: number;
  readonly transaction: TransactionId;
  readonly stated: Aggregate;
  /** Choices: the contribution of each row or, for a minimum or maximum, the row that held it. */
  readonly choices: readonly Choice[];
}

export type Choice = readonly Alternative[];

/** A possible outcome of a row read: whether the row was in a version that the read is about. */
export interface Alternative {
  readonly read: number;
  readonly matched: boolean;
  /** Amount that the row adds to a count or sum; null for no contribution. */
  readonly adds: number | null;
}

/** The alternative taken for each choice that was made. */
export type Taken = ReadonlyMap<Choice, Alternative>;

export function askedIn(withScans: History, lowered: RegisterHistory, scans: ReadonlySet<number>): AskedAggregate[] {
  const { txnStart, txnStatus, opKind, opValue, scans: all } = withScans;
  const asked: AskedAggregate[] = [];
  let end = 0;
  for (let t = 0 as TransactionId; t < txnStatus.length; t++) {
    for (let op = txnStart[t]; op < txnStart[t + 1]; op++) {
      const scan = opValue[op];
      if (opKind[op] !== OpKind.Scan || !scans.has(scan) || txnStatus[t] === TxnStatus.Aborted) continue;
      while (lowered.opOf[end] <= op) end++;
      const stated = all.aggregates[all.aggregate[scan]]!;
      asked.push({
        op,
        transaction: t,
        stated,
        choices: choicesOf(withScans, scan, stated, end),
      });
    }
  }
  return asked;
}

/** The reads of rows are the last of the operations that replace the scan. */
function choicesOf(withScans: History, scan: number, { kind }: Aggregate, end: number): Choice[] {
  const rows = askedRows(withScans, scan);
  const first = end - rows.length;
  if (kind === 'min' || kind === 'max') return [rows.map((_, i) => ({ read: first + i, matched: true, adds: null }))];
  const choices = new Map<number, Alternative[]>();
  rows.forEach(({ row, adds }, i) => {
    const alternatives = choices.get(row) ?? [];
    if (adds !== null) alternatives.push({ read: first + i, matched: true, adds: Number(adds) });
    if (adds === null || kind === 'count') alternatives.push({ read: first + i, matched: false, adds: null });
    choices.set(row, alternatives);
  });
  return [...choices.values()];
}

/** Returns whether some of the remaining alternatives give the aggregate its result. */
export function canCome({ stated, choices }: AskedAggregate, taken: Taken, { mostSums }: Tuning): boolean {
  const left = choices.map((choice) => (taken.has(choice) ? [taken.get(choice)!] : choice));
  switch (stated.kind) {
    case 'count':
      return (
        left.filter((choice) => !choice.some(addsNothing)).length <= stated.result &&
        left.filter((choice) => !choice.every(addsNothing)).length >= stated.result
      );
    case 'sum':
      return canAddUp(left, Number(stated.result), mostSums);
    default:
      return left.every((choice) => choice.length > 0);
  }
}

const addsNothing = ({ adds }: Alternative): boolean => adds === null;

/**
 * Enumerates the sums from which the remaining rows can reach the result, the largest amounts first. If there are too
 * many, assumes that the result is among them.
 */
function canAddUp(choices: readonly Choice[], result: number, mostSums: number): boolean {
  const rows = choices.map(amountsOf).toSorted((a, b) => b.size - a.size);
  const total = (of: 'size' | 'least' | 'most'): number => rows.reduce((sum, row) => sum + row[of], 0);
  const size = total('size');
  let [least, most] = [total('least') - ROUNDING * size, total('most') + ROUNDING * size];
  let sums = new Set<number | null>([null]); // null until the first amount is added
  for (const row of rows) {
    least -= row.least;
    most -= row.most;
    const next = new Set<number | null>();
    for (const sum of sums)
      for (const adds of row.amounts) {
        const added = adds === null ? sum : (sum ?? 0) + adds;
        const left = result - (added ?? 0);
        if (!(left < least || left > most)) next.add(added);
      }
    if (next.size > mostSums) return true;
    sums = next;
  }
  return [...sums].some((sum) => sum !== null && isSameSum(sum, result, size));
}

function amountsOf(choice: Choice) {
  const amounts = [...new Set(choice.map(({ adds }) => adds))];
  const added = amounts.map((adds) => adds ?? 0);
  const [least, most] = [Math.min(...added), Math.max(...added)];
  return { amounts, least, most, size: Math.max(Math.abs(least), Math.abs(most)) };
}

/** Sums of fractions depend on the order of addition. */
const isSameSum = (sum: number, result: number, size: number): boolean =>
  sum === result || (!Number.isInteger(sum) && Math.abs(sum - result) <= ROUNDING * size);

const ROUNDING = 1e-12;
