import { Type } from '../wire/values.ts';

/** The form in which the values of a column are recorded; values of other columns are left out. */
export type Kind = 'integer' | 'decimal' | 'text' | 'date' | 'datetime' | 'enum' | 'left out';

export interface TableColumn {
  readonly name: string;
  readonly type: number;
  readonly metadata: number;
  readonly isUnsigned: boolean;
  readonly kind: Kind;
  /** The values of an ENUM. */
  readonly values: readonly string[];
}

export interface Table {
  readonly schema: string;
  readonly table: string;
  readonly columns: readonly TableColumn[];
  /** Indexes of the columns of the primary key; empty if there is none that can be recorded. */
  readonly key: readonly number[];
}

/** The name of a table with its schema: `shop.items`. */
export const nameOf = ({ schema, table }: { readonly schema: string; readonly table: string }): string =>
  `${schema}.${table}`;

/** Collations of UTF-8 and ASCII, whose texts are the same in results and in the log. */
const isUtf8 = (collation: number): boolean =>
  [11, 65, 33, 83, 45, 46, 76, 1057, 1058, 1069, 1070].includes(collation) ||
  (collation >= 192 && collation <= 215) ||
  (collation >= 223 && collation <= 247) ||
  (collation >= 255 && collation <= 323) ||
  (collation >= 576 && collation <= 638) ||
  (collation >= 2048 && collation < 2560);

export function kindOf(type: number, collation: number): Kind {
  switch (type) {
    case Type.tiny:
    case Type.short:
    case Type.int24:
    case Type.long:
    case Type.longlong:
      return 'integer';
    case Type.newdecimal:
      return 'decimal';
    case Type.date:
      return 'date';
    case Type.datetime2:
      return 'datetime';
    case Type.enum:
      return 'enum';
    case Type.varchar:
    case Type.varString:
    case Type.string:
    case Type.blob:
      return isUtf8(collation) ? 'text' : 'left out';
    default:
      return 'left out';
  }
}

/** Returns whether a type has a sign in the metadata of the log. */
export const isNumeric = (type: number): boolean =>
  [
    Type.tiny,
    Type.short,
    Type.int24,
    Type.long,
    Type.longlong,
    Type.newdecimal,
    Type.float,
    Type.double,
    Type.decimal,
    Type.year,
  ].includes(type as 1);

export const isCharacters = (type: number): boolean =>
  [Type.varchar, Type.varString, Type.string, Type.blob, Type.tinyBlob].includes(type as 15);
