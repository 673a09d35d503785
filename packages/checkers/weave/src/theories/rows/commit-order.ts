import { type CheckerVerdict, INITIAL_TXN } from '@isolab/contract';
import {
  type History,
  OpKind,
  ReadFrom,
  type RegisterHistory,
  TxnStatus,
  askedRows,
  buildReadFrom,
  countValues,
  passesOverMore,
  toRegisters,
} from '@isolab/history';
import { askedIn } from './asked.ts';

/** A step of a transaction: either some of its operations, which see earlier commits, or its commit. */
export interface OrderStep {
  readonly t: number;
  readonly from: number;
  readonly to: number;
  readonly commits: boolean;
}

/** Returns the scans, in transactions that did not abort, whose aggregates depend on several rows together. */
export function aggregatesToState(withScans: History): Set<number> {
  const undecided = new Set(toRegisters(withScans, new Map()).undecidedAggregates);
  const { txnStart, txnStatus, opKind, opValue } = withScans;
  for (let t = 0; undecided.size > 0 && t < txnStatus.length; t++)
    for (let op = txnStart[t]; txnStatus[t] === TxnStatus.Aborted && op < txnStart[t + 1]; op++)
      if (opKind[op] === OpKind.Scan) undecided.delete(opValue[op]);
  return undecided;
}

/**
 * Returns the order of commits, with the rows of aggregates and the sources of ambiguous reads, or without both if they
 * are too many. The steps are those of the history in which aggregates also read rows.
 */
export function asCommitOrder(
  withScans: History,
  most: number,
  stepsIn: (numbered: RegisterHistory) => readonly OrderStep[],
): CheckerVerdict {
  const open = aggregatesToState(withScans);
  if (passesOverMore(withScans, most) || asksMore(withScans, open, most))
    return { status: 'satisfied', uncertified: 'size' };
  const numbered = toRegisters(withScans, null, open);
  const steps = stepsIn(numbered);
  const order = steps.flatMap(({ t, commits }) => (commits ? [t] : []));
  const { writer, value } = seenAlong(numbered.history, steps);
  const isFalse = countValues(withScans);
  const opValue = numbered.history.opValue.slice();
  const rows = askedIn(withScans, numbered, open).map(({ op, choices }) => {
    const reads = choices.flatMap((choice) => {
      const seen = choice.find(({ read, matched }) => value[read] === isFalse + (matched ? 1 : 0));
      return seen === undefined ? [] : [[seen.read, seen.matched] as const];
    });
    for (const [read] of reads) opValue[read] = value[read];
    return [op, reads] as const;
  });
  const { readFrom } = buildReadFrom({ ...numbered.history, opValue });
  const sources: [number, number][] = [];
  for (const { from, to } of steps)
    for (let op = from; op < to; op++)
      if (readFrom[op] === ReadFrom.Ambiguous && writer[op] !== OWN) sources.push([op, writer[op]]);
  const certificate = { kind: 'commit-order', order, sources, ...(rows.length > 0 && { rows }) } as const;
  return { status: 'satisfied', certificate };
}

/** Returns the steps of begins (2t) and commits (2t + 1): the reads of a transaction see the state at its begin. */
export const stepsOf = ({ txnStart }: History, events: ArrayLike<number>): OrderStep[] =>
  Array.from(events, (event): OrderStep => {
    const t = event >> 1;
    return event & 1
      ? { t, from: 0, to: 0, commits: true }
      : { t, from: txnStart[t], to: txnStart[t + 1], commits: false };
  });

/** Returns steps over operations of a history with scans as steps over the operations that replace them. */
export function renumbered(steps: readonly OrderStep[], withScans: History, { opOf }: RegisterHistory): OrderStep[] {
  const first = new Int32Array(withScans.opKind.length + 1).fill(opOf.length);
  for (let op = opOf.length - 1; op >= 0; op--) first[opOf[op]] = op;
  for (let op = first.length - 2; op >= 0; op--) first[op] = Math.min(first[op], first[op + 1]);
  return steps.map((step) => (step.commits ? step : { ...step, from: first[step.from], to: first[step.to] }));
}

/** Returns the source and value of each read if each step sees the latest commits. */
export function seenAlong({ txnStart, opKind, opKey, opValue, keyInitial }: History, steps: readonly OrderStep[]) {
  const latest = new Int32Array(keyInitial.length).fill(INITIAL_TXN); // by key: its last committed writer
  const held = keyInitial.slice(); // by key: the value that it wrote
  const own = new Int32Array(keyInitial.length); // by key: the value that the transaction wrote so far in this step
  const ownStep = new Int32Array(keyInitial.length).fill(-1); // by key: the latest step whose transaction wrote it
  const writer = new Int32Array(opKind.length);
  const value = new Int32Array(opKind.length).fill(-1);
  steps.forEach(({ t, from, to, commits }, step) => {
    const end = commits ? txnStart[t + 1] : to;
    for (let op = txnStart[t]; op < end; op++) {
      const key = opKey[op];
      if (opKind[op] === OpKind.Write) {
        own[key] = opValue[op];
        ownStep[key] = step;
        if (commits) {
          latest[key] = t;
          held[key] = opValue[op];
        }
      } else if (op >= from && op < to) {
        const isOwn = ownStep[key] === step;
        writer[op] = isOwn ? OWN : latest[key];
        value[op] = isOwn ? own[key] : held[key];
      }
    }
  });
  return { writer, value };
}

/** Returns whether aggregates may include more rows than this limit, counting each row once per scan. */
function asksMore(withScans: History, scans: Iterable<number>, most: number): boolean {
  let left = most;
  for (const scan of scans) if ((left -= askedRows(withScans, scan).length) < 0) return true;
  return false;
}

const OWN = -2;
