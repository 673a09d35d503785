import type { Atom, PlainHistory, PlainOperation, PlainTransaction } from '@isolab/history';

type Read = Extract<PlainOperation, { readonly kind: 'read' | 'write' | 'append' }>;

/**
 * Rewrites some reads and writes of registers as compare-and-sets, inserts, deletes and range reads, and adds some
 * failed compare-and-sets. A range read also gives information about keys that were not read.
 */
export function withExchanges(history: PlainHistory, random: () => number, rangeShare = 0.3): PlainHistory {
  const spelled = ({ operations, ...rest }: PlainTransaction): PlainTransaction => ({
    ...rest,
    operations: respelled(operations, random, rangeShare),
  });
  const sessions = history.sessions.map(({ name, transactions }) => ({
    name,
    transactions: transactions.map(spelled),
  }));
  return { ...history, sessions };
}

function respelled(operations: readonly PlainOperation[], random: () => number, rangeShare: number): PlainOperation[] {
  const out: PlainOperation[] = [];
  for (let i = 0; i < operations.length;) {
    const one = operations[i]!;
    const next = operations[i + 1];
    if (one.kind !== 'read') {
      out.push(one);
      i++;
    } else if (next?.kind === 'write' && next.key === one.key && random() < 0.6) {
      out.push(exchange(one, next.value, random));
      i += 2;
    } else if (random() < 0.15) {
      out.push({ kind: 'compare-and-set', key: one.key, observed: one.value, written: one.value, failed: true });
      i++;
    } else if (random() < rangeShare) {
      const reads = readsFrom(operations, i);
      out.push(range(reads, random));
      i += reads.length;
    } else {
      out.push(one);
      i++;
    }
  }
  return out;
}

function exchange({ key, value: observed }: Read, written: Atom, random: () => number): PlainOperation {
  if (random() < 0.4) return { kind: 'compare-and-set', key, observed, written, failed: false };
  return { kind: random() < 0.5 ? 'insert' : 'delete', key, observed, written, foundTombstone: random() < 0.3 };
}

/** Returns consecutive reads of distinct keys. */
function readsFrom(operations: readonly PlainOperation[], from: number): Read[] {
  const reads: Read[] = [];
  for (const one of operations.slice(from)) {
    if (one.kind !== 'read' || reads.some(({ key }) => key === one.key)) break;
    reads.push(one);
  }
  return reads;
}

function range(reads: readonly Read[], random: () => number): PlainOperation {
  const keys = reads.map(({ key }) => String(key)).toSorted();
  const bound = (key: string): Atom => (random() < 0.3 ? null : key);
  const rows = reads.map(({ key, value }) => ({ key, value, dead: random() < 0.2 }));
  return { kind: 'range-read', low: bound(keys[0]!), high: bound(keys.at(-1)!), rows };
}
