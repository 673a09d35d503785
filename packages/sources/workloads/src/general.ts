import { distinct, distributionNamed, uniform } from './workload/distributions.ts';
import type { Random } from './workload/random.ts';
import { READ_ONLY, isReadOnly } from './read-only.ts';
import {
  DISTRIBUTION,
  type Program,
  type Request,
  Versions,
  defineWorkload,
  loadOf,
  readOrWrite,
} from './workload/workload.ts';

/** PolySI's general workload: every operation draws a key and either reads or writes it. */
export const general = defineWorkload({
  name: 'general',
  title: 'random reads and writes of random keys',
  source: 'PolySI, Plume, IsoVista, dbcop',
  data: 'registers',
  parameters: {
    keys: { default: 10_000, help: 'number of keys', range: [1, 1e9] },
    operations: { default: 15, help: 'operations per transaction', range: [1, 100_000] },
    reads: { default: 0.5, help: 'share of reads among operations', range: [0, 1], fractional: true },
    distribution: DISTRIBUTION,
    exponent: {
      default: 0.5,
      help: 'exponent of the zipfian distribution: 0.5 in PolySI, 1.5 in IsoVista',
      range: [0, 10],
      fractional: true,
    },
    lists: { default: false, help: 'append to lists and read whole lists' },
    'long-transactions': { default: 0, help: 'share of long transactions', range: [0, 1], fractional: true },
    'long-factor': {
      default: 10,
      help: 'length of long transactions, as a multiple of the others',
      range: [1, 10_000],
      fractional: true,
    },
    'random-size': { default: false, help: 'draw the number of operations around the given one' },
    'own-keys': { default: false, help: 'let each session write only its own block of keys, as in dbcop' },
    tenants: {
      default: 1,
      help: 'groups of sessions without common keys; each group has the given number of keys',
      range: [1, 100_000],
    },
    'read-only': READ_ONLY,
  },
  keys: ({ keys, tenants }) => keys * tenants,
  prepare(parameters, sessions) {
    const versions = new Versions();
    const draw = distributionNamed(parameters.distribution).draw(parameters.keys, parameters.exponent);
    const block = Math.ceil(parameters.keys / sessions);
    return {
      load: [],
      session: (index, random) => () => {
        const first = (index % parameters.tenants) * parameters.keys;
        const onlyReads = isReadOnly(parameters, random);
        const steps = Array.from({ length: sizeOf(parameters, random) }, () => {
          const isRead = random.chance(parameters.reads) || onlyReads;
          const drawn = draw(random);
          if (isRead || !parameters['own-keys']) return { key: first + drawn, isRead };
          return { key: first + Math.min(index * block + (drawn % block), parameters.keys - 1), isRead };
        });
        return function* (): Program {
          for (const { key, isRead } of steps) yield readOrWrite(isRead, key, parameters.lists, versions);
        };
      },
    };
  },
});

interface Sizes {
  readonly operations: number;
  readonly 'long-transactions': number;
  readonly 'long-factor': number;
  readonly 'random-size': boolean;
}

function sizeOf(sizes: Sizes, random: Random): number {
  const isLong = random.chance(sizes['long-transactions']);
  const size = sizes.operations * (isLong ? sizes['long-factor'] : 1);
  if (!sizes['random-size']) return Math.floor(size);
  return isLong ? random.between(Math.ceil(0.5 * size), Math.floor(1.5 * size)) : random.between(1, 2 * size - 1);
}

/** Cobra's general transactions, each of which only reads, only writes, or reads and then writes its keys. */
export const cobra = defineWorkload({
  name: 'cobra',
  title: 'transactions that only read (20 %), only write (40 %), or update (40 %) different random keys',
  source: 'Cobra; the general transactions that MTC compares with',
  data: 'registers',
  parameters: {
    keys: { default: 10_000, help: 'number of keys', range: [1, 1e9] },
    operations: { default: 8, help: 'keys per transaction', range: [1, 100_000] },
  },
  keys: ({ keys }) => keys,
  prepare({ keys, operations }) {
    const versions = new Versions();
    const draw = uniform(keys);
    return {
      load: [],
      session: (_, random) => () => {
        const type = random.weighted([
          [20, 'read'],
          [40, 'write'],
          [40, 'update'],
        ]);
        const chosen = distinct(draw, keys, operations, random);
        return function* (): Program {
          for (const key of chosen) {
            if (type !== 'write') yield { kind: 'read', key };
            if (type !== 'read') yield { kind: 'write', key, value: versions.next(key) };
          }
        };
      },
    };
  },
});

/** Cobra's and Viper's BlindW: transactions that either read or blindly write eight keys. */
export const blindWrites = defineWorkload({
  name: 'blindw',
  title: 'transactions that only read, or blindly write, different random keys',
  source: 'Cobra, Viper (BlindW-RM: --reads 0.9, BlindW-RW: --reads 0.5, BlindW-WM: --reads 0.1)',
  data: 'registers',
  parameters: {
    keys: { default: 10_000, help: 'number of keys; 2,000 in Viper', range: [1, 1e9] },
    operations: { default: 8, help: 'keys per transaction', range: [1, 100_000] },
    reads: { default: 0.5, help: 'share of transactions that only read', range: [0, 1], fractional: true },
    load: { default: true, help: 'write every key once, eight in a transaction, before the sessions begin' },
  },
  keys: ({ keys }) => keys,
  prepare({ keys, operations, reads, load }) {
    const versions = new Versions();
    const draw = uniform(keys);
    const asked = (key: number, isRead: boolean): Request => readOrWrite(isRead, key, false, versions);
    return {
      load: load ? loadOf(upTo(keys), 8, (key) => asked(key, false)) : [],
      session: (_, random) => () => {
        const onlyReads = random.chance(reads);
        const chosen = distinct(draw, keys, operations, random);
        return function* (): Program {
          for (const key of chosen) yield asked(key, onlyReads);
        };
      },
    };
  },
});

function* upTo(end: number): Generator<number> {
  for (let key = 0; key < end; key++) yield key;
}
