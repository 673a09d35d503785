import type { Random } from '@isolab/workloads';

/** JSON data that a certificate may contain. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** Changes one to three details of the data: numbers, words, parts, or the order and number of list entries. */
export function mutate(data: Json, foreign: Json, random: Random): Json {
  let mutated = data;
  for (let left = random.between(1, 3); left > 0; left--) {
    const parts = partsOf(mutated);
    const path = random.pick(parts).path;
    mutated = replaced(mutated, path, (part) => changed(part, foreign, random));
  }
  return mutated;
}

interface CertificatePart {
  readonly path: readonly (string | number)[];
  readonly data: Json;
}

function partsOf(root: Json): CertificatePart[] {
  const parts: CertificatePart[] = [{ path: [], data: root }];
  for (let i = 0; i < parts.length && parts.length < MOST_PARTS; i++) {
    const { path, data } = parts[i]!;
    if (Array.isArray(data)) for (const [at, item] of data.entries()) parts.push({ path: [...path, at], data: item });
    else if (isObject(data))
      for (const [name, value] of Object.entries(data)) parts.push({ path: [...path, name], data: value });
  }
  return parts;
}

function replaced(data: Json, [first, ...rest]: readonly (string | number)[], change: (part: Json) => Json): Json {
  if (first === undefined) return change(data);
  if (Array.isArray(data)) return data.map((item: Json, i) => (i === first ? replaced(item, rest, change) : item));
  const object = data as { readonly [name: string]: Json };
  return { ...object, [first]: replaced(object[first]!, rest, change) };
}

function changed(part: Json, foreign: Json, random: Random): Json {
  if (random.chance(0.05)) return random.pick(STRANGE);
  if (random.chance(0.15)) return random.pick(partsOf(foreign)).data;
  if (typeof part === 'number') return random.chance(0.5) ? part + random.between(-2, 2) : random.between(-2, 12);
  if (typeof part === 'boolean') return !part;
  if (typeof part === 'string') return random.pick(WORDS);
  if (Array.isArray(part)) return rearranged(part as readonly Json[], random);
  if (!isObject(part)) return random.pick(STRANGE);
  const names = Object.keys(part);
  if (names.length === 0) return part;
  const name = random.pick(names);
  if (random.chance(0.5)) return Object.fromEntries(Object.entries(part).filter(([other]) => other !== name));
  return { ...part, [random.pick(names)]: part[name]! };
}

function rearranged(list: readonly Json[], random: Random): Json {
  if (list.length === 0) return [random.between(-2, 12)];
  const i = random.below(list.length);
  const j = random.below(list.length);
  switch (random.below(4)) {
    case 0:
      return list.filter((_, at) => at !== i);
    case 1:
      return [...list.slice(0, j), list[i]!, ...list.slice(j)];
    case 2:
      return list.map((item, at) => (at === i ? list[j]! : at === j ? list[i]! : item));
    default:
      return list.toReversed();
  }
}

const isObject = (data: Json): data is { readonly [name: string]: Json } =>
  typeof data === 'object' && data !== null && !Array.isArray(data);

const STRANGE: readonly Json[] = [
  null,
  true,
  '',
  '__proto__',
  'constructor',
  -1,
  0.5,
  1e9,
  2 ** 53,
  -(2 ** 31),
  [],
  {},
  [[]],
  { kind: 'cycle' },
  { length: 3 },
];

const WORDS: readonly string[] = [
  'inspection',
  'commit-order',
  'event-order',
  'internal',
  'lists',
  'updates',
  'timestamps',
  'EXT',
  'NOCONFLICT',
  'cycle',
  'cases',
  'proof',
  'aggregates',
  'rows',
  'total',
  'candidates',
  'learned',
  'session',
  'initial',
  'read-from',
  'assumed-read',
  'real-time',
  'version',
  'overwritten',
  'overwrites',
  'assumed',
  'thin-air-read',
  'aborted-read',
  'intermediate-read',
  'future-read',
  'not-my-own-write',
  'not-my-last-write',
  'non-repeatable-read',
  'incompatible-order',
  'duplicate-elements',
  'toString',
];
const MOST_PARTS = 2000;
