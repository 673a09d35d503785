import type { CheckerVerdict, LevelName } from '@isolab/contract';
import {
  type History,
  type PlainOperation,
  type PlainSession,
  type PlainTransaction,
  TxnStatus,
  fromPlain,
  toPlain,
} from '@isolab/history';
import { type Mutation, reference } from './reference.ts';

const rebuilt = (history: History, change: (sessions: readonly PlainSession[]) => readonly PlainSession[]): History => {
  const { sessions, timeUnit = 'none' } = toPlain(history);
  return fromPlain({ initial: 0n, timeUnit, sessions: change(sessions) });
};

type EachTransaction = (t: PlainTransaction, all: readonly PlainTransaction[]) => PlainTransaction;

const eachTransaction =
  (change: EachTransaction) =>
  (history: History): History =>
    rebuilt(history, (sessions) => {
      const all = sessions.flatMap(({ transactions }) => transactions);
      return sessions.map(({ name, transactions }) => ({
        name,
        transactions: transactions.map((t) => change(t, all)),
      }));
    });

/** Leaves out the operations for which a question is answered with yes. */
const without = (
  drops: (op: PlainOperation, i: number, t: PlainTransaction, all: readonly PlainTransaction[]) => boolean,
) => eachTransaction((t, all) => ({ ...t, operations: t.operations.filter((op, i) => !drops(op, i, t, all)) }));

const isRead = (op: PlainOperation): op is PlainOperation & { kind: 'read' } => op.kind === 'read';
const writes = (op: PlainOperation, key: unknown, value?: unknown): boolean =>
  op.kind === 'write' && op.key === key && (value === undefined || op.value === value);
const only = (level: LevelName): readonly LevelName[] => [level];
const becomes = (from: LevelName, to: LevelName): Mutation => ({
  levels: only(from),
  level: (level) => (level === from ? to : level),
});
const status = (from: PlainTransaction['status'], to: PlainTransaction['status']) =>
  eachTransaction((t) => (t.status === from ? { ...t, status: to } : t));
const always = (verdict: CheckerVerdict): Mutation => ({ answer: () => verdict });
const VIOLATED: CheckerVerdict = { status: 'violated', anomalies: [{ name: 'G1c', transactions: [0] }] };

let calls = 0;

export const MUTANTS: Readonly<Record<string, Mutation>> = {
  'forgets the session order': {
    seen: (history) =>
      rebuilt(history, (sessions) =>
        sessions.flatMap(({ transactions }) => transactions).map((t, i) => ({ name: BigInt(i), transactions: [t] })),
      ),
  },
  'treats the initial transaction as unordered': {
    seen: (history) =>
      rebuilt(history, (sessions) => {
        const used = sessions.flatMap(({ transactions }) => transactions.flatMap((t) => t.operations));
        const keys = new Set(used.flatMap((op) => (op.kind === 'read' || op.kind === 'write' ? [op.key] : [])));
        const operations = [...keys].map((key) => ({ kind: 'write' as const, key, value: 0n }));
        return [...sessions, { name: 'initial', transactions: [{ status: 'committed', operations }] }];
      }),
  },
  'ignores aborted reads': { levels: only('read-committed'), seen: status('aborted', 'committed') },
  'takes unknown outcomes for commits': { seen: status('unknown', 'committed') },
  'takes unknown outcomes for aborts': { seen: status('unknown', 'aborted') },
  'does not look at reads after own writes': {
    seen: without((op, i, t) => isRead(op) && t.operations.slice(0, i).some((own) => writes(own, op.key))),
  },
  'is off by one in own reads': {
    seen: without((op, i, t) => isRead(op) && t.operations.slice(0, i).some((own) => writes(own, op.key, op.value))),
  },
  'does not look for future reads': {
    seen: without((op, i, t) => isRead(op) && t.operations.slice(i).some((own) => writes(own, op.key, op.value))),
  },
  'does not look for thin air': {
    levels: only('read-committed'),
    seen: without(
      (op, _, _t, all) =>
        isRead(op) && op.value !== 0n && !all.some((t) => t.operations.some((w) => writes(w, op.key, op.value))),
    ),
  },
  'allows intermediate reads': {
    levels: only('read-committed'),
    seen: without((op, _, t, all) => {
      const writer = all.find(
        (other) => other !== t && other.operations.some((w) => isRead(op) && writes(w, op.key, op.value)),
      );
      return (
        isRead(op) && !writes(writer?.operations.findLast((w) => writes(w, op.key)) ?? op, op.key, op.value) && !!writer
      );
    }),
  },
  'allows non-repeatable reads': {
    levels: only('read-atomic'),
    seen: without((op, i, t) => isRead(op) && t.operations.slice(0, i).some((r) => isRead(r) && r.key === op.key)),
  },
  'does not read the initial state': {
    levels: only('read-committed'),
    seen: without((op) => isRead(op) && op.value === 0n),
  },
  'looks only at direct edges at causal': becomes('causal', 'read-atomic'),
  'looks at all paths at read atomic': becomes('read-atomic', 'causal'),
  'takes the other read committed': becomes('read-committed', 'read-committed-dbcop'),
  'takes PL-2 for read committed': becomes('read-committed', 'read-committed-pl2'),
  'forgets conflicts at snapshot isolation': becomes('snapshot-isolation', 'prefix'),
  'forgets sessions at snapshot isolation': becomes('snapshot-isolation', 'adya-snapshot-isolation'),
  'takes snapshot isolation for serializability': becomes('serializable', 'snapshot-isolation'),
  'takes serializability for snapshot isolation': becomes('snapshot-isolation', 'serializable'),
  'ignores real time': becomes('strict-serializable', 'serializable'),
  'takes times that touch for ordered': {
    levels: only('strict-serializable'),
    seen: eachTransaction((t) => (t.end === undefined ? t : { ...t, end: t.end - 1n })),
  },
  'never looks at the second key': { seen: without((op) => 'key' in op && op.key === 'y') },
  'forgets the last transaction': {
    seen: (history) =>
      rebuilt(history, (sessions) =>
        sessions.map((session, s) =>
          s === sessions.length - 1 ? { ...session, transactions: session.transactions.slice(0, -1) } : session,
        ),
      ),
  },
  'takes the order of the file for the commit order': {
    levels: only('serializable'),
    seen: (history) =>
      rebuilt(history, (sessions) => [
        { name: 0n, transactions: sessions.flatMap(({ transactions }) => transactions) },
      ]),
  },
  'accepts everything': always({ status: 'satisfied' }),
  'rejects everything': always(VIOLATED),
  'gives up on everything': always({ status: 'unknown', reason: 'incomplete' }),
  'refuses everything': always({ status: 'unknown', reason: 'unsupported' }),
  'guesses where there are aborted transactions': {
    answer: (verdict, { history }) =>
      history.txnStatus.includes(TxnStatus.Aborted) ? { status: 'satisfied' } : verdict,
  },
  'is right only for small keys': {
    answer: (verdict, { history }) => (history.keyInitial.length > 1 ? { status: 'satisfied' } : verdict),
  },
  'names other transactions every time': {
    answer: (verdict) =>
      verdict.status === 'violated'
        ? { status: 'violated', anomalies: [{ name: 'G1c', transactions: [(calls++ % 2) - 1] }] }
        : verdict,
  },
  'names no anomaly': {
    answer: (verdict) => (verdict.status === 'violated' ? { ...verdict, anomalies: [] } : verdict),
  },
  'makes up names of anomalies': {
    answer: (v) => (v.status === 'violated' ? { ...v, anomalies: [{ name: 'bad' as 'G0', transactions: [0] }] } : v),
  },
  'names transactions that there are not': {
    answer: (v) => (v.status === 'violated' ? { ...v, anomalies: [{ name: 'G0', transactions: [99] }] } : v),
  },
  'ignores its budget': {
    check: (input, level, options, context) => reference().check(input, level, options, { ...context, tick: () => {} }),
  },
  'charges nothing': {
    check: (input, level, options, context) =>
      reference().check(input, level, options, { ...context, tick: () => context.tick(1) }),
  },
  'catches Stop': {
    check: async (input, level, options, context) => {
      try {
        return await reference().check(input, level, options, context);
      } catch {
        return VIOLATED;
      }
    },
  },
  'crashes on an empty history': {
    answer: (verdict, { history }) => {
      if (history.txnStatus.length === 0) throw new TypeError('nothing is not iterable');
      return verdict;
    },
  },
  'certifies nothing': {
    answer: (v) => (v.status === 'satisfied' ? { status: 'satisfied' } : v),
  },
  'certifies with the reverse order': {
    answer: (v) => {
      if (v.status !== 'satisfied' || v.certificate?.kind !== 'commit-order') return v;
      return { ...v, certificate: { kind: 'commit-order', order: v.certificate.order.toReversed() } };
    },
  },
  'leaves a transaction out of its certificate': {
    answer: (v) => {
      if (v.status !== 'satisfied' || v.certificate?.kind !== 'event-order') return v;
      return { ...v, certificate: { kind: 'event-order', events: v.certificate.events.slice(2) } };
    },
  },
  'has a variant that forgets everything': {
    info: {
      options: { lax: { default: false, help: 'forgets' } } as object,
      variants: { lax: { help: 'forgets', options: { lax: true } } },
    },
    check: (input, level, options, context) =>
      'lax' in options && options.lax === true ? { status: 'satisfied' } : reference().check(input, level, {}, context),
  },
  'has no name': { info: { name: 'Reference Checker' } },
  'is of another contract': { info: { apiVersion: 2 as 1 } },
};
