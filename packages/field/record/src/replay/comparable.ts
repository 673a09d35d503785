/** Parts of results that are the same in every execution, as far as the database and the statements show. */
import type { Client } from 'pg';
import type { Kept, KeptOperation } from '../recorded/kept.ts';
import { oneLine } from '../sql/origin.ts';
import { WRITER_COLUMN } from '../sql/row-text.ts';

interface Column {
  readonly schema: string;
  readonly table: string;
  readonly name: string;
  readonly type: string;
  readonly standard: string | null;
  readonly sequence: string | null;
}

const COLUMNS = `select n.nspname as schema, c.relname as table, a.attname as name, format_type(a.atttypid, null) as type,
    pg_get_expr(d.adbin, d.adrelid) as standard,
    pg_get_serial_sequence(format('%I.%I', n.nspname, c.relname), a.attname) as sequence
  from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
  left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
  where c.relkind in ('r', 'p') and a.attnum > 0 and not a.attisdropped
    and n.nspname not in ('pg_catalog', 'information_schema')`;

/** Functions whose results depend only on their arguments and rows, and words that may precede a parenthesis. */
const STEADY = new Set(
  `count sum min max avg bool_and bool_or every coalesce nullif greatest least lower upper abs length char_length round
  floor ceil ceiling trunc mod sign power sqrt concat concat_ws substr substring left right trim btrim ltrim rtrim
  replace position strpos cast date_trunc numeric decimal varchar char character timestamp time interval exists in any
  all some not and or on as by values where select from case when then else having using over with union except
  intersect insert into set returning conflict key default distinct between like ilike is`.split(/\s+/),
);

/** Words whose results depend on the order of rows, on locks, on the time or on the session. */
const UNSTEADY =
  /\b(limit|fetch|offset|distinct\s+on|skip\s+locked|tablesample|current_\w+|localtime\w*|session_user|ctid|xmin)\b/i;
const UNSTEADY_TEXT = /'(?:now|today|tomorrow|yesterday)'/i;

const LOCK = /\bfor\s+(?:no\s+key\s+)?update\b/gi;
const isWrite = (text: string): boolean => /\b(insert|update|delete|merge)\b/i.test(text.replace(LOCK, ' '));
const isInsert = (text: string): boolean => /^\s*insert\b/i.test(text);

export class Comparable {
  readonly #columns: readonly Column[];
  /** Columns with values that differ in each execution, or whose text depends on settings. */
  readonly #changing: readonly Column[];
  readonly #hidden: ReadonlySet<string>;
  readonly #hasFloats: boolean;

  private constructor(columns: readonly Column[]) {
    this.#columns = columns;
    this.#changing = columns.filter(
      ({ standard, sequence }) => sequence === null && /\w\(|current_|local/i.test(standard ?? ''),
    );
    this.#hasFloats = columns.some(({ type }) => type === 'real' || type === 'double precision');
    const byZone = columns.filter(({ type }) => /with time zone|money/.test(type));
    this.#hidden = new Set([...this.#changing, ...byZone].map(({ table, name }) => `${table}.${name}`));
  }

  static async of(client: Client): Promise<Comparable> {
    return new Comparable((await client.query<Column>(COLUMNS)).rows);
  }

  /** Returns the reason why a statement may leave other rows behind in another execution; null if there is none. */
  obstacleOf([sql, , result]: Kept): string | null {
    const text = plain(sql);
    if (!isWrite(text)) return null;
    const told = oneLine(sql);
    if (!Array.isArray(result)) return `not all rows of ${told} are known`;
    // The listed columns of an INSERT are no reads.
    const reading = isInsert(text) ? (/\b(?:select|on\s+conflict)\b[^]*/i.exec(text)?.[0] ?? '') : text;
    const why =
      this.#unsteadyIn(sql) ??
      this.#changingIn(reading) ??
      (!isInsert(text) && /\bdefault\b/i.exec(text)?.[0]) ??
      (isJoined(text) ? 'a join, in which several rows may match' : null);
    if (typeof why === 'string') return `${told} uses ${why}`;
    const hasGaps = this.#numbered(result as Kept[2] & readonly KeptOperation[]).some(({ values }) =>
      values.some((value, i) => value !== values[0]! + i || value < 1),
    );
    return hasGaps ? `${told} wrote numbers of a sequence that do not follow each other` : null;
  }

  /** Returns whether the result of a statement is the same in each execution in the same order. */
  isCompared([sql]: Kept): boolean {
    const text = plain(sql);
    const from = /\bfrom\b/i.exec(text)?.index ?? text.length;
    return isWrite(text) || (this.#unsteadyIn(sql) === null && this.#changingIn(text.slice(from)) === null);
  }

  /** Returns statements that give sequences the values that the recorded statement took. */
  sequencesFor([sql, , result]: Kept): readonly string[] {
    if (!Array.isArray(result) || !isInsert(plain(sql))) return [];
    return this.#numbered(result as Kept[2] & readonly KeptOperation[]).map(
      ({ sequence, values }) => `select setval('${sequence.replaceAll("'", "''")}', ${values[0]}, false)`,
    );
  }

  /** Returns the values of columns with sequences in the written rows. */
  #numbered(
    result: readonly KeptOperation[],
  ): readonly { readonly sequence: string; readonly values: readonly number[] }[] {
    return this.#columns.flatMap((column) => {
      const { sequence, name } = column;
      if (sequence === null) return [];
      const values = result.flatMap(([kind, table, , row]) => {
        const value = kind === 'put' && isOf(column, table) ? row?.[name] : undefined;
        return typeof value === 'number' ? [value] : [];
      });
      return values.length === 0 ? [] : [{ sequence, values }];
    });
  }

  /** Returns the rows of a result in one order: the written rows of a change, otherwise the read ones. */
  rowsOf(result: readonly KeptOperation[]): readonly string[] {
    const puts = result.filter(([kind]) => kind === 'put');
    return (puts.length > 0 ? puts : result)
      .map(([, table, key, row]) => `${table} ${JSON.stringify(key)}: ${this.#textOf(table, row)}`)
      .toSorted();
  }

  #textOf(table: string, row: KeptOperation[3]): string {
    if (row === null) return 'no row';
    const name = table.split('.').at(-1);
    const shown = Object.entries(row).filter(
      ([column]) => column !== WRITER_COLUMN && !this.#hidden.has(`${name}.${column}`),
    );
    return JSON.stringify(Object.fromEntries(shown.toSorted(([a], [b]) => (a < b ? -1 : 1))));
  }

  #unsteadyIn(sql: string): string | null {
    const text = plain(sql);
    const [word] = UNSTEADY.exec(text) ?? UNSTEADY_TEXT.exec(sql) ?? [];
    if (word !== undefined) return word;
    if (this.#hasFloats && /\b(?:sum|avg)\b/i.test(text)) return 'a sum whose rounding depends on the order of rows';
    for (const [, name] of text.matchAll(/([a-z_]\w*)"?\s*\(/gi)) {
      const lower = name!.toLowerCase();
      if (!STEADY.has(lower) && !this.#columns.some(({ table }) => table === name || table === lower))
        return `${name}()`;
    }
    return null;
  }

  #changingIn(text: string): string | null {
    const [used] = text.split(/\breturning\b/i);
    return this.#changing.find(({ name }) => new RegExp(`\\b${name}\\b`, 'i').test(used!))?.name ?? null;
  }
}

const isOf = ({ schema, table }: Column, name: string | undefined): boolean =>
  name === table || name === `${schema}.${table}`;

/** Returns whether an UPDATE or DELETE joins other tables, outside of subqueries. */
function isJoined(text: string): boolean {
  let outer = text;
  for (let before = ''; before !== outer;) {
    before = outer;
    outer = outer.replaceAll(/\([^()]*\)/g, ' ');
  }
  return /\b(?:update\b[^]*\bfrom|delete\b[^]*\busing|merge)\b/i.test(outer);
}

/** Returns a statement without its strings and comments. */
const plain = (sql: string): string => sql.replaceAll(/'(?:[^']|'')*'|--[^\n]*|\/\*[^]*?\*\//g, ' ');
