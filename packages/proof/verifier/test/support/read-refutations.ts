import type { PlainHistory, PlainOperation } from '@isolab/history';
import type { Edge, LevelName, ProofCertificate, ProofChoice, ProofStep } from '@isolab/contract';
import {
  assumed,
  awr,
  candidates,
  choice,
  impossible,
  init,
  learned,
  never,
  proof,
  rt,
  rw,
  saw,
  so,
  wr,
} from './certificates.ts';
import { contradictionOf } from './contradictory.ts';
import { type Dependency, findCycle } from './refutations.ts';

interface Txn {
  readonly t: number;
  readonly session: number;
  readonly status: string;
  readonly begin: bigint;
  readonly end: bigint;
  /** Reads of a key before any own write; last writes by key. */
  readonly reads: readonly { readonly op: number; readonly key: unknown; readonly value: bigint }[];
  readonly writes: ReadonlyMap<unknown, { readonly op: number; readonly value: bigint }>;
  readonly onlyWritesZeros: boolean;
}

/**
 * A clausal proof that no order exists of a history of registers whose values repeat: by trying all candidates of each
 * read, and both orders of every two writers. Null if some choice closes no cycle; undefined if a read is strange by
 * itself, so that no proof is needed.
 */
export function readRefutation(plain: PlainHistory, level: LevelName): ProofCertificate | null | undefined {
  const all = summarise(plain);
  const sees = all.map(({ reads }, t) => reads.map(({ key, value }) => candidatesOf(all, level, t, key, value)));
  const certain = certainlyHappened(all, sees);
  const choices: ProofChoice[] = [];
  const steps: ProofStep[] = [];
  for (const [t, { reads, status }] of all.entries())
    for (const [i, { op }] of reads.entries())
      if (status !== 'aborted' && (sees[t]![i]!.length > 1 || !certain.has(t)))
        choices.push(...sees[t]![i]!.map((writer) => saw(op, writer)));
  for (const a of all)
    for (const b of all)
      if (a.t < b.t && ![a, b].some(({ status }) => status === 'aborted'))
        for (const key of [...a.writes.keys()].filter((one) => b.writes.has(one)).slice(0, 1))
          choices.push(choice(a.t, b.t, keyNumbers(plain).indexOf(key)));
  const variable = (is: (one: ProofChoice) => boolean): number => choices.findIndex(is) + 1;

  let isStrange = false;
  const refute = (clause: readonly number[]): boolean => {
    const source = new Map<number, number>(); // by operation
    const happened = new Set(certain);
    for (const literal of clause) {
      const one = choices[Math.abs(literal) - 1]!;
      if (literal < 0 && 'read' in one) source.set(one.read, one.writer);
    }
    const because = new Map<number, number>(); // by transaction of unknown outcome, the literal by which it happened
    let open: { op: number; t: number; sees: readonly number[] } | null = null;
    for (const t of happened) {
      const contradiction = contradictionOf(plain, t);
      if (contradiction !== null && certain.has(t)) isStrange = true;
      if (isStrange) return true;
      if (contradiction !== null) {
        const { anomaly, read, other } = contradiction;
        steps.push(impossible(clause, anomaly, read, other));
        return true;
      }
      for (const [i, { op }] of all[t]!.reads.entries()) {
        if (sees[t]![i]!.length === 1 && certain.has(t)) source.set(op, sees[t]![i]![0]!);
        const writer = source.get(op);
        if (writer === undefined) open ??= { op, t, sees: sees[t]![i]! };
        else if (writer >= 0 && !happened.has(writer)) {
          happened.add(writer); // visited by this very loop
          because.set(writer, -variable((one) => 'read' in one && one.read === op && one.writer === writer));
        }
      }
    }

    const found = findCycle(dependencies(all, level, choices, clause, source, happened, sees));
    if (found !== null) {
      steps.push(never(clause, ...found));
      return true;
    }
    if (open !== null) {
      const { op, t } = open;
      const variables = open.sees.map((writer) =>
        variable((one) => 'read' in one && one.read === op && one.writer === writer),
      );
      if (!variables.every((v) => refute([...clause, -v]))) return false;
      const condition = because.get(t);
      steps.push(candidates(op, ...(condition === undefined ? [] : [condition]), ...variables));
    } else {
      const next = choices.findIndex(
        (one, v) =>
          'first' in one &&
          [one.first, one.second].every((t) => happened.has(t)) &&
          !clause.some((literal) => Math.abs(literal) === v + 1),
      );
      if (next < 0 || !refute([...clause, -(next + 1)]) || !refute([...clause, next + 1])) return false;
    }
    if (!isStrange) steps.push(learned(...clause));
    return true;
  };
  const isRefuted = refute([]);
  return isStrange ? undefined : isRefuted ? proof(choices, ...steps) : null;
}

/** Committed transactions, and those of unknown outcome that they can only have read from, and so on. */
function certainlyHappened(all: readonly Txn[], sees: readonly (readonly (readonly number[])[])[]): Set<number> {
  const happened = new Set(all.filter(({ status }) => status === 'committed').map(({ t }) => t));
  for (const t of happened)
    for (const [writer = -1, ...others] of sees[t]!) if (writer >= 0 && others.length === 0) happened.add(writer);
  return happened;
}

const keyNumbers = ({ sessions }: PlainHistory): unknown[] => [
  ...new Set(sessions.flatMap(({ transactions }) => transactions.flatMap(({ operations }) => operations.map(keyOf)))),
];

const keyOf = (op: PlainOperation): unknown => 'key' in op && op.key;

function summarise({ sessions }: PlainHistory): Txn[] {
  let number = 0;
  return sessions
    .flatMap(({ transactions }, session) => transactions.map((t) => ({ ...t, session })))
    .map(({ operations, status, begin, end, session }, t) => {
      const reads: Txn['reads'][number][] = [];
      const writes = new Map<unknown, { op: number; value: bigint }>();
      for (const operation of operations) {
        const op = number++;
        if (operation.kind !== 'read' && operation.kind !== 'write') throw new Error('a history of registers');
        const [key, value] = [operation.key, operation.value as bigint];
        if (operation.kind === 'write') writes.set(key, { op, value });
        else if (!writes.has(key) && !reads.some((one) => one.key === key)) reads.push({ op, key, value });
      }
      const onlyWritesZeros = operations.every((op) => op.kind === 'write' && op.value === 0n);
      return { t, session, status, begin: begin!, end: end!, reads, writes, onlyWritesZeros };
    });
}

function candidatesOf(all: readonly Txn[], level: LevelName, t: number, key: unknown, value: bigint): number[] {
  const writers = all.filter((one) => one.t !== t && one.status !== 'aborted' && one.writes.get(key)?.value === value);
  const found = writers.map((one) => one.t);
  if (value !== 0n) return found;
  const [only] = writers;
  if (only !== undefined && writers.length === 1) {
    // Writers as good as the initial transaction, or later in the same session: then there is no choice.
    const isAlone = all.every((one) => one.t === only.t || one.session !== only.session);
    if (isAlone && only.onlyWritesZeros && level !== 'strict-serializable') return [only.t];
    if (only.t > t && only.session === all[t]!.session && !/plain|adya/.test(level)) return [-1];
  }
  return [-1, ...found];
}

function dependencies(
  all: readonly Txn[],
  level: LevelName,
  choices: readonly ProofChoice[],
  clause: readonly number[],
  source: ReadonlyMap<number, number>,
  happened: ReadonlySet<number>,
  sees: readonly (readonly (readonly number[])[])[],
): Dependency[] {
  const serial = /serializable/.test(level);
  const found: Dependency[] = [];
  const add = (edge: Edge, leaves: 'begin' | 'commit', arrives: 'begin' | 'commit'): unknown =>
    found.push(serial ? { edge, leaves: 'commit', arrives: 'begin' } : { edge, leaves, arrives });
  const chosen = clause.flatMap((literal) => {
    const one = choices[Math.abs(literal) - 1]!;
    if (!('first' in one)) return [];
    return [literal < 0 ? assumed(one.first, one.second) : assumed(one.second, one.first)];
  });
  for (const edge of chosen) add(edge, 'commit', level === 'prefix' ? 'commit' : 'begin');
  for (const a of [...happened].map((t) => all[t]!)) {
    for (const b of [...happened].map((t) => all[t]!)) {
      const inSession = a.t < b.t && a.session === b.session;
      if (inSession && !/plain|adya/.test(level)) add(so(a.t, b.t), 'commit', 'begin');
      const realTime = level === 'strict-serializable' && a.status === 'committed' && a.end < b.begin;
      if (realTime) add(rt(a.t, b.t), 'commit', 'begin');
    }
    for (const [i, { op, key }] of a.reads.entries()) {
      const from = source.get(op);
      if (from === undefined) continue;
      if (from >= 0) add((sees[a.t]![i]!.length > 1 ? awr : wr)(from, a.t, op), 'commit', 'begin');
      for (const b of happened) {
        const write = all[b]!.writes.get(key);
        if (b === a.t || b === from || write === undefined) continue;
        const order = from < 0 ? init(b) : chosen.find((edge) => edge.from === from && edge.to === b);
        if (order !== undefined) add(rw(a.t, b, op, write.op, order), 'begin', 'commit');
      }
    }
  }
  return found;
}
