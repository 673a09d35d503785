import { parseNotation } from '@isolab/formats';
import { type Atom, type History, type PlainTransaction, fromPlain } from '@isolab/history';

export { parseNotation as parseHistory, printNotation as printHistory } from '@isolab/formats';

/** Parses a history in the notation, `r(x,0) w(x,1)`; see the format `notation`. */
export const h = (strings: TemplateStringsArray, ...values: readonly unknown[]): History =>
  parseNotation(String.raw(strings, ...values));

/** The default initial state, and the keys with another initial state. */
export interface InitialState {
  readonly initial: Atom;
  readonly initialOf?: readonly (readonly [key: Atom, value: Atom])[];
}

/** Builds a history from its sessions, named 0, 1, 2 …; every key is initially 0 by default. */
export function historyOf(
  sessions: readonly (readonly PlainTransaction[])[],
  initial: InitialState = { initial: 0n },
): History {
  const timed = sessions.some((session) => session.some(({ begin, end }) => begin !== undefined || end !== undefined));
  return fromPlain({
    ...initial,
    timeUnit: timed ? 'events' : 'none',
    sessions: sessions.map((transactions, s) => ({ name: BigInt(s), transactions })),
  });
}
