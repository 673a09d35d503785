import { type Token, tokensOf } from '../sql/tokens.ts';

/** A change of the definition of a table; the table `*` stands for all tables of the schema. */
export interface Definition {
  readonly kind: 'create' | 'drop' | 'empty' | 'alter';
  readonly schema: string;
  readonly table: string;
  /** Whether the definition has no effect if the table exists. */
  readonly isOptional: boolean;
  /** The reason why the created table cannot be followed; null if it can. */
  readonly isForeign: string | null;
}

/** Clauses of ALTER TABLE that change no row. */
const HARMLESS =
  /^(ADD\s+(CONSTRAINT|INDEX|KEY|UNIQUE|FULLTEXT|FOREIGN)|DROP\s+(INDEX|KEY|FOREIGN)|AUTO_INCREMENT|(DISABLE|ENABLE)\s+KEYS)\b/i;

/** Finds the tables that a logged definition changes. */
export function definitionOf(text: string, schema: string): Definition[] {
  const sql = text.replaceAll(/\/\*M?!\d*|\*\//g, ' ');
  const tokens = tokensOf(sql, { ansiQuotes: false, plainBackslashes: false }) ?? [];
  const words = tokens.slice(0, 4).map((token) => token.text);
  const change = (
    kind: Definition['kind'],
    name: readonly [string | null, string],
    more: Partial<Definition> = {},
  ): Definition => ({
    kind,
    schema: name[0] ?? schema,
    table: name[1],
    isOptional: false,
    isForeign: null,
    ...more,
  });
  if (/^(DROP)$/.test(words[0] ?? '') && /^(DATABASE|SCHEMA)$/.test(words[1] ?? ''))
    return [change('drop', [tokens.at(-1)!.written, '*'])];
  const at = tokens.findIndex((token) => token.text === 'TABLE');
  if (words[0] === 'TRUNCATE') return namesFrom(tokens, at === 1 ? 2 : 1).map((name) => change('empty', name));
  if (at < 1 || at > 4 || words.includes('TEMPORARY')) return [];
  const isOptional = words[at + 1] === 'IF';
  const names = namesFrom(tokens, isOptional ? at + (words[0] === 'CREATE' ? 4 : 3) : at + 1);
  if (words[0] === 'DROP') return names.map((name) => change('drop', name));
  if (words[0] === 'RENAME') return names.map((name) => change('alter', name));
  const [name] = names;
  if (!name) return [];
  if (words[0] === 'CREATE') {
    const engine = /\bENGINE\s*=?\s*`?(\w+)/i.exec(sql)?.[1] ?? 'InnoDB';
    const isForeign =
      engine.toLowerCase() !== 'innodb' ? `its engine is ${engine}` : CASCADES.test(sql) ? FOREIGN : null;
    return [change('create', name, { isOptional, isForeign })];
  }
  if (words[0] !== 'ALTER') return [];
  const clause = sql.slice(tokens[at + (tokens[at + 2]?.text === '.' ? 3 : 1)]?.end ?? sql.length).trim();
  if (CASCADES.test(clause)) return [change('alter', name, { isForeign: FOREIGN })];
  const isHarmless = clause.split(',').every((part) => HARMLESS.test(part.trim()) || /^[^()]*\)/.test(part));
  return isHarmless ? [] : [change('alter', name)];
}

export const FOREIGN = 'a foreign key changes its rows, which the log lacks';
const CASCADES = /\bON\s+(DELETE|UPDATE)\s+(CASCADE|SET\s+NULL|SET\s+DEFAULT)\b/i;

/** Reads names of tables, separated by commas or by TO. */
function namesFrom(tokens: readonly Token[], start: number): (readonly [string | null, string])[] {
  const names: (readonly [string | null, string])[] = [];
  for (let at = start; at < tokens.length;) {
    const isQualified = tokens[at + 1]?.text === '.';
    const name = tokens[at + (isQualified ? 2 : 0)];
    if (!name || (name.kind !== 'name' && name.kind !== 'word')) break;
    names.push([isQualified ? tokens[at]!.written : null, name.written]);
    at += isQualified ? 3 : 1;
    if (tokens[at]?.text !== ',' && tokens[at]?.text !== 'TO') break;
    at++;
  }
  return names;
}
