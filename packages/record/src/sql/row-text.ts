import type { Row, Scalar } from '@isolab/history';
import type { Column, ColumnType } from './catalog.ts';

/** The columns of a row as PostgreSQL prints it as one text: `(1,"a ""b""",,t)`; nothing between commas is null. */
export function parseRowText(text: string): (string | null)[] {
  const fields: (string | null)[] = [];
  let at = 1; // behind the parenthesis
  while (at < text.length) {
    let field: string | null = null;
    let isQuoted = false;
    while (at < text.length) {
      const character = text[at]!;
      if (!isQuoted && (character === ',' || character === ')')) break;
      if (character === '"') {
        field ??= '';
        if (isQuoted && text[at + 1] === '"') {
          field += '"';
          at++;
        } else isQuoted = !isQuoted;
      } else if (character === '\\') field = (field ?? '') + text[++at]!;
      else field = (field ?? '') + character;
      at++;
    }
    fields.push(field);
    at++;
  }
  return fields;
}

/** A row as the history has it, with the transaction that wrote it: what makes versions with equal columns differ. */
export function rowOf(columns: readonly Column[], fields: readonly (string | null)[], xmin: string): Row {
  const row: Record<string, Scalar> = { [WRITER_COLUMN]: Number(xmin) };
  columns.forEach(({ name, type }, i) => {
    const field = fields[i] ?? null;
    if (field !== null && type !== 'left out') row[name] = scalarOf(type, field);
  });
  return row;
}

/** No table has a column of this name: PostgreSQL reserves it. */
export const WRITER_COLUMN = 'xmin';

export function scalarOf(type: ColumnType, text: string): Scalar {
  switch (type) {
    case 'integer':
      return Number(text);
    case 'bigint':
      // Larger ones lie beyond every constant that conditions are modelled with.
      return Math.max(-Number.MAX_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, Number(text)));
    case 'boolean':
      return text === 't' || text === 'true';
    default:
      return text;
  }
}

/** The key of a row: an integer where the primary key is one, else a text. */
export function keyOf(types: readonly ColumnType[], fields: readonly (string | null)[]): bigint | string {
  if (fields.length > 1) return JSON.stringify(fields);
  const [field] = fields;
  // Integers that JSON would round are spelled as texts.
  const isInteger = (types[0] === 'integer' || types[0] === 'bigint') && Number.isSafeInteger(Number(field));
  return isInteger ? BigInt(field!) : field!;
}
