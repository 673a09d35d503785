import { CollectorError } from './errors.ts';

const CHOICES = {
  index: ['none', 'value'],
  'read-by': ['key', 'index', 'scan', 'mixed'],
  write: ['upsert', 'update'],
} as const;

/**
 * Layout of keys in the tables of a SQL database, with the statements that read and write them. It does not change the
 * history.
 */
export interface Layout {
  readonly tables: number;
  /** value: a second index, which every write changes. */
  readonly index: (typeof CHOICES)['index'][number];
  /**
   * key: through the primary key; index: through a second column with its own index; scan: by a scan of the whole
   * table; mixed: each in turn.
   */
  readonly 'read-by': (typeof CHOICES)['read-by'][number];
  /** upsert: INSERT … ON CONFLICT; update: UPDATE, then INSERT if no row was updated. */
  readonly write: (typeof CHOICES)['write'][number];
}

export const PLAIN_LAYOUT: Layout = { tables: 1, index: 'none', 'read-by': 'key', write: 'upsert' };

/** Parses `tables=3,index=value,read-by=scan,write=update`. Absent settings have the values of the plain layout. */
export function parseLayout(text: string): Layout {
  const layout: Record<string, string | number> = { ...PLAIN_LAYOUT };
  for (const word of text.split(',')) {
    const [name = '', value = ''] = word.split('=').map((part) => part.trim());
    layout[name] = name === 'tables' ? tablesIn(value) : chosen(name, value);
  }
  return layout as unknown as Layout;
}

function tablesIn(value: string): number {
  const tables = Number(value);
  if (/^\d+$/.test(value) && tables >= 1 && tables <= MOST_TABLES) return tables;
  throw new CollectorError(`The layout has tables=${value}, expected a number from 1 to ${MOST_TABLES}.`);
}

const MOST_TABLES = 100;

function chosen(name: string, value: string): string {
  const choices: readonly string[] | undefined = Object.hasOwn(CHOICES, name)
    ? CHOICES[name as keyof typeof CHOICES]
    : undefined;
  if (!choices) {
    const known = ['tables', ...Object.keys(CHOICES)].join(', ');
    throw new CollectorError(`A layout has no setting ${name}; expected ${known}, such as tables=3,read-by=scan.`);
  }
  if (choices.includes(value)) return value;
  throw new CollectorError(`The layout has ${name}=${value}, expected one of ${choices.join(', ')}.`);
}
