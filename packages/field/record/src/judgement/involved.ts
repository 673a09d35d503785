import type { Story } from 'isolab';
import { type TransactionLine, isTransaction, linesOf } from '../recorded/lines.ts';
import { type Meeting, statementsOf } from './meetings.ts';
import type { Row } from './versions.ts';

/** The transactions of a story, by line: the transactions of its cycle, and further transactions that explain it. */
export type LinesOfStory = ReadonlyMap<number, { readonly name: string; readonly isInCycle: boolean }>;

export const linesOfStory = ({ transactions }: Story): LinesOfStory =>
  new Map(
    transactions.flatMap(({ label, role, place }) => {
      const line = Number(/(\d+)$/.exec(place ?? '')?.[1]);
      return role !== 'context' && line > 0 ? [[line, { name: label, isInCycle: role === 'cycle' }]] : [];
    }),
  );

/** Names a row without the number that distinguishes rows with a reused key. */
const rowText = ({ table, key, versions }: Row): string =>
  `${table.name} ${key.replace(/#(\d+)$/, (number, xmin: string) => (versions.has(xmin) ? '' : number))}`;

/** Returns the two transactions of a meeting under the names of its story. */
export function partiesOf(story: Story, meeting: Meeting, shapes: ReadonlyMap<number, string>): Involved[] {
  const labels = new Map(
    story.transactions.map(({ label, place }) => [Number(/(\d+)$/.exec(place ?? '')?.[1]), label]),
  );
  const statements = statementsOf(meeting, shapes);
  const rows = [...meeting.rows].map(rowText).toSorted();
  const parties = meeting.parties.map(({ line, session, level }, i) => ({
    name: labels.get(line) ?? '',
    session,
    line,
    level: level ?? '',
    statements: statements[i]!,
    rows,
  }));
  return meeting.name === 'lost-update' || meeting.name === 'write-skew'
    ? parties.toSorted((a, b) => a.name.localeCompare(b.name, 'en', { numeric: true }))
    : parties;
}

/** A transaction of an anomaly, in the application's terms. */
export interface Involved {
  /** The transaction's name in the sentence: `T1`. */
  readonly name: string;
  readonly session: string;
  readonly line: number;
  readonly level: string;
  /** In order, the statements that touched the same rows as another transaction of the anomaly. */
  readonly statements: readonly string[];
  /** The rows that these transactions share: `accounts 1`. */
  readonly rows: readonly string[];
}

/** Reads the operations of the transactions on the given lines, one list for each meeting. */
export async function involvedIn(path: string, meetings: readonly LinesOfStory[]): Promise<Involved[][]> {
  const wanted = new Set(meetings.flatMap((meeting) => [...meeting.keys()]));
  const lines = new Map<number, TransactionLine>();
  const shapes = new Map<number, string>();
  if (wanted.size > 0)
    for await (const [number, text] of linesOf(path)) {
      if (!isTransaction(text) || !(wanted.has(number) || text.includes('"shapes":['))) continue;
      const line = JSON.parse(text) as TransactionLine;
      for (const [shape, sql] of line.shapes ?? []) shapes.set(shape, sql);
      if (wanted.has(number)) lines.set(number, line);
    }
  return meetings.map((meeting) => {
    const met = whoMet(meeting, lines);
    const stepsOf = new Map(met.map((number) => [number, touches(lines.get(number)!)]));
    return met.map((number) => ({
      name: meeting.get(number)!.name,
      ...involved(number, lines.get(number)!, stepsOf, shapes),
    }));
  });
}

/**
 * The transactions of the cycle. If two reads of one transaction differ, that transaction and the writer in between
 * that began last.
 */
function whoMet(meeting: LinesOfStory, lines: ReadonlyMap<number, TransactionLine>): number[] {
  const numbers = [...meeting.keys()];
  const cycle = numbers.filter((number) => meeting.get(number)!.isInCycle);
  if (cycle.length > 1) return cycle;
  const others = numbers.filter((number) => !cycle.includes(number));
  const last = others.toSorted((a, b) => (lines.get(a)!.begin ?? 0) - (lines.get(b)!.begin ?? 0)).at(-1);
  return last === undefined ? cycle : [...cycle, last];
}

interface Touch {
  readonly shape: number;
  /** For each row, whether it was written. A scan touches its whole table. */
  readonly rows: ReadonlyMap<string, boolean>;
}

function touches({ ops, steps = [] }: TransactionLine): Touch[] {
  let at = 0;
  return steps.map(([shape, operations]) => {
    const rows = new Map<string, boolean>();
    for (const [kind, table, key, found] of ops.slice(at, at + operations) as [string, string, unknown, unknown][]) {
      if (kind === 'scan') {
        rows.set(`${table} *`, false);
        for (const [foundKey] of found as [unknown][]) rows.set(`${table} ${String(foundKey)}`, false);
      } else {
        const row = `${table} ${String(key)}`;
        rows.set(row, rows.get(row) === true || kind === 'put');
      }
    }
    at += operations;
    return { shape, rows };
  });
}

function involved(
  number: number,
  { session, level }: TransactionLine,
  stepsOf: ReadonlyMap<number, readonly Touch[]>,
  shapes: ReadonlyMap<number, string>,
): Omit<Involved, 'name'> {
  const others = [...stepsOf].filter(([other]) => other !== number).flatMap(([, steps]) => steps);
  const met = new Set<string>();
  const statements = stepsOf.get(number)!.filter(({ rows }) => {
    let meets = false;
    for (const [row, writes] of rows)
      if (others.some((other) => isMetBy(other, row, writes))) {
        met.add(row);
        meets = true;
      }
    return meets;
  });
  return {
    session,
    line: number,
    level: level ?? '',
    statements: statements.map(({ shape }) => shapes.get(shape) ?? ''),
    rows: [...met].toSorted(),
  };
}

/** Returns whether two statements touch a row and at least one of them writes it. */
function isMetBy({ rows }: Touch, row: string, writes: boolean): boolean {
  const [table] = row.split(' ');
  if (row.endsWith(' *')) return [...rows].some(([other, written]) => written && other.startsWith(`${table} `));
  const other = rows.get(row);
  return (other !== undefined && (writes || other)) || (writes && rows.has(`${table} *`));
}
