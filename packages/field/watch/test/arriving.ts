import {
  type History,
  NO_TIME,
  OpKind,
  countTransactions,
  listElements,
  valueRead,
  valueWritten,
} from '@isolab/history';

/** How the transactions of a history come. */
export interface Arriving {
  /** Session that comes next. */
  readonly sessions: readonly number[];
  /** Number of lines by which the outcome of each transaction comes later; -1 if its own line has it. */
  readonly outcomes: readonly number[];
}

/** A line of a transaction, or that of its outcome. */
export interface Line {
  readonly t: number;
  readonly text: string;
}

/** The order in which transactions come: that of their sessions, which are mixed as drawn. */
function arrivals({ sessionStart }: History, drawn: readonly number[]): number[] {
  const next = Array.from(sessionStart.subarray(0, -1));
  const order: number[] = [];
  for (let i = 0; ; i++) {
    const left = next.flatMap((t, s) => (t < sessionStart[s + 1]! ? [s] : []));
    if (left.length === 0) return order;
    order.push(next[left[(drawn[i] ?? 0) % left.length]!]!++);
  }
}

/** The lines as they come: outcomes of some transactions on lines of their own, before the next of the session at the latest. */
export function arrivingLines(history: History, lines: readonly string[], { sessions, outcomes }: Arriving): Line[] {
  const { txnSession } = history;
  const coming: Line[] = [];
  const waiting = new Map<number, { readonly line: Line; left: number }>(); // by session
  const release = (isDue: (session: number, left: number) => boolean): void => {
    for (const [session, { line, left }] of waiting) {
      if (!isDue(session, left)) continue;
      waiting.delete(session);
      coming.push(line);
    }
  };
  for (const t of arrivals(history, sessions)) {
    const session = txnSession[t]!;
    release((other, left) => other === session || left <= 0);
    for (const one of waiting.values()) one.left--;
    const { status = 'committed', end, ...fields } = JSON.parse(lines[t]!) as Record<string, unknown>;
    const later = outcomes[t % outcomes.length]!;
    if (later < 0 || status === 'unknown') {
      coming.push({ t, text: lines[t]! });
      continue;
    }
    coming.push({ t, text: JSON.stringify({ status: 'unknown', ...fields }) });
    const outcome = { outcome: status, session: fields['session'], ...(end === undefined ? {} : { end }) };
    waiting.set(session, { line: { t, text: JSON.stringify(outcome) }, left: later });
  }
  release(() => true);
  return coming;
}

/** Time that a read may have to wait for the last of its candidate writers. */
export function longestWait(history: History, order: readonly { readonly t: number }[]): number {
  const arrival = new Map<number, number>();
  for (const [i, { t }] of order.entries()) if (!arrival.has(t)) arrival.set(t, i);
  const writes = new Map<string, number>();
  const { txnStart, opKind, opKey, opValue } = history;
  const each = (visit: (op: number, t: number) => void): void => {
    for (let t = 0; t < countTransactions(history); t++)
      for (let op = txnStart[t]!; op < txnStart[t + 1]!; op++) visit(op, t);
  };
  each((op, t) => {
    const value = valueWritten(history, op);
    if (value < 0) return;
    const write = `${opKey[op]} ${value}`;
    writes.set(write, Math.max(writes.get(write) ?? 0, arrival.get(t)!));
  });
  let longest = 0;
  each((op, t) => {
    const isList = opKind[op] === OpKind.ListRead;
    const seen = !isList ? [valueRead(history, op)] : opValue[op]! > 0 ? listElements(history.lists, opValue[op]!) : [];
    const versions = Array.from(seen, (value) => `${opKey[op]} ${value}`);
    if (opKind[op] === OpKind.Scan) versions.push(...returnedBy(history, opValue[op]!));
    for (const version of versions) longest = Math.max(longest, (writes.get(version) ?? 0) - arrival.get(t)!);
  });
  return longest;
}

function returnedBy({ scans: { rowStart, rowKey, rowValue } }: History, scan: number): string[] {
  const rows = Array.from(rowKey.subarray(rowStart[scan], rowStart[scan + 1]));
  return rows.map((key, i) => `${key} ${rowValue[rowStart[scan]! + i]}`);
}

/** The history by clocks that jump: some of its transactions ran earlier or later. */
export function withJumps(history: History, jumps: readonly number[]): History {
  const jumped = (times: BigInt64Array | null): BigInt64Array | null =>
    times && times.map((time, t) => (time === NO_TIME ? time : time + BigInt(jumps[t % jumps.length]!)));
  return {
    ...history,
    txnBegin: jumped(history.txnBegin),
    txnBegun: jumped(history.txnBegun),
    txnCommitting: jumped(history.txnCommitting),
    txnEnd: jumped(history.txnEnd),
  };
}
