import {
  Aborted,
  type Connection,
  ConnectionLost,
  type Database,
  type Isolation,
  type Question,
} from '@isolab/collector';
import type { LevelName } from '@isolab/contract';
import type { History } from '@isolab/history';
import { decide } from '@isolab/oracle';
import type { Key } from '@isolab/workloads';
import type { JudgedTrial } from '../../src/index.ts';

export const CLAIM: Isolation = { name: 'as claimed', claims: 'serializable' };

export interface Faults {
  /** Reads and writes take locks, which are held to the end: a later session waits. */
  readonly locks?: true;
  /** Commits are refused where a key that was read or written has changed since. */
  readonly validates?: true;
  /** Every transaction that read something and wrote something is refused. */
  readonly refuses?: true;
  /** Commits are validated while no more transactions than these are open. */
  readonly validatesUpTo?: number;
  /** Reads of the keys of the story are never answered. */
  readonly hangs?: true;
}

/** A database in this process: every transaction sees the state committed when it began, and writes at its end. */
export function fakeDatabase({ locks, validates, validatesUpTo = 0, refuses, hangs }: Faults = {}): Database {
  const held = new Map<Key, readonly number[]>();
  const versions = new Map<Key, number>();
  const owners = new Map<Key, { readonly of: object; readonly free: Promise<void> }>();
  let open = 0;
  const connect = async (): Promise<Connection> => {
    let snapshot = new Map<Key, readonly number[]>();
    let began = new Map<Key, number>();
    let writes = new Map<Key, readonly number[]>();
    let touched = new Set<Key>();
    let hasRead = false;
    let transaction = {};
    let release = (): void => {};
    let isGone = false;
    let isOpen = false;
    const lock = async (key: Key): Promise<void> => {
      for (let owner = owners.get(key); owner !== undefined && owner.of !== transaction; owner = owners.get(key))
        await owner.free;
      if (isGone) throw new ConnectionLost('the connection was cut');
      if (!owners.has(key)) owners.set(key, { of: transaction, free: ended });
      snapshot.set(key, held.get(key) ?? []);
    };
    let ended: Promise<void> = Promise.resolve();
    const over = (): void => {
      for (const [key, { of }] of owners) if (of === transaction) owners.delete(key);
      if (isOpen) open--;
      isOpen = false;
      release();
    };
    return {
      async begin() {
        [snapshot, began, writes, touched, transaction] = [new Map(held), new Map(versions), new Map(), new Set(), {}];
        hasRead = false;
        isOpen = true;
        open++;
        ended = new Promise((resolve) => (release = resolve));
      },
      async ask(question: Question) {
        if (!('key' in question)) throw new Error('no ranges here');
        const { key } = question;
        await new Promise((resolve) => setImmediate(resolve)); // as long as others get their turn
        if (hangs && key !== -1 && question.kind.startsWith('read')) await new Promise(() => {});
        touched.add(key);
        hasRead ||= question.kind.startsWith('read');
        if (locks) await lock(key);
        const now = writes.get(key) ?? snapshot.get(key) ?? [];
        if (question.kind === 'read') return now.at(-1) ?? null;
        if (question.kind === 'read-list') return now;
        if (question.kind === 'write') writes.set(key, [question.value]);
        else if (question.kind === 'append') writes.set(key, [...now, question.value]);
        return undefined;
      },
      async commit() {
        const isStale = [...touched].some((key) => versions.get(key) !== began.get(key));
        const isRefused = (refuses && hasRead && writes.size > 0) || ((validates || open <= validatesUpTo) && isStale);
        if (!isRefused)
          for (const [key, value] of writes) {
            held.set(key, value);
            versions.set(key, (versions.get(key) ?? 0) + 1);
          }
        over();
        if (isRefused) throw new Aborted('could not serialize');
      },
      rollback: async () => over(),
      close: async () => over(),
      abandon: () => ((isGone = true), over()),
    };
  };
  return {
    description: 'a fake',
    async prepare() {
      held.clear();
      versions.clear();
      owners.clear();
    },
    connect,
    close: async () => {},
  };
}

/** A judge that shares nothing with isolab's checkers: brute force. */
export const judgeAt =
  (level: LevelName) =>
  async (history: History): Promise<JudgedTrial> =>
    decide(history, level).satisfied ? { verdict: 'satisfied' } : { verdict: 'violated' };
