import { type History, type PlainTransaction, fromPlain } from '@isolab/history';

/** Builds a history from its sessions, named 0, 1, 2 …; every key is initially 0. */
export const historyOf = (sessions: readonly (readonly PlainTransaction[])[]): History =>
  fromPlain({
    initial: 0n,
    timeUnit: sessions.flat().some(({ begin }) => begin !== undefined) ? 'events' : 'none',
    sessions: sessions.map((transactions, s) => ({ name: BigInt(s), transactions })),
  });
