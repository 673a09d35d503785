import { readDocumentAt } from '@isolab/formats';
import type { History } from '@isolab/history';
import type { Answer, Key } from '@isolab/workloads';
import { Aborted, type Connection, ConnectionLost, type Database, type Isolation } from '../src/index.ts';

export const SERIAL: Isolation = { name: 'serial', claims: 'serializable' };

export const LIMITS = { connectMs: 5_000 };

export interface Mishaps {
  /** Commits (by number, from 1) that the database refuses, or loses the connection in, before or after they count. */
  readonly refuse?: readonly number[];
  readonly loseBefore?: readonly number[];
  readonly loseAfter?: readonly number[];
  /** After which statement the connection is gone. */
  readonly loseAt?: number;
}

/** A database in this process: one transaction at a time, the others wait. */
export function fakeDatabase(
  mishaps: Mishaps = {},
): Database & { readonly content: Map<Key, number>; prepared: boolean[] } {
  const content = new Map<Key, number>();
  const prepared: boolean[] = [];
  let commits = 0;
  let statements = 0;
  let free: Promise<void> = Promise.resolve();
  const connect = async (): Promise<Connection> => {
    let release = (): void => {};
    let writes = new Map<Key, number>();
    let isMark = false; // the mark of the owner of the tables is not counted
    return {
      async begin() {
        const before = free;
        free = new Promise((resolve) => (release = resolve));
        await before;
        writes = new Map();
      },
      async ask(request): Promise<Answer> {
        isMark = 'key' in request && request.key === -1;
        if (!isMark && ++statements === mishaps.loseAt) {
          release();
          throw new ConnectionLost('the statement got no answer');
        }
        if (request.kind === 'read') return writes.get(request.key) ?? content.get(request.key) ?? null;
        if (request.kind === 'write') writes.set(request.key, request.value);
        return undefined;
      },
      async commit() {
        if (!isMark) commits++;
        if (!isMark && mishaps.refuse?.includes(commits)) throw new Aborted('could not serialize');
        const isLost = !isMark && mishaps.loseBefore?.includes(commits) === true;
        if (!isLost) for (const [key, value] of writes) content.set(key, value);
        release();
        if (isLost || (!isMark && mishaps.loseAfter?.includes(commits)))
          throw new ConnectionLost('the commit got no answer');
      },
      rollback: async () => release(),
      close: async () => {},
      abandon: () => release(),
    };
  };
  return {
    description: 'fake',
    content,
    prepared,
    prepare: async (_, keep) => void prepared.push(keep),
    connect,
    close: async () => {},
  };
}

export async function readBack(path: string): Promise<History> {
  const document = await readDocumentAt(path, { failedStatements: 'published' });
  if (document.kind === 'polygraph') throw new Error(`${path} is a polygraph.`);
  return document.history;
}
