import {
  type CheckerVerdict,
  type IndexedHistory,
  type RunContext,
  internalViolations,
  renumber,
} from '@isolab/contract';
import { keyAfterKey } from './by-key.ts';
import type { Question } from '../problem/options.ts';
import { checkStrongLevel } from './strong.ts';

/** Linearizability is strict serializability, key by key. */
export function checkLinearizable(input: IndexedHistory, question: Question, context: RunContext): CheckerVerdict {
  const anomalies = internalViolations(input, 'linearizable', context);
  if (anomalies.length > 0) return { status: 'violated', anomalies };
  const byKey = keyAfterKey(input);
  const { txnOf, opOf } = byKey;
  const txn = (t: number): number => (t < 0 ? t : txnOf[t]);
  const verdict = checkStrongLevel(byKey.input, { ...question, level: 'strict-serializable' }, context);
  if (verdict.status === 'violated') {
    return {
      status: 'violated',
      anomalies: verdict.anomalies.map(({ name, transactions, certificate }) => ({
        name,
        transactions: transactions.map(txn),
        ...(certificate !== undefined && {
          certificate: renumber(certificate, { txn, op: (op) => opOf[op], key: (key) => key }),
        }),
      })),
    };
  }
  if (verdict.status !== 'satisfied' || verdict.certificate?.kind !== 'commit-order') return verdict;
  return {
    status: 'satisfied',
    certificate: { kind: 'commit-order', order: verdict.certificate.order.map((t) => txnOf[t]) },
  };
}
