import type { PlainHistory } from '@isolab/history';

/** A read of a transaction that shows by itself that the transaction cannot have happened. */
export interface Contradiction {
  readonly anomaly: string;
  readonly read: number;
  readonly other: number;
}

interface Operation {
  readonly op: number;
  readonly t: number;
  readonly status: string;
  readonly isWrite: boolean;
  readonly key: unknown;
  readonly value: unknown;
  readonly isLast: boolean;
}

/** The first such read of a transaction of registers, by the definitions of internal anomalies; or null. */
export function contradictionOf(plain: PlainHistory, t: number): Contradiction | null {
  const all = operationsOf(plain);
  const own = all.filter((one) => one.t === t);
  for (const { op, isWrite, key, value } of own) {
    if (isWrite) continue;
    const wrote = (one: Operation): boolean => one.isWrite && one.key === key && one.value === value;
    const before = own.filter((one) => one.op < op && one.key === key);
    const writes = before.filter((one) => one.isWrite);
    const others = all.filter((one) => one.t !== t && wrote(one));
    const later = own.find((one) => one.op > op && wrote(one));
    const lastOwn = writes.at(-1);
    const show = (anomaly: string, other: number): Contradiction => ({ anomaly, read: op, other });
    if (lastOwn !== undefined) {
      if (lastOwn.value === value) continue;
      if (writes.some(wrote)) return show('not-my-last-write', lastOwn.op);
      if (value === 0n || others.some(({ status }) => status !== 'aborted'))
        return show('not-my-own-write', lastOwn.op);
    } else {
      const earlier = before.find((one) => one.value !== value);
      if (earlier !== undefined) return show('non-repeatable-read', earlier.op);
      if (value === 0n || others.some(({ status, isLast }) => status !== 'aborted' && isLast)) continue;
    }
    if (later !== undefined) return show('future-read', later.op);
    const passing = others.find(({ status }) => status !== 'aborted');
    if (passing !== undefined) return show('intermediate-read', passing.op);
    const [aborted] = others;
    return aborted === undefined ? show('thin-air-read', -1) : show('aborted-read', aborted.op);
  }
  return null;
}

function operationsOf({ sessions }: PlainHistory): Operation[] {
  let number = 0;
  return sessions
    .flatMap(({ transactions }) => transactions)
    .flatMap(({ operations, status }, t) =>
      operations.map((operation, i) => {
        if (operation.kind !== 'read' && operation.kind !== 'write') throw new Error('a history of registers');
        const { kind, key, value } = operation;
        const isLast = !operations.slice(i + 1).some((one) => one.kind === 'write' && one.key === key);
        return { op: number++, t, status, isWrite: kind === 'write', key, value, isLast };
      }),
    );
}
