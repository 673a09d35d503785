import { CollectorError } from './errors.ts';

const CHOICES = {
  key: ['text', 'integer', 'composite'],
  order: ['ascending', 'random'],
  index: ['none', 'value', 'unique', 'covering'],
  'read-by': ['key', 'index', 'scan', 'mixed'],
  write: ['upsert', 'update'],
} as const;

type Choice<Setting extends keyof typeof CHOICES> = (typeof CHOICES)[Setting][number];

/**
 * Layout of keys in the tables of a SQL database, with the statements that read and write them. It does not change the
 * history.
 */
export interface Layout {
  readonly tables: number;
  /**
   * Number of keys, from 0, that have a row without a value before clients begin, so that their first write
   * updates a row. At SERIALIZABLE, an inserted row conflicts with transactions that looked for nearby rows.
   */
  readonly filled: number;
  /** Type of the primary key. composite: two columns, a small number and a text. */
  readonly key: Choice<'key'>;
  /** Order of new keys in the primary key. random: the database stores a permutation of the numbers in the history. */
  readonly order: Choice<'order'>;
  /**
   * value: a second index, which every write changes; unique: a unique index on a copy of the key; covering: an index
   * on a copy of the key, which for registers contains the value, too.
   */
  readonly index: Choice<'index'>;
  /**
   * key: through the primary key; index: through a second column with its own index; scan: by a scan of the whole
   * table; mixed: each in turn.
   */
  readonly 'read-by': Choice<'read-by'>;
  /** upsert: INSERT … ON CONFLICT, where the database has it; update: UPDATE, then INSERT if no row was updated. */
  readonly write: Choice<'write'>;
}

export const PLAIN_LAYOUT: Layout = {
  tables: 1,
  filled: 0,
  key: 'text',
  order: 'ascending',
  index: 'none',
  'read-by': 'key',
  write: 'upsert',
};

/** Parses `tables=3,key=integer,read-by=scan`. Absent settings have the values of the plain layout. */
export function parseLayout(text: string): Layout {
  const layout: Record<string, string | number> = { ...PLAIN_LAYOUT };
  for (const word of text.split(',')) {
    const [name = '', value = ''] = word.split('=').map((part) => part.trim());
    layout[name] = Object.hasOwn(RANGES, name) ? numberIn(name as keyof typeof RANGES, value) : chosen(name, value);
  }
  return layout as unknown as Layout;
}

const RANGES = { tables: [1, 100], filled: [0, 100_000] } as const;

function numberIn(name: keyof typeof RANGES, value: string): number {
  const [low, high] = RANGES[name];
  const number = Number(value);
  if (/^\d+$/.test(value) && number >= low && number <= high) return number;
  throw new CollectorError(`The layout has ${name}=${value}, expected a number from ${low} to ${high}.`);
}

function chosen(name: string, value: string): string {
  const choices: readonly string[] | undefined = Object.hasOwn(CHOICES, name)
    ? CHOICES[name as keyof typeof CHOICES]
    : undefined;
  if (!choices) {
    const known = [...Object.keys(RANGES), ...Object.keys(CHOICES)].join(', ');
    throw new CollectorError(`A layout has no setting ${name}; expected ${known}, such as tables=3,read-by=scan.`);
  }
  if (choices.includes(value)) return value;
  throw new CollectorError(`The layout has ${name}=${value}, expected one of ${choices.join(', ')}.`);
}
