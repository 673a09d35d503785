import type { Predicate } from '@isolab/history';
import type { Parameters } from '../wire/statement.ts';
import type { Column, ColumnType, Table } from './catalog.ts';
import { scalarOf } from './row-text.ts';
import { type Node, list, nameParts, text, the } from './tree.ts';

/** The values of one execution: bound parameters and literals of the text. */
export interface Values {
  readonly parameters: Parameters | null;
  readonly literals: readonly string[];
}

/** A condition that still needs its values. */
export type Condition = (values: Values) => Predicate;

/** Finds the literal at a position of the parsed text. */
export type LiteralAt = (place: number) => { readonly literal: number; readonly sign: string } | null;

/** A constant or parameter as text; null for SQL's NULL, undefined for anything else. */
export type Operand = (values: Values, type: ColumnType) => string | null | undefined;

/**
 * Translates a WHERE clause into a condition on the columns of one table. Parts that isolab does not model stay as SQL,
 * so that they are not treated as true or false.
 */
export function conditionOf(where: unknown, table: Table, alias: string, literalAt: LiteralAt): Condition {
  const compile = (node: unknown): Condition => {
    const bool = the('BoolExpr', node);
    if (bool) {
      const parts = list(bool['args']).map(compile);
      const kind = ({ AND_EXPR: 'and', OR_EXPR: 'or', NOT_EXPR: 'not' } as const)[text(bool['boolop'])];
      if (kind === 'not') return (values) => ['not', parts[0]!(values)];
      return kind ? (values) => [kind, ...parts.map((part) => part(values))] : () => OPAQUE;
    }
    const test = the('NullTest', node);
    const tested = test && columnOf(test['arg'], table, alias);
    if (tested)
      return () => (test['nulltesttype'] === 'IS_NULL' ? ['null', tested.name] : ['not', ['null', tested.name]]);
    const column = columnOf(node, table, alias);
    if (column?.type === 'boolean') return () => ['=', column.name, true];
    const expression = the('A_Expr', node);
    return (expression && comparison(expression, table, alias, literalAt)) ?? (() => OPAQUE);
  };
  return where === undefined ? () => true : compile(where);
}

/** Returns the column of this table that an expression names; null if the column is not recorded. */
function columnOf(node: unknown, table: Table, alias: string): Column | null {
  const fields = nameParts(the('ColumnRef', node)?.['fields']);
  if (fields.length === 0 || fields.length > 2 || (fields.length === 2 && fields[0] !== alias)) return null;
  return table.columns.find(({ name, type }) => name === fields.at(-1) && type !== 'left out') ?? null;
}

const FLIPPED = { '=': '=', '<>': '<>', '<': '>', '<=': '>=', '>': '<', '>=': '<=' } as const;
type Operator = keyof typeof FLIPPED;

function comparison(expression: Node, table: Table, alias: string, literalAt: LiteralAt): Condition | null {
  const operandIn = (node: unknown): Operand | null => operandOf(node, literalAt);
  const operator = nameParts(expression['name'])[0];
  const left = columnOf(expression['lexpr'], table, alias);
  switch (expression['kind']) {
    case 'AEXPR_OP': {
      if (!operator || !(operator in FLIPPED)) return null;
      const right = columnOf(expression['rexpr'], table, alias);
      const column = left ?? right;
      const operand = operandIn(left ? expression['rexpr'] : expression['lexpr']);
      if (!column || !operand) return null;
      const kind = left ? (operator as Operator) : FLIPPED[operator as Operator];
      return comparing(column, [operand], kind === '=' || kind === '<>', ([value]) => [kind, column.name, value!]);
    }
    case 'AEXPR_IN': {
      const operands = list(the('List', expression['rexpr'])?.['items']).map(operandIn);
      if (!left || operands.some((operand) => operand === null)) return null;
      const isIn = comparing(left, operands as Operand[], true, (values) => ['in', left.name, values]);
      return operator === '=' ? isIn : (values) => ['not', isIn(values)];
    }
    case 'AEXPR_BETWEEN':
    case 'AEXPR_NOT_BETWEEN': {
      const operands = list(the('List', expression['rexpr'])?.['items']).map(operandIn);
      if (!left || operands.length !== 2 || operands.includes(null)) return null;
      const isBetween = comparing(left, operands as Operand[], false, ([low, high]) => [
        'between',
        left.name,
        low!,
        high!,
      ]);
      return expression['kind'] === 'AEXPR_BETWEEN' ? isBetween : (values) => ['not', isBetween(values)];
    }
  }
  return null;
}

type Value = string | number | boolean;

const OPAQUE: Predicate = ['sql', 'a part that is not modelled'];

function comparing(
  { type }: Column,
  operands: readonly Operand[],
  forEquality: boolean,
  build: (values: readonly Value[]) => Predicate,
): Condition {
  // Texts are ordered by the database's collation, which is unknown here.
  if (type === 'opaque' || (type === 'text' && !forEquality)) return () => OPAQUE;
  return (values) => {
    const plain = operands.map((operand) => valueOf(type, operand(values, type)));
    return plain.includes(null) ? OPAQUE : build(plain as Value[]);
  };
}

/** Null if the operand is not a plain value of the column's type. */
function valueOf(type: ColumnType, operand: string | null | undefined): Value | null {
  if (operand === null || operand === undefined) return null;
  switch (type) {
    case 'boolean':
      return /^(t|true|f|false)$/.test(operand) ? operand.startsWith('t') : null;
    case 'text':
      return operand;
    default: {
      // A longer decimal number might be rounded to an integer.
      const number = /^[+-]?(\d+|(?=.{1,15}$)\d+\.\d+)$/.test(operand) ? Number(operand) : NaN;
      return Math.abs(number) < Number.MAX_SAFE_INTEGER ? number : null;
    }
  }
}

export function operandOf(node: unknown, literalAt: LiteralAt): Operand | null {
  const cast = the('TypeCast', node);
  if (cast) return castOperand(cast, literalAt);
  const constant = the('A_Const', node);
  if (constant) {
    const place = literalAt((constant['location'] as number | undefined) ?? 0);
    if (place && !('boolval' in constant)) return ({ literals }) => `${place.sign}${literals[place.literal]!}`;
    const value = constantText(constant);
    return value === undefined ? null : () => value;
  }
  const parameter = the('ParamRef', node)?.['number'];
  if (typeof parameter !== 'number') return null;
  return ({ parameters }, type) => {
    const given = parameters?.at(parameter - 1);
    if (!given) return undefined;
    if (given.value === null) return null;
    return given.isBinary ? binaryText(given.value, given.type, type) : plainText(given.value, given.type);
  };
}

/** Accepts only casts that leave the text unchanged: `'1.5'::varchar(2)` and `1.5::int` would not. */
function castOperand(cast: Node, literalAt: LiteralAt): Operand | null {
  const typeName = cast['typeName'] as Node;
  const type = nameParts(typeName['names']).at(-1) ?? '';
  const inner = operandOf(cast['arg'], literalAt);
  if (!inner || list(typeName['typmods']).length > 0 || list(typeName['arrayBounds']).length > 0) return null;
  if (['text', 'varchar', 'bool', 'uuid'].includes(type)) return inner;
  if (!['int2', 'int4', 'int8'].includes(type)) return null;
  return (values, columnType) => {
    const operand = inner(values, columnType);
    return operand && !/^[+-]?\d+$/.test(operand) ? undefined : operand;
  };
}

function constantText(constant: Node): string | null | undefined {
  if (constant['isnull']) return null;
  if ('ival' in constant) return String((constant['ival'] as Node)['ival'] ?? 0);
  if ('fval' in constant) return text((constant['fval'] as Node)['fval']);
  if ('sval' in constant) return text((constant['sval'] as Node)['sval']);
  if ('boolval' in constant) return (constant['boolval'] as Node)['boolval'] ? 'true' : 'false';
  return undefined;
}

/** PostgreSQL's numbers of the types whose values can be compared as conditions compare them. */
const TYPE = {
  bool: 16,
  int8: 20,
  int2: 21,
  int4: 23,
  text: 25,
  unknown: 705,
  varchar: 1043,
  numeric: 1700,
  uuid: 2950,
};
const COMPARABLE: ReadonlySet<number> = new Set(Object.values(TYPE));

/** Other types convert the value: a float4 is rounded, and a char(5) is padded. */
const plainText = (value: Buffer, type: number): string | undefined =>
  type === 0 || COMPARABLE.has(type) ? value.toString('utf8') : undefined;

function binaryText(value: Buffer, type: number, columnType: ColumnType): string | undefined {
  switch (type === 0 ? CHOSEN[columnType](value.length) : type) {
    case TYPE.text:
    case TYPE.varchar:
    case TYPE.unknown:
      return value.toString('utf8');
    case TYPE.bool:
      return value.length === 1 ? String(value[0] === 1) : undefined;
    case TYPE.int2:
      return value.length === 2 ? String(value.readInt16BE()) : undefined;
    case TYPE.int4:
      return value.length === 4 ? String(value.readInt32BE()) : undefined;
    case TYPE.int8:
      return value.length === 8 ? String(value.readBigInt64BE()) : undefined;
  }
  return undefined;
}

/** The type that the server chooses for a parameter beside a column, if the client leaves it open. */
const CHOSEN: Readonly<Record<ColumnType, (length: number) => number>> = {
  integer: (length) => (length === 2 ? TYPE.int2 : TYPE.int4),
  bigint: () => TYPE.int8,
  boolean: () => TYPE.bool,
  text: () => TYPE.text,
  opaque: () => 0,
  'left out': () => 0,
};

/** Returns the texts of a primary key, or null if they are uncertain. */
export type Point = (values: Values) => string[] | null;

/** Returns the primary key if the whole condition equates each of its columns with a value; otherwise null. */
export function pointOf(where: unknown, table: Table, alias: string, literalAt: LiteralAt): Point | null {
  const and = the('BoolExpr', where);
  const parts = and && and['boolop'] === 'AND_EXPR' ? list(and['args']) : [where];
  const operands = new Map<string, readonly [Column, Operand]>();
  for (const part of parts) {
    const expression = the('A_Expr', part);
    if (!expression || expression['kind'] !== 'AEXPR_OP' || nameParts(expression['name'])[0] !== '=') return null;
    const left = columnOf(expression['lexpr'], table, alias);
    const column = left ?? columnOf(expression['rexpr'], table, alias);
    const operand = operandOf(left ? expression['rexpr'] : expression['lexpr'], literalAt);
    if (!column || !operand || operands.has(column.name)) return null;
    operands.set(column.name, [column, operand]);
  }
  if (table.key.length === 0 || operands.size !== table.key.length) return null;
  const inOrder = table.key.map((name) => operands.get(name));
  if (inOrder.includes(undefined)) return null;
  return (values) => {
    const texts = inOrder.map((pair) => canonical(pair![0].type, pair![1](values, pair![0].type)));
    return texts.includes(null) ? null : (texts as string[]);
  };
}

/** Returns a value as the database prints it; null if that is uncertain. */
function canonical(type: ColumnType, operand: string | null | undefined): string | null {
  if (operand === null || operand === undefined) return null;
  if (type === 'opaque') return UUID.test(operand) ? operand.toLowerCase() : null;
  const value = valueOf(type, operand);
  return value === null ? null : String(type === 'text' ? value : scalarOf(type, String(value)));
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
