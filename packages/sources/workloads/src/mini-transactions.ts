import { type Distribution, distinct, distributionNamed, uniform } from './workload/distributions.ts';
import { DISTRIBUTION, type Program, type Run, Versions, defineWorkload } from './workload/workload.ts';

/**
 * The 20 forms of a mini-transaction up to renaming: one or two reads, and up to two writes of objects that were read.
 */
export const MINI_TRANSACTIONS = [
  'Rx',
  'RxRx',
  'RxRy',
  'RxWx',
  'RxRxWx',
  'RxRyWx',
  'RxRyWy',
  'RxWxRx',
  'RxWxRy',
  'RxWxWx',
  'RxRxWxWx',
  'RxRyWxWx',
  'RxRyWxWy',
  'RxRyWyWx',
  'RxRyWyWy',
  'RxWxRxWx',
  'RxWxRyWx',
  'RxWxRyWy',
  'RxWxWxRx',
  'RxWxWxRy',
] as const;

/** Forms without repeated reads or writes of an object, which suffice for all anomalies between transactions. */
const TYPICAL = ['Rx', 'RxRy', 'RxWx', 'RxWxRy', 'RxRyWx', 'RxRyWxWy', 'RxWxRyWy'];

const FORMS = ['typical', 'all', 'updates'] as const;
type Forms = (typeof FORMS)[number];

const FORMS_PARAMETER = {
  default: 'typical' as Forms,
  help: 'typical: seven forms that read and write no object twice; all: all 20 forms; updates: forms that write all objects that they read',
  choices: FORMS,
};

export const miniTransactions = defineWorkload({
  name: 'mini-transactions',
  title: 'one or two reads, at most two writes, each after a read of its object',
  source: 'MTC',
  data: 'registers',
  parameters: {
    keys: { default: 1_000, help: 'number of objects', range: [1, 1e9] },
    distribution: { ...DISTRIBUTION, help: 'distribution of objects' },
    exponent: { default: 0.99, help: 'exponent of the zipfian distribution', range: [0, 10], fractional: true },
    forms: FORMS_PARAMETER,
  },
  keys: ({ keys }) => keys,
  prepare({ keys, distribution, exponent, forms }) {
    return runOf(keys, distributionNamed(distribution).draw(keys, exponent), forms);
  },
});

/** A workload with few objects and much contention: anomalies that a level allows appear within seconds. */
export const contention = defineWorkload({
  name: 'contention',
  title: 'mini-transactions on a few objects, so sessions conflict all the time',
  source: 'the default of isolab collect and isolab run',
  data: 'registers',
  parameters: {
    keys: { default: 0, help: 'number of objects; 0: as many as sessions', range: [0, 1e9] },
    forms: { ...FORMS_PARAMETER, default: 'all' },
    'writes-per-key': {
      default: 0,
      help: 'number of writes after which a new object replaces an object; 0: never',
      range: [0, 1e9],
    },
  },
  keys: ({ keys, 'writes-per-key': writesPerKey }, sessions) => (writesPerKey === 0 ? objectsOf(keys, sessions) : null),
  prepare({ keys, forms, 'writes-per-key': writesPerKey }, sessions) {
    const objects = objectsOf(keys, sessions);
    return runOf(objects, uniform(objects), forms, writesPerKey);
  },
});

const objectsOf = (keys: number, sessions: number): number => (keys > 0 ? keys : Math.max(2, sessions));

function runOf(keys: number, draw: Distribution, forms: Forms, writesPerKey = 0): Run {
  const versions = new Versions();
  const { current, written } = objectsIn(keys, writesPerKey);
  const known = { typical: TYPICAL, all: MINI_TRANSACTIONS, updates: ['RxWx', 'RxRyWxWy', 'RxWxRyWy'] }[forms];
  const templates = keys > 1 ? known : known.filter((form) => !form.includes('y'));
  return {
    load: [],
    session: (_, random) => () => {
      const form = random.pick(templates);
      const slots = distinct(draw, keys, 2, random) as [number, number];
      const [x, y] = [current(slots[0]), current(slots[1] ?? slots[0])]; // a single object has no other
      for (let i = 0; i < form.length; i += 2) if (form[i] === 'W') written(slots[form[i + 1] === 'x' ? 0 : 1]);
      return function* (): Program {
        for (let i = 0; i < form.length; i += 2) {
          const key = form[i + 1] === 'x' ? x : y;
          yield form[i] === 'R' ? { kind: 'read', key } : { kind: 'write', key, value: versions.next(key) };
        }
      };
    },
  };
}

/** Returns the objects in use. Each place holds one object after another if objects are replaced. */
function objectsIn(places: number, writesPerKey: number) {
  if (writesPerKey === 0) return { current: (place: number): number => place, written: (): void => {} };
  const objects = Array.from({ length: places }, (_, place) => ({ key: place, left: writesPerKey }));
  let newest = places - 1;
  return {
    current: (place: number): number => objects[place]!.key,
    written(place: number): void {
      if (--objects[place]!.left === 0) objects[place] = { key: ++newest, left: writesPerKey };
    },
  };
}
