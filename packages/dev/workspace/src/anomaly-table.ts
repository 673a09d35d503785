import { readFileSync } from 'node:fs';
import { markdownTable } from '@isolab/site';

/** Parts of the report of `isolab hermitage --out` that the table shows. */
interface Played {
  readonly database: string;
  readonly levels: readonly {
    readonly name: string;
    readonly cells: readonly { readonly case: string; readonly outcome: string; readonly by?: string }[];
  }[];
}

/** Folders of reports/hermitage, with a remark that distinguishes databases of the same version. */
const DATABASES: readonly (readonly [string, string])[] = [
  ['postgres-18.4', ''],
  ['mariadb-11.4.5', ''],
  ['mariadb-11.4.5-snapshots', ', innodb_snapshot_isolation=on'],
  ['sqlite-3.53.2', ''],
  ['duckdb-1.5.6', ''],
];

/** Anomalies that applications encounter, in the order in which stronger levels exclude them. */
const SHOWN: readonly (readonly [string, string])[] = [
  ['G1a', 'dirty read'],
  ['PMP', 'phantom between two SELECTs'],
  ['G-single', 'read skew'],
  ['P4', 'lost update'],
  ['G2-item', 'write skew'],
  ['G2', 'write skew on a predicate'],
  ['on-call doctors', 'the on-call doctors'],
  ['unique booking', 'double booking'],
];

/**
 * Table of the anomalies that each level of each database allows, from the stored reports; each cell links to its
 * statements.
 */
export function anomaliesByLevel(): string {
  const rows = DATABASES.flatMap(([folder, remark]) => {
    const path = `reports/hermitage/${folder}`;
    const file = new URL(`../../../../${path}/hermitage.json`, import.meta.url);
    const { database, levels } = JSON.parse(readFileSync(file, 'utf8')) as Played;
    return levels.map(({ name, cells }) => [
      `${database.replace('-MariaDB', '')}${remark}`,
      name.toUpperCase(),
      ...SHOWN.map(([wanted]) => {
        const cell = cells.find((each) => each.case === wanted)!;
        const word = cell.outcome === 'possible' ? '**possible**' : cell.outcome === 'prevented' ? 'no' : cell.outcome;
        return `[${word}](../${path}/${name.replaceAll(' ', '-')}.md#${anchorOf(wanted)})`;
      }),
    ]);
  });
  return markdownTable(['database', 'level', ...SHOWN.map(([, title]) => title)], rows);
}

const anchorOf = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9 -]/g, '')
    .replaceAll(' ', '-');
