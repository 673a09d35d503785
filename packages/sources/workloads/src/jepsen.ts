import {
  type KeyDistribution,
  distributionNamed,
  jepsenExponential,
  uniform,
  zipfian,
} from './workload/distributions.ts';
import { READ_ONLY, isReadOnly } from './read-only.ts';
import { type Program, Versions, defineWorkload, readOrWrite } from './workload/workload.ts';

const DISTRIBUTIONS: readonly KeyDistribution[] = [
  { name: 'exponential', title: 'P(i) ∝ base^i', draw: jepsenExponential },
  { name: 'zipfian', title: 'P(i) ∝ 1 / (i + 1)^base', draw: zipfian },
  { name: 'uniform', title: 'all equally likely', draw: uniform },
];

const ACTIVE_KEYS = {
  default: 'exponential',
  help: 'distribution of the active keys',
  choices: DISTRIBUTIONS.map(({ name }) => name),
  isDistribution: true,
} as const;

const jepsen = (name: string, title: string, lists: boolean) =>
  defineWorkload({
    name,
    title,
    source: 'Jepsen (Elle)',
    data: lists ? 'lists' : 'registers',
    parameters: {
      distribution: ACTIVE_KEYS,
      base: {
        default: 2,
        help: 'base or exponent of the exponential and zipfian distributions',
        range: [1.01, 100],
        fractional: true,
      },
      keys: { default: 10, help: 'number of keys active at a time', range: [1, 1_000_000] },
      'min-operations': { default: 1, help: 'minimum number of operations per transaction', range: [1, 100_000] },
      'max-operations': {
        default: 4,
        help: 'maximum number of operations per transaction; 8 and 16 in Viper',
        range: [1, 100_000],
      },
      'writes-per-key': {
        default: 256,
        help: 'number of writes after which a new key replaces a key',
        range: [1, 1e9],
      },
      'read-only': READ_ONLY,
    },
    prepare(parameters) {
      const versions = new Versions();
      const active = Array.from({ length: parameters.keys }, (_, i) => ({
        key: i,
        left: parameters['writes-per-key'],
      }));
      const draw = distributionNamed(parameters.distribution, DISTRIBUTIONS).draw(parameters.keys, parameters.base);
      let newest = parameters.keys - 1;
      return {
        load: [],
        session: (_, random) => () => {
          const low = parameters['min-operations'];
          const size = random.between(low, Math.max(low, parameters['max-operations']));
          const onlyReads = isReadOnly(parameters, random);
          const steps = Array.from({ length: size }, () => {
            const slot = active[draw(random)]!;
            const { key } = slot;
            const isRead = random.chance(0.5) || onlyReads;
            if (!isRead && --slot.left === 0)
              Object.assign(slot, { key: ++newest, left: parameters['writes-per-key'] });
            return { key, isRead };
          });
          return function* (): Program {
            for (const { key, isRead } of steps) yield readOrWrite(isRead, key, lists, versions);
          };
        },
      };
    },
  });

export const listAppend = jepsen('list-append', 'appends to lists, and reads of whole lists', true);
export const rwRegister = jepsen('rw-register', 'writes and reads of registers', false);
