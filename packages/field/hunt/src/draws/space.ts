import type { DataKind } from '@isolab/collector';
import { type Workload, findWorkload } from '@isolab/workloads';

/** Single templates; most are in draws of any. */
const TEMPLATES = ['lost-update', 'long-fork', 'write-skew', 'read-only-anomaly', 'three-way-skew', 'overtaken-reader'];

/** Draw of one trial. With its seed, it gives the requests of all clients to a database. */
export interface Draw {
  readonly workload: string;
  readonly set: Readonly<Record<string, string>>;
  readonly sessions: number;
  /** Transactions that are to commit, of all sessions together. */
  readonly transactions: number;
}

/** A choice that a draw makes, and its possible values. */
export interface Dimension {
  readonly name: string;
  readonly values: readonly string[];
}

/** The dimensions of one workload; `set:` names a parameter of it. */
export interface Region {
  readonly workload: string;
  readonly dimensions: readonly Dimension[];
}

const choice = (name: string, ...values: readonly (string | number)[]): Dimension => ({
  name,
  values: values.map(String),
});

/** Choices for all workloads: few clients leave each other time, many meet all the time. */
const COMMON = [choice('sessions', 2, 4, 8, 16, 24), choice('transactions', 500, 1000, 2000)];

/** Keys that live for a few writes only: the first writes of a row meet its first readers again and again. */
const JEPSEN = [
  choice('set:keys', 2, 4, 6, 10, 20),
  choice('set:distribution', 'uniform', 'exponential', 'zipfian'),
  choice('set:writes-per-key', 2, 4, 8, 32, 256),
  choice('set:min-operations', 1, 2, 4),
  choice('set:max-operations', 2, 4, 8),
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
  { workload: 'mini-transactions', dimensions: MINI },
  {
    workload: 'general',
    dimensions: [
      choice('set:keys', 3, 6, 12, 30),
      choice('set:operations', 2, 4, 8, 12),
      choice('set:reads', 0.3, 0.5, 0.7, 0.9),
      choice('set:distribution', 'uniform', 'hotspot', 'zipfian'),
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
    workload: 'ranges',
    dimensions: [
      choice('set:keys', 6, 15, 40),
      choice('set:operations', 2, 4, 8),
      choice('set:mix', 'B', 'RQH', 'IDH'),
      choice('set:width', 0, 3, 10),
    ],
  },
];

/** The regions that a database can be asked about, each with the dimensions that all have. */
export function spaceOf(data: readonly DataKind[], only?: string, plugin: Workload | null = null): readonly Region[] {
  const regions = plugin === null ? REGIONS : [{ workload: only!, dimensions: dimensionsOf(plugin) }];
  return regions
    .filter(
      ({ workload }) =>
        data.includes((plugin ?? findWorkload(workload)!).data) && (only === undefined || workload === only),
    )
    .map(({ workload, dimensions }) => ({
      workload,
      dimensions: [
        ...dimensions.map((each) => (each.name === LISTS && !data.includes('lists') ? NO_LISTS : each)),
        ...COMMON,
      ],
    }));
}

/**
 * For an unknown workload, the number of keys is drawn, where it has one. The number is small, so that clients meet.
 */
function dimensionsOf({ parameters }: Workload): readonly Dimension[] {
  const { keys } = parameters;
  if (typeof keys?.default !== 'number') return [];
  const [low, high] = keys.range ?? [1, Infinity];
  const fitting = [2, 4, 8, 16, 40].filter((count) => count >= low && count <= high);
  return fitting.length > 0 ? [choice('set:keys', ...fitting)] : [];
}

const LISTS = 'set:lists';
const NO_LISTS = choice(LISTS, 'false');

/** Returns whether there is such a region, for this kind of data; other values of an opening are free. */
export const isIn = (space: readonly Region[], draw: Draw): boolean =>
  space.some(
    ({ workload, dimensions }) =>
      workload === draw.workload &&
      dimensions.every(({ name, values }) => name !== LISTS || values.includes(chosen(draw, LISTS))),
  );

/** The workloads that draws are made of. */
export const HUNTED: readonly string[] = REGIONS.map(({ workload }) => workload);

/** Value that a draw chose in a dimension. */
export function chosen(draw: Draw, dimension: string): string {
  if (dimension === 'sessions' || dimension === 'transactions') return String(draw[dimension]);
  return draw.set[dimension.slice('set:'.length)] ?? '';
}

/** The draw of some choices, one for each dimension of a region. */
export function drawOf({ workload, dimensions }: Region, choose: (dimension: Dimension) => string): Draw {
  const choices = dimensions.map((dimension) => [dimension.name, choose(dimension)] as const);
  const number = (name: string): number => Number(choices.find((one) => one[0] === name)![1]);
  return {
    workload,
    set: Object.fromEntries(
      choices.flatMap(([name, value]) => (name.startsWith('set:') ? [[name.slice('set:'.length), value]] : [])),
    ),
    sessions: number('sessions'),
    transactions: number('transactions'),
  };
}
