import type { Predicate } from './predicate.ts';
import type { Scalar } from './row.ts';

/** The words of the notation that are no names of tables and columns. */
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

/** A name of a table or column as the notation reads it back. */
export const printName = (name: string): string =>
  /^[A-Za-z_]\w*$/.test(name) && !KEYWORDS.has(name.toLowerCase()) ? name : JSON.stringify(name);

/** Contents of a column, as SQL spells them; a text with line breaks or invisible characters, as JSON does. */
export function printScalar(value: Scalar): string {
  if (typeof value !== 'string') return String(value);
  return /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u.test(value) ? JSON.stringify(value) : `'${value.replaceAll("'", "''")}'`;
}

/** A predicate as the notation reads it back, exactly. */
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

/** A part with more parts of its own stands in parentheses, unless it binds closer. */
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
