import { RecordError } from './errors.ts';
import { TRACES } from './traces.ts';
import type { Node } from './tree.ts';

export interface Parser {
  /** Parses a text with exactly one statement; null for any other text. */
  parse(sql: string): Parsed | null;
  /**
   * Splits a query string into the texts of its statements; joined, they equal the string. Null if it is not valid SQL.
   */
  split(sql: string): readonly string[] | null;
  /** Returns the tokens without comments. */
  tokens(sql: string): readonly Token[];
  /** Removes the constants: `select * from t where x = $1`. Text that is not valid SQL is cut after its first word. */
  normalize(sql: string): string;
}

export interface Parsed {
  readonly statement: Node;
}

/** Positions count bytes of UTF-8. */
export interface Token {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

interface ScannedToken extends Token {
  readonly tokenName: string;
}

interface Module {
  loadModule(): Promise<void>;
  parseSync(sql: string): { stmts?: { stmt: Node; stmt_location?: number; stmt_len?: number }[] };
  scanSync(sql: string): { tokens: ScannedToken[] };
  normalizeSync(sql: string): string;
}

export async function loadParser(): Promise<Parser> {
  const module = await (import('libpg-query') as Promise<unknown> as Promise<Module>).catch(() => {
    throw new RecordError("PostgreSQL's parser is missing: npm install libpg-query.");
  });
  await module.loadModule();
  // A statement is planned in several steps, which need the same results.
  const statements = remembered((sql: string) => {
    if (sql === '') return []; // the parser treats it as an error
    try {
      return module.parseSync(sql).stmts ?? [];
    } catch {
      return null; // the database will report the error
    }
  });
  const scanned = remembered((sql: string) => module.scanSync(sql).tokens);
  return {
    parse: (sql) => {
      const all = statements(sql);
      return all?.length === 1 ? { statement: all[0]!.stmt } : null;
    },
    split: (sql) => {
      const all = statements(sql);
      if (!all) return null;
      const bytes = Buffer.from(sql);
      const starts = all.map(({ stmt_location: place = 0 }) => place);
      return starts.map((start, i) => bytes.subarray(i === 0 ? 0 : start, starts[i + 1] ?? bytes.length).toString());
    },
    tokens: (sql) => scanned(sql).filter(({ tokenName }) => !tokenName.endsWith('COMMENT')),
    normalize: (sql) => {
      try {
        const normal = statements(sql) ? module.normalizeSync(sql) : sql;
        return withoutConstants(normal, scanned(normal));
      } catch {
        return `${/^\s*\w*/.exec(sql)![0].trim()} …`;
      }
    },
  };
}

/** Keeps the last result of a function of a text. */
function remembered<T>(compute: (text: string) => T): (text: string) => T {
  let last: { readonly text: string; readonly result: T } | null = null;
  return (text) => {
    if (last?.text !== text) last = { text, result: compute(text) };
    return last.result;
  };
}

const CONSTANTS = new Set(['SCONST', 'USCONST', 'ECONST', 'BCONST', 'XCONST', 'ICONST', 'FCONST']);

/** The parser's own normalization keeps the constants of EXECUTE, of definitions and of unreadable parts. */
function withoutConstants(sql: string, tokens: readonly ScannedToken[]): string {
  const bytes = Buffer.from(sql);
  let result = '';
  let kept = 0;
  for (const { tokenName, start, end } of tokens) {
    const isComment = tokenName.endsWith('COMMENT');
    if (!isComment && !CONSTANTS.has(tokenName)) continue;
    const text = bytes.subarray(start, end).toString();
    result += `${bytes.subarray(kept, start).toString()}${isComment ? text.replaceAll(TRACES, "$1='?'") : '?'}`;
    kept = end;
  }
  return result + bytes.subarray(kept).toString();
}
