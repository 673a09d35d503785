import type { Predicate } from './predicate.ts';
import type { Scalar } from './row.ts';

/** Keywords of the notation, which cannot be names of tables or columns. */
export const KEYWORDS: ReadonlySet<string> = new Set([
  'and',
  'or',
  'not',
  'is',
  'in',
  'between',
  'null',
  'true',
  'false',
]);

/** Prints the name of a table or column so that the notation can read it back. */
export const printName = (name: string): string =>
  /^[A-Za-z_]\w*$/.test(name) && !KEYWORDS.has(name.toLowerCase()) ? name : JSON.stringify(name);

/** Prints the value of a column as in SQL; a text with line breaks or invisible characters as in JSON. */
export function printScalar(value: Scalar): string {
  if (typeof value !== 'string') return String(value);
  return /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u.test(value) ? JSON.stringify(value) : `'${value.replaceAll("'", "''")}'`;
}

/** Prints a predicate so that the notation reads back exactly the same predicate. */
export function printPredicate(predicate: Predicate): string {
  if (predicate === true) return 'true';
  switch (predicate[0]) {
    case 'and':
    case 'or': {
      const [operator, ...parts] = predicate;
      if (parts.length < 2) return `(${[operator, ...parts.map(printPredicate)].join(' ')})`;
      return parts.map((part) => printPart(part, operator)).join(` ${operator} `);
    }
    case 'not':
      return printNegation(predicate[1]);
    case 'null':
      return `${printName(predicate[1])} is null`;
    case 'sql':
      return `sql(${printScalar(predicate[1])})`;
    case 'between':
      return `${printName(predicate[1])} between ${printScalar(predicate[2])} and ${printScalar(predicate[3])}`;
    case 'in':
      return `${printName(predicate[1])} in (${predicate[2].map(printScalar).join(', ')})`;
    default:
      return `${printName(predicate[1])} ${predicate[0]} ${printScalar(predicate[2])}`;
  }
}

/** Puts a part with several parts of its own in parentheses, unless it binds more tightly. */
function printPart(part: Predicate, operator: 'and' | 'or'): string {
  const isJunction = part !== true && (part[0] === 'and' || part[0] === 'or') && part.length > 2;
  const bindsCloser = isJunction && operator === 'or' && part[0] === 'and';
  return isJunction && !bindsCloser ? `(${printPredicate(part)})` : printPredicate(part);
}

function printNegation(predicate: Predicate): string {
  const kind = predicate === true ? null : predicate[0];
  if (predicate !== true && predicate[0] === 'null') return `${printName(predicate[1])} is not null`;
  const isJunction = predicate !== true && (kind === 'and' || kind === 'or') && predicate.length > 2;
  return isJunction ? `not (${printPredicate(predicate)})` : `not ${printPredicate(predicate)}`;
}
