import {
  EMPTY_LIST,
  type History,
  OpKind,
  Outcome,
  type ReadFromIndex,
  type TransactionId,
  TxnStatus,
  UNKNOWN_LIST,
  UNKNOWN_VALUE,
  countValues,
  findInternalAnomalies,
  hasHappened,
  mayHaveHappened,
  transactionOf,
} from '@isolab/history';
import { levelsForbidding } from './anomalies.ts';
import type { IndexedHistory, FoundAnomaly, CheckerVerdict } from './contract.ts';
import type { LevelName } from '@isolab/levels';

/**
 * Returns whether a transaction took place in every explanation of a history at a level, so that its reads are evidence
 * against the level. At cut isolation, a read may also have seen a version that its own writer overwrote.
 */
export function hasHappenedAt(level: LevelName, { history, index }: IndexedHistory): (t: TransactionId) => boolean {
  if (level !== 'cut-isolation') return (t) => hasHappened(index, t);
  const certain = new WhoHappened(history).certain();
  return (t) => certain.has(t);
}

/**
 * Returns whether a transaction that did not abort took place in some explanation of a history at a level. At cut
 * isolation every such transaction may have taken place: another transaction may have read any of its versions, even
 * one that it later overwrote.
 */
export const mayHaveHappenedAt = (level: LevelName, index: ReadFromIndex): ((t: TransactionId) => boolean) =>
  level === 'cut-isolation' ? () => true : mayHaveHappened(index);

/** Returns the verdict at cut isolation, given all internal anomalies of the history. */
export function checkCutIsolation(
  input: IndexedHistory,
  found: readonly FoundAnomaly[],
  findAll: boolean,
): CheckerVerdict {
  const { history } = input;
  const who = new WhoHappened(history);
  const certain = who.certain();
  const anomalies = found.filter(({ transactions }) => certain.has(transactions.at(-1)!));
  if (anomalies.length > 0) return { status: 'violated', anomalies: findAll ? anomalies : anomalies.slice(0, 1) };
  if (!history.txnStatus.includes(TxnStatus.Unknown)) return satisfied;
  const happened = who.without(unrepeatable(input));
  if (happened !== null) return { status: 'satisfied', certificate: { kind: 'inspection', happened } };
  const detail =
    'the possible writers of a value that was read all have unknown outcomes, and each writer contradicts itself or needs a transaction that does';
  return { status: 'unknown', reason: 'unsupported', detail };
}

const satisfied: CheckerVerdict = { status: 'satisfied', certificate: { kind: 'inspection' } };

/** Returns the transactions of unknown outcome that contradict themselves. */
function unrepeatable({ history, index }: IndexedHistory): Set<number> {
  const outcome = index.outcome.map((one, t) =>
    history.txnStatus[t] === TxnStatus.Unknown ? Outcome.Happened : one === Outcome.Happened ? Outcome.Left : one,
  );
  const anomalies = findInternalAnomalies(history, { ...index, outcome });
  const found = new Set<number>();
  for (let i = 0; i < anomalies.count; i++) {
    const { name, read } = anomalies.at(i);
    if (levelsForbidding(name).includes('cut-isolation')) found.add(transactionOf(history, read));
  }
  return found;
}

/** Version that only transactions of unknown outcome wrote. */
interface Version {
  readonly writers: Set<number>;
  writes: number;
}

/**
 * Finds the transactions that happened, where a read only shows that one of the writers of its value happened, or none
 * if all aborted.
 */
class WhoHappened {
  readonly #history: History;
  readonly #versions: ReadonlyMap<number, Version>; // by name

  constructor(history: History) {
    this.#history = history;
    this.#versions = this.#versionsOfUnknown();
  }

  /**
   * Returns committed transactions, and transactions of unknown outcome that must have written a value that one of
   * these read.
   */
  certain(): Set<number> {
    return this.#closure(({ writers, writes }) => (writes === 1 ? [...writers][0]! : null))!;
  }

  /**
   * Returns the transactions of one explanation without certain transactions of unknown outcome; null if there is none.
   */
  without(excluded: ReadonlySet<number>): number[] | null {
    const impossible = new Set(excluded);
    const canHaveHappened = (t: number): boolean =>
      this.#needsOf(t).every(({ writers }) => [...writers].some((writer) => !impossible.has(writer)));
    for (let size = -1; size < impossible.size;) {
      size = impossible.size;
      for (const { writers } of this.#versions.values())
        for (const t of writers) if (!impossible.has(t) && !canHaveHappened(t)) impossible.add(t);
    }
    const happened = this.#closure(({ writers }) => [...writers].find((t) => !impossible.has(t)) ?? 'none');
    return happened && [...happened].toSorted((a, b) => a - b);
  }

  /**
   * Returns committed transactions and, for each of their reads, a chosen writer, if any; null if a choice is
   * impossible.
   */
  #closure(choose: (version: Version) => number | 'none' | null): Set<number> | null {
    const { txnStatus } = this.#history;
    const all = new Set(Array.from(txnStatus.keys()).filter((t) => txnStatus[t] === TxnStatus.Committed));
    // The set grows during the loop.
    for (const t of all)
      for (const version of this.#needsOf(t)) {
        if ([...version.writers].some((writer) => all.has(writer))) continue;
        const chosen = choose(version);
        if (chosen === 'none') return null;
        if (chosen !== null) all.add(chosen);
      }
    return all;
  }

  /**
   * Returns versions that a transaction read but did not write, and that only transactions of unknown outcome wrote.
   */
  #needsOf(t: number): Version[] {
    const { txnStart, opKind, opKey, opValue, keyInitial, lists } = this.#history;
    const needs: Version[] = [];
    const add = (key: number, value: number): void => {
      const version = this.#versions.get(this.#name(key, value));
      if (version !== undefined && !version.writers.has(t)) needs.push(version);
    };
    for (let op = txnStart[t]; this.#versions.size > 0 && op < txnStart[t + 1]; op++) {
      const [key, x] = [opKey[op], opValue[op]];
      if (opKind[op] === OpKind.Read && x !== UNKNOWN_VALUE && x !== keyInitial[key]) add(key, x);
      if (opKind[op] !== OpKind.ListRead || x === UNKNOWN_LIST) continue;
      for (let node = x; node !== EMPTY_LIST; node = lists.parent[node]) add(key, lists.element[node]);
    }
    return needs;
  }

  #versionsOfUnknown(): Map<number, Version> {
    const { txnStatus } = this.#history;
    const versions = new Map<number, Version>();
    if (!txnStatus.includes(TxnStatus.Unknown)) return versions;
    this.#visitWrites(TxnStatus.Unknown, (t, name) => {
      const version = versions.get(name) ?? { writers: new Set(), writes: 0 };
      version.writers.add(t);
      version.writes++;
      versions.set(name, version);
    });
    this.#visitWrites(TxnStatus.Committed, (_, name) => versions.delete(name));
    return versions;
  }

  #visitWrites(status: number, visit: (t: number, name: number) => void): void {
    const { txnStart, txnStatus, opKind, opKey, opValue } = this.#history;
    for (let t = 0; t < txnStatus.length; t++)
      for (let op = txnStart[t]; txnStatus[t] === status && op < txnStart[t + 1]; op++)
        if (opKind[op] === OpKind.Write || opKind[op] === OpKind.Append) visit(t, this.#name(opKey[op], opValue[op]));
  }

  readonly #name = (key: number, value: number): number => key * countValues(this.#history) + value;
}
