import { type PlainTransaction, toPlain } from '@isolab/history';
import { jepsenEdn } from '../../src/jepsen/jepsen-edn.ts';
import { readText } from './describe-format.ts';

/** Events, one a line: `0 invoke txn [[:r 1 nil]]` is the type, function and value of process 0. */
export const edn = (...events: string[]): string =>
  events
    .map((event) => /^(\S+) (\S+) (\S+) ?([^]*)$/.exec(event)!)
    .map(
      ([, process, type, f, rest]) =>
        `{:process ${process}, :type :${type}, :f :${f}${rest ? `, :value ${rest}` : ''}}\n`,
    )
    .join('');

export const readEdn = async (...events: string[]) => readText(jepsenEdn, edn(...events));

export const transactionsOf = async (...events: string[]): Promise<readonly PlainTransaction[]> =>
  toPlain(await readEdn(...events)).sessions.flatMap(({ transactions }) => transactions);

/** A read of the one register of a history of calls. */
export const register = (value: unknown) => ({ kind: 'read', key: 'register', value });
