/** Transactions of several sessions as SQL, without an order between the sessions. */
import type { CaseStep } from './case.ts';

/** Transactions with the tables that they use. */
export interface Transactions {
  readonly tables: readonly string[];
  /** Steps of each transaction by name, from BEGIN to COMMIT or ROLLBACK. */
  readonly steps: ReadonlyMap<string, readonly CaseStep[]>;
}

/** Returns the steps of a transaction. BEGIN and COMMIT are optional; the rows of each read have a name. */
export function stepsOf(name: string, statements: readonly string[]): readonly CaseStep[] {
  const inner = statements.filter((sql) => !/^(?:BEGIN|START TRANSACTION|COMMIT|ROLLBACK)$/i.test(sql));
  const end = /^ROLLBACK$/i.test(statements.at(-1) ?? '') ? 'rollback' : 'commit';
  return [
    { session: name, kind: 'begin', sql: '' },
    ...inner.map((sql, i): CaseStep => ({
      session: name,
      kind: 'statement',
      sql,
      ...(isRead(sql) && { read: `${name}, ${i + 1}` }),
    })),
    { session: name, kind: end, sql: end.toUpperCase() },
  ];
}

const isRead = (sql: string): boolean => /^(?:SELECT|WITH|TABLE|VALUES)\b/i.test(sql);

/** Writes transactions as a file that `isolab hermitage` reads. */
export function fileText({ tables, steps }: Transactions): string {
  const parts = [...steps].map(([name, of]): [string, readonly string[]] => [
    name,
    of.flatMap(({ kind, sql }) => (kind === 'statement' || kind === 'rollback' ? [sql] : [])),
  ]);
  return [['tables', tables] as const, ...parts]
    .map(([name, statements]) => `-- ${name}\n${statements.map((sql) => `${sql};\n`).join('')}`)
    .join('\n');
}
