import { Aborted, type Connection, type Database, type PlainSql } from '@isolab/collector';
import { type Case, type Row, sessionsOf } from '../../src/hermitage/cases/case.ts';

/** Answer of a session to its nth step; undefined for a step that the script leaves out. */
export type Script = (step: {
  readonly session: string;
  readonly at: number;
  readonly sql: string;
}) => Promise<readonly Row[]> | readonly Row[] | undefined;

/** A database that answers the statements of a case as a script says, and reads that have a name with their rows. */
export function scripted(
  played: Case,
  reads: Readonly<Record<string, readonly Row[]>>,
  script: Script = () => undefined,
): { readonly database: Database; readonly heard: readonly string[] } {
  const heard: string[] = [];
  // The first connection of a case sets it up; the next ones are its sessions.
  const names = ['set-up', ...sessionsOf(played.steps)];
  let connections = 0;
  const connect = async (): Promise<Connection> => {
    // One more is made and closed to find out whether the database takes SQL.
    const session = connections++ === 0 ? 'first' : names[(connections - 2) % names.length]!;
    const steps = played.steps.filter((step) => step.session === session);
    let at = -1;
    const send: PlainSql['send'] = async (sql) => {
      at++;
      if (session === 'set-up') return rowsOf(played.final?.includes(sql) ? reads['final']! : []);
      heard.push(`${session}: ${sql}`);
      const rows = await script({ session, at, sql });
      const { read } = steps[at] ?? {};
      return rowsOf(rows ?? (read === undefined ? [] : reads[read]!));
    };
    const sql = { begin: 'BEGIN', session: ['SET x = 1'], send };
    return { sql, close: async () => {}, abandon: () => {} } as Partial<Connection> as Connection;
  };
  const database = { description: 'scripted 1.0', connect } as Partial<Database> as Database;
  return { database, heard };
}

const rowsOf = (rows: readonly Row[]): readonly Record<string, unknown>[] =>
  rows.map((row) => Object.fromEntries(row.map((value, i) => [`c${i}`, value])));

export const refuses = (): never => {
  throw new Aborted('scripted says 40001: no');
};
