import { INITIAL_TXN } from '@isolab/contract';
import { type History, NO_TIME, OP_NAMES, type OperationId, STATUS_NAMES, asStated } from '@isolab/history';
import type { StoryHidden, StoryOperation, StorySession, StoryTransaction } from '@isolab/story';
import { txnId } from './edge-list.ts';
import type { Names, Whole } from './names.ts';

/**
 * The ingredients of a story: the relevant operations with their roles, the transactions, and the transactions of the
 * cycle.
 */
export interface Cast {
  readonly names: Names;
  /** In the order of the history; −1 stands for the initial transaction, if it takes part. */
  readonly transactions: readonly number[];
  readonly inCycle: ReadonlySet<number>;
  readonly operations: ReadonlyMap<number, 'read' | 'write' | 'cycle'>;
  /** Operations that serve as a reason; all other operations are context. */
  readonly reasons: ReadonlySet<number>;
  /** For each key, a read that saw its initial state. */
  readonly initialReads: ReadonlyMap<number, number>;
}

export function storyTransactions(cast: Cast): StoryTransaction[] {
  const { names, transactions, inCycle, operations, reasons } = cast;
  const { history } = names;
  const drawn: StoryTransaction[] = [];
  const lastOf = new Map<number, number>();
  for (const t of transactions) {
    if (t === INITIAL_TXN) {
      drawn.push(initialState(cast));
      continue;
    }
    const session = history.txnSession[t];
    const hidden = t - (lastOf.get(session) ?? history.sessionStart[session] - 1) - 1;
    lastOf.set(session, t);
    const time = timeOf(history, t);
    drawn.push({
      id: txnId(t),
      session: sessionId(session),
      label: names.txn(t),
      status: STATUS_NAMES[history.txnStatus[t]],
      role: inCycle.has(t) ? 'cycle' : reasons.has(t) ? 'reason' : 'context',
      operations: storyOperations(names, shownOperations(history, t, operations), operations),
      name: `${names.sourceName(t).replace(/ of session .*/, '')}${names.atLevel(t)}`,
      place: names.txnPlace(t),
      ...(time !== null && { time }),
      ...(hidden > 0 && { hiddenBefore: hidden }),
    });
  }
  return drawn;
}

/** Returns the part of the initial state that was read. */
const initialState = ({ names, initialReads, inCycle }: Cast): StoryTransaction => ({
  id: txnId(INITIAL_TXN),
  session: null,
  label: 'initial state',
  status: 'initial',
  role: inCycle.has(INITIAL_TXN) ? 'cycle' : 'reason',
  operations: [...new Map([...initialReads].map((read) => [names.initialId(read[0]), read]))].map(
    ([id, [key, read]]) => ({
      id,
      kind: 'write',
      key: names.keyName(key),
      value: names.initialValue(key, read),
      text: names.initial(key, read),
      role: 'context',
    }),
  ),
});

const sessionId = (session: number): string => `s${session}`;

export function storySessions({ names, transactions }: Cast): StorySession[] {
  const { history } = names;
  const sessions = [...new Set(transactions.filter((t) => t >= 0).map((t) => history.txnSession[t]))];
  return sessions.map((s) => {
    const last = Math.max(...transactions.filter((t) => t >= 0 && history.txnSession[t] === s));
    const hiddenAfter = history.sessionStart[s + 1] - 1 - last;
    return { id: sessionId(s), label: names.session(last), ...(hiddenAfter > 0 && { hiddenAfter }) };
  });
}

/** Returns the relevant operations of a long transaction, with their neighbours. */
export function shownOperations(history: History, t: number, matters: ReadonlyMap<number, unknown>): number[] {
  const ops = Array.from({ length: history.txnStart[t + 1] - history.txnStart[t] }, (_, i) => history.txnStart[t] + i);
  if (ops.length <= SHOWN_WHOLE) return ops;
  const near = ops.filter((op) => matters.has(op) || matters.has(op - 1) || matters.has(op + 1));
  return near.length > 0 ? near : ops.slice(0, SHOWN_WHOLE);
}

/**
 * Merges a row write with its effect on scans into one operation, and places a scan above its results for single rows.
 */
function storyOperations(names: Names, ops: readonly number[], operations: Cast['operations']): StoryOperation[] {
  const shown = new Map<string, StoryOperation>();
  for (const op of ops) {
    const scan = names.scanOf(op);
    if (scan !== null && !shown.has(`scan${scan}`)) {
      const [key, text] = [names.rows(op)!.table(op), names.rows(op)!.drawnScan(op)];
      const place = names.opPlace(op);
      shown.set(`scan${scan}`, {
        id: `scan${scan}`,
        kind: 'scan',
        key,
        value: null,
        text,
        wraps: true,
        place,
        role: 'context',
      });
    }
    const role = operations.get(op) ?? 'context';
    const id = names.isOpen(op) ? `scan${scan}` : names.opId(op);
    const known = shown.get(id);
    if (known === undefined) shown.set(id, storyOperation(names, op, role));
    else if (RANK[role] > RANK[known.role]) shown.set(id, { ...known, role });
  }
  return [...shown.values()];
}

function storyOperation(names: Names, op: OperationId, role: StoryOperation['role']): StoryOperation {
  const { history } = names;
  const full = names.drawnInFull(op);
  const after = names.scanOf(op) === null ? '' : '→ ';
  return {
    id: names.opId(op),
    kind: OP_NAMES[history.opKind[op]],
    key: history.opKey[op] < 0 ? null : names.key(op),
    value: names.value(op),
    text: after + names.drawn(op),
    ...(full !== null && { full: after + full }),
    ...(names.rows(op) && { wraps: true }),
    place: names.opPlace(op),
    role,
  };
}

function timeOf(history: History, t: number): string | null {
  const { txnBegin, txnBegun, txnCommitting, txnEnd, source } = asStated(history);
  const time = (column: BigInt64Array | null): string | null =>
    column === null || column[t] === NO_TIME ? null : String(column[t]);
  const [begin, end] = [time(txnBegin), time(txnEnd)];
  if (begin === null && end === null) return null;
  const [begun, committing] = [time(txnBegun), time(txnCommitting)];
  const moments = [
    `called at ${begin ?? '…'}`,
    ...(begun === null ? [] : [`first answer at ${begun}`]),
    ...(committing === null ? [] : [`asked to commit at ${committing}`]),
    `returned at ${end ?? '…'}`,
  ];
  return moments.join(', ') + (source.timeUnit === 'nanoseconds' ? ' ns' : '');
}

/** Counts the transactions and operations of the whole history that are not drawn. */
export function hiddenBehind(
  { names, transactions }: Cast,
  whole: Whole | null,
  reason: string | undefined,
): StoryHidden | null {
  const all = whole?.history ?? names.history;
  const drawn = transactions.filter((t) => t >= 0);
  const hidden: StoryHidden = {
    transactions: all.txnStatus.length - drawn.length,
    sessions: all.sessionStart.length - 1 - new Set(drawn.map((t) => names.history.txnSession[t])).size,
    operations: all.opKind.length - countOperationsOf(drawn, names.history, whole),
    ...(reason !== undefined && { reason }),
  };
  return hidden.transactions + hidden.operations! > 0 ? hidden : null;
}

/**
 * Number of operations of the transactions in the whole history, where a single operation may correspond to several
 * lowered operations.
 */
function countOperationsOf(transactions: readonly number[], { txnStart }: History, whole: Whole | null): number {
  const all = new Set<number>();
  for (const t of transactions)
    for (let op = txnStart[t]; op < txnStart[t + 1]; op++) all.add(whole === null ? op : whole.opOf[op]);
  return all.size;
}

const SHOWN_WHOLE = 16;
const RANK = { context: 0, cycle: 1, read: 2, write: 2 } as const;
