import type { DataKind } from '@isolab/collector';
import { type Workload, findWorkload } from '@isolab/workloads';

/** Single templates; most of them also occur in mixed draws. */
const TEMPLATES = ['lost-update', 'long-fork', 'write-skew', 'read-only-anomaly', 'three-way-skew', 'overtaken-reader'];

/** The draw of one trial. Together with its seed, it determines the requests of all clients. */
export interface Draw {
  readonly workload: string;
  readonly set: Readonly<Record<string, string>>;
  /** Layout of keys in tables, in the words of --layout; null for the plain layout. */
  readonly layout: string | null;
  /** States that the process of the database is killed during the history. */
  readonly kills?: true;
  readonly sessions: number;
  /** Number of transactions to commit, over all sessions. */
  readonly transactions: number;
}

/** A choice that a draw makes, and its possible values. */
export interface Dimension {
  readonly name: string;
  readonly values: readonly string[];
}

/** The dimensions of one workload; `set:` marks a parameter of the workload. */
export interface Region {
  readonly workload: string;
  readonly dimensions: readonly Dimension[];
}

const choice = (name: string, ...values: readonly (string | number)[]): Dimension => ({
  name,
  values: values.map(String),
});

/** Choices for all workloads: few clients rarely collide, many collide all the time. */
const COMMON = [choice('sessions', 2, 4, 8, 16, 24), choice('transactions', 500, 1000, 2000)];

/** Keys that live for only a few writes: the first writes of a row meet its first readers again and again. */
const JEPSEN = [
  choice('set:keys', 2, 4, 6, 10, 20),
  choice('set:distribution', 'uniform', 'exponential', 'zipfian'),
  choice('set:writes-per-key', 2, 4, 8, 32, 256),
  choice('set:min-operations', 1, 2, 4),
  choice('set:max-operations', 2, 4, 8),
  choice('set:read-only', 0, 0.3),
];
const MINI = [choice('set:keys', 2, 4, 8, 16, 40), choice('set:forms', 'typical', 'all', 'updates')];

const REGIONS: readonly Region[] = [
  {
    workload: 'schedules',
    dimensions: [
      choice('set:template', 'any', ...TEMPLATES),
      choice('set:keys', 0, 3, 6),
      choice('set:lists', 'false', 'true'),
    ],
  },
  { workload: 'list-append', dimensions: JEPSEN },
  { workload: 'rw-register', dimensions: JEPSEN },
  {
    workload: 'counters',
    dimensions: [
      choice('set:keys', 2, 4, 8),
      choice('set:increments-per-key', 8, 32),
      choice('set:max-operations', 2, 4, 8),
      choice('set:read-only', 0, 0.3),
    ],
  },
  { workload: 'mini-transactions', dimensions: MINI },
  {
    workload: 'general',
    dimensions: [
      choice('set:keys', 3, 6, 12, 30),
      choice('set:operations', 2, 4, 8, 12),
      choice('set:reads', 0.3, 0.5, 0.7, 0.9),
      choice('set:distribution', 'uniform', 'hotspot', 'zipfian'),
      choice('set:long-transactions', 0, 0.05),
      choice('set:read-only', 0, 0.3),
    ],
  },
  {
    workload: 'blindw',
    dimensions: [
      choice('set:keys', 4, 10, 30),
      choice('set:operations', 2, 4, 8),
      choice('set:reads', 0.3, 0.5, 0.8),
      choice('set:load', 'true', 'false'),
    ],
  },
  { workload: 'reports', dimensions: [choice('set:pairs', 2, 6, 20)] },
  {
    workload: 'rows',
    dimensions: [
      choice('set:rows', 8, 12, 40),
      choice('set:operations', 2, 4, 8),
      choice('set:values', 3, 6),
      choice('set:mix', 'even', 'writes', 'phantoms', 'points', 'set'),
      choice('set:reuse', 0, 0.3),
    ],
  },
  { workload: 'doctors', dimensions: [choice('set:shifts', 1, 2, 4), choice('set:doctors', 2, 3)] },
  { workload: 'booking', dimensions: [] },
  { workload: 'bank-audit', dimensions: [choice('set:owners', 1, 4)] },
  { workload: 'intersecting', dimensions: [] },
  { workload: 'batch', dimensions: [] },
  {
    workload: 'ranges',
    dimensions: [
      choice('set:keys', 6, 8, 15, 40),
      choice('set:operations', 2, 3, 4, 8),
      choice('set:mix', 'B', 'RQH', 'IDH'),
      choice('set:width', 0, 3, 10),
    ],
  },
];

/** Schedules of SQL statements, which are no history: their results are compared with those of one session. */
export const SQL = 'sql';
const OF_SQL: Region = { workload: SQL, dimensions: [choice('sessions', 3), choice('transactions', 500)] };

/** Layouts that take different paths in databases; the plain layout is empty. */
export const LAYOUTS: readonly string[] = [
  '',
  'key=integer',
  'key=integer,order=random',
  'key=integer,write=update',
  'key=integer,filled=50,write=update',
  'key=integer,index=unique',
  'key=composite',
  'index=value',
  'index=covering,read-by=index',
  'tables=3,read-by=mixed',
];

/** Returns the kind of data of a draw; a plug-in's workload is alone, and counts as registers. */
export const dataOf = ({ workload, set }: Pick<Draw, 'workload' | 'set'>): DataKind =>
  set['lists'] === 'true' ? 'lists' : (findWorkload(workload)?.data ?? (workload === SQL ? 'tables' : 'registers'));

/** Features of a database beside its kinds of data. */
interface Features {
  readonly plugin?: Workload | null;
  readonly layouts?: readonly string[];
  readonly takesStatements?: boolean | undefined;
  readonly takesLocks?: boolean | undefined;
  readonly takesSql?: boolean;
  readonly takesKills?: boolean;
}

/**
 * Returns the regions that a database supports, each with the common dimensions. Layouts apply only to registers and
 * lists.
 */
export function spaceOf(
  data: readonly DataKind[],
  only?: string,
  {
    plugin = null,
    layouts = [],
    takesStatements = false,
    takesLocks = false,
    takesSql = false,
    takesKills = false,
  }: Features = {},
): readonly Region[] {
  const added = [ROLLBACKS, SLOW_READS, ...(takesStatements ? STATEMENTS : []), ...(takesLocks ? [LOCKS] : [])];
  const ofSql = takesSql && (only ?? SQL) === SQL ? [OF_SQL] : [];
  const regions = plugin === null ? REGIONS : [{ workload: only!, dimensions: dimensionsOf(plugin) }];
  const ofData = regions
    .filter(
      ({ workload }) =>
        data.includes((plugin ?? findWorkload(workload)!).data) && (only === undefined || workload === only),
    )
    .map(({ workload, dimensions }) => ({
      workload,
      dimensions: [
        ...dimensions.map((each) => (each.name === LISTS && !data.includes('lists') ? NO_LISTS : each)),
        ...(layouts.length === 0 || !isOfKeys(workload, plugin) ? [] : [choice(LAYOUT, ...layouts)]),
        ...added.filter(({ name }) => has(workload, plugin, name)),
        ...(takesKills ? [choice(KILLS, '', '', '', '', 'true')] : []),
        ...COMMON,
      ],
    }));
  return [...ofData, ...ofSql];
}

/**
 * For an unknown workload, only its number of keys is drawn, if it has this parameter. The number is small, so that
 * clients collide.
 */
function dimensionsOf({ parameters }: Workload): readonly Dimension[] {
  const { keys } = parameters;
  if (typeof keys?.default !== 'number') return [];
  const [low, high] = keys.range ?? [1, Infinity];
  const fitting = [2, 4, 8, 16, 40].filter((count) => count >= low && count <= high);
  return fitting.length > 0 ? [choice('set:keys', ...fitting)] : [];
}

const isOfKeys = (workload: string, plugin: Workload | null): boolean =>
  ['registers', 'counters', 'lists'].includes((plugin ?? findWorkload(workload)!).data);

/** Additions to the reads and writes of a workload; half of the draws have none of each. */
const ROLLBACKS = choice('set:rollbacks', 0, 0.1);
const SLOW_READS = choice('set:slow-reads', 0, 0.05);
const LOCKS = choice('set:locking-reads', 0, 0.3);
const STATEMENTS = [
  choice('set:savepoints', 0, 0.1),
  choice('set:empty-changes', 0, 0.1),
  choice('set:early-snapshots', 0, 0.5),
];

/** Returns the statements and faults of a draw, which the database may refuse. */
export const extrasOf = (draw: Draw): readonly string[] => [...statementsOf(draw), ...(draw.kills ? [KILLS] : [])];

/** Returns the statements of a draw that a database may refuse, and that a schedule cannot repeat. */
export const statementsOf = (draw: Draw): readonly string[] =>
  [...STATEMENTS, LOCKS].flatMap(({ name }) => (Number(chosen(draw, name)) > 0 ? [name] : []));

const has = (workload: string, plugin: Workload | null, dimension: string): boolean =>
  Object.hasOwn((plugin ?? findWorkload(workload)!).parameters, dimension.slice('set:'.length));

const LAYOUT = 'layout';
export const KILLS = 'kills';
/** Setting of a workload of registers that makes it use lists. */
export const LISTS = 'set:lists';
const NO_LISTS = choice(LISTS, 'false');

/**
 * Returns the draw with a layout of the space, which is the draw's own layout if possible, and without statements that
 * the space lacks.
 */
export function fittedTo(space: readonly Region[], draw: Draw): Draw {
  const { dimensions } = space.find(({ workload }) => workload === draw.workload)!;
  const valuesOf = (dimension: string): readonly string[] =>
    dimensions.find(({ name }) => name === dimension)?.values ?? [''];
  const layouts = valuesOf(LAYOUT);
  const lacks = statementsOf(draw).filter((name) => !valuesOf(name).includes(chosen(draw, name)));
  const isOfLists = chosen(draw, LISTS) === 'true' && !valuesOf(LISTS).includes('true');
  const { kills: _, ...rest } = draw;
  return {
    ...(valuesOf(KILLS).includes('true') ? draw : rest),
    layout: layouts.includes(draw.layout ?? '') ? draw.layout : layouts[0]! || null,
    set: {
      ...Object.fromEntries(Object.entries(draw.set).filter(([name]) => !lacks.includes(`set:${name}`))),
      ...(isOfLists && { lists: 'false' }),
    },
  };
}

/** Returns whether the space has a draw's region for its kind of data, with its locks; its other values are free. */
export const isIn = (space: readonly Region[], draw: Draw): boolean =>
  space.some(
    ({ workload, dimensions }) =>
      workload === draw.workload &&
      dimensions.every(({ name, values }) => name !== LISTS || values.includes(chosen(draw, LISTS))) &&
      [LOCKS.name, KILLS].every(
        (of) =>
          chosen(draw, of) === '' ||
          dimensions.some(({ name, values }) => name === of && values.includes(chosen(draw, of))),
      ),
  );

export const HUNTED: readonly string[] = [...REGIONS.map(({ workload }) => workload), SQL];

/** Returns the value that a draw chose in a dimension. */
export function chosen(draw: Draw, dimension: string): string {
  if (dimension === LAYOUT) return draw.layout ?? '';
  if (dimension === KILLS) return draw.kills ? 'true' : '';
  if (dimension === 'sessions' || dimension === 'transactions') return String(draw[dimension]);
  return draw.set[dimension.slice('set:'.length)] ?? '';
}

/** Builds a draw from one choice for each dimension of a region. */
export function drawOf({ workload, dimensions }: Region, choose: (dimension: Dimension) => string): Draw {
  const choices = dimensions.map((dimension) => [dimension.name, choose(dimension)] as const);
  const valueOf = (name: string): string | undefined => choices.find((one) => one[0] === name)?.[1];
  return {
    workload,
    set: Object.fromEntries(
      choices.flatMap(([name, value]) => (name.startsWith('set:') ? [[name.slice('set:'.length), value]] : [])),
    ),
    layout: valueOf(LAYOUT) || null,
    ...(valueOf(KILLS) === 'true' && { kills: true }),
    sessions: Number(valueOf('sessions')),
    transactions: Number(valueOf('transactions')),
  };
}
