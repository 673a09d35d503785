import { ALL_ANOMALIES } from '@isolab/contract';

/** The weakest consistency models that anomalies rule out (`not`), and all stronger models (`alsoNot`), after Elle. */
export interface RuledOut {
  readonly not: readonly string[];
  readonly alsoNot: readonly string[];
}

/** The models that these anomalies rule out, under Elle's names or our registry's. */
export function consistencyModels(anomalies: readonly string[]): RuledOut {
  const present = reach(anomalies.flatMap(inElle), IMPLIED_ANOMALIES);
  const forbidding = Object.keys(PROSCRIBED).filter((model) => PROSCRIBED[model]!.some((name) => present.has(name)));
  const impossible = reach(forbidding, reversed(IMPLIED_MODELS));
  const isWeakest = (model: string): boolean =>
    [...reach([model], IMPLIED_MODELS)].every((weaker) => weaker === model || !impossible.has(weaker));
  const models = [...impossible].toSorted();
  return { not: models.filter(isWeakest), alsoNot: models.filter((model) => !isWeakest(model)) };
}

/** The given anomalies and all anomalies that imply one of them; null if a name is unknown. */
export function anomaliesImplying(names: readonly string[]): ReadonlySet<string> | null {
  if (!names.every((name) => inElle(name).length > 0)) return null;
  return reach(names.flatMap(inElle), reversed(IMPLIED_ANOMALIES));
}

export function inElle(name: string): readonly string[] {
  if (ELLE_ANOMALIES.has(name)) return [name];
  const known = ALL_ANOMALIES.find((anomaly) => anomaly.name === name || anomaly.aliases.includes(name));
  if (!known) return [];
  if (ELLE_ANOMALIES.has(known.name)) return [known.name];
  return OURS[known.name] ?? [];
}

type Implications = Readonly<Record<string, readonly string[]>>;

/** The start and all consequences of it. */
function reach(start: readonly string[], next: Implications): Set<string> {
  const reached = new Set(start);
  for (const name of reached) for (const other of next[name] ?? []) reached.add(other);
  return reached;
}

function reversed(implications: Implications): Implications {
  const turned: Record<string, string[]> = {};
  for (const [from, all] of Object.entries(implications)) for (const to of all) (turned[to] ??= []).push(from);
  return turned;
}

/** An anomaly with its suffixes: X implies X-process, which implies X-realtime. */
const suffixed = (name: string): Implications => ({
  [name]: [`${name}-process`],
  [`${name}-process`]: [`${name}-realtime`],
});

/** A kind of cycle that is a special case of others, with every suffix. */
const special = (name: string, ...of: readonly string[]): Implications =>
  Object.fromEntries(['', '-process', '-realtime'].map((suffix) => [name + suffix, of.map((other) => other + suffix)]));

const IMPLIED_ANOMALIES: Implications = merged(
  ...['G0', 'G1c', 'G1', 'G-single-item', 'G-single', 'G-nonadjacent-item', 'G-nonadjacent', 'G2-item', 'G2'].map(
    suffixed,
  ),
  special('G0', 'G1c'),
  special('G1c', 'G1'),
  special('G-single-item', 'G-single', 'G-nonadjacent-item'),
  special('G-single', 'G-nonadjacent'),
  special('G-nonadjacent-item', 'G-nonadjacent', 'G2-item'),
  special('G-nonadjacent', 'G2'),
  special('G2-item', 'G2'),
  {
    G1a: ['G1'],
    G1b: ['G1'],
    'future-read': ['G1c'],
    'incompatible-order': ['G1a'],
    'dirty-update': ['G1a'],
    'lost-update': ['G2-item'],
    'cyclic-versions': [],
    'duplicate-elements': [],
    internal: [],
  },
);

const ELLE_ANOMALIES: ReadonlySet<string> = new Set([
  ...Object.keys(IMPLIED_ANOMALIES),
  ...Object.values(IMPLIED_ANOMALIES).flat(),
]);

/** Anomalies of our registry for which Elle has another name, or one name for several. */
const OURS: Implications = {
  'thin-air-read': ['G1a'],
  'not-my-own-write': ['internal'],
  'not-my-last-write': ['internal'],
  'non-repeatable-read': ['internal'],
  'stale-read': ['G-single-realtime'],
};

function merged(...parts: readonly Implications[]): Implications {
  const all: Record<string, readonly string[]> = {};
  for (const part of parts) {
    for (const [name, others] of Object.entries(part)) all[name] = [...(all[name] ?? []), ...others];
  }
  return all;
}

const IMPLIED_MODELS: Implications = {
  'causal-cerone': ['read-atomic'],
  'consistent-view': ['cursor-stability', 'monotonic-view'],
  'cursor-stability': ['read-committed'],
  'forward-consistent-view': ['consistent-view'],
  'read-committed': ['read-uncommitted'],
  'update-serializable': ['forward-consistent-view'],
  'monotonic-atomic-view': ['read-committed'],
  'monotonic-view': ['read-committed'],
  'monotonic-snapshot-read': ['read-committed'],
  'parallel-snapshot-isolation': ['causal-cerone', 'update-atomic'],
  prefix: ['causal-cerone'],
  'read-atomic': ['monotonic-atomic-view'],
  'repeatable-read': ['cursor-stability', 'monotonic-atomic-view'],
  'update-atomic': ['read-atomic'],
  serializable: ['repeatable-read', 'update-serializable', 'snapshot-isolation', 'view-serializable'],
  'session-serializable': ['1SR'],
  'snapshot-isolation': [
    'forward-consistent-view',
    'monotonic-atomic-view',
    'monotonic-snapshot-read',
    'parallel-snapshot-isolation',
    'prefix',
  ],
  'strong-serializable': [
    'serializable',
    'linearizable',
    'snapshot-isolation',
    'strong-snapshot-isolation',
    'strong-session-serializable',
    'session-serializable',
  ],
  'strong-session-read-uncommitted': ['read-uncommitted'],
  'strong-session-read-committed': ['read-committed', 'strong-session-read-uncommitted'],
  'strong-read-uncommitted': ['strong-session-read-uncommitted'],
  'strong-read-committed': ['strong-session-read-committed', 'strong-read-uncommitted'],
  'strong-session-serializable': ['serializable', 'strong-session-snapshot-isolation'],
  'strong-session-snapshot-isolation': ['snapshot-isolation', 'strong-session-read-committed'],
  'strong-snapshot-isolation': ['strong-session-snapshot-isolation', 'strong-read-committed'],
};

/** Anomalies that each model forbids, except those forbidden by models that it implies. */
const PROSCRIBED: Implications = {
  'read-uncommitted': ['G0', 'duplicate-elements', 'cyclic-versions'],
  'read-committed': ['G1'],
  'read-atomic': ['internal', 'G1a', 'future-read'],
  'causal-cerone': ['internal', 'G1a'],
  'parallel-snapshot-isolation': ['internal', 'G1a'],
  prefix: ['internal', 'G1a'],
  'cursor-stability': ['G1', 'lost-update'],
  'monotonic-view': ['G1'],
  'monotonic-snapshot-read': ['G1'],
  'consistent-view': ['G1', 'G-single'],
  'forward-consistent-view': ['G1'],
  'update-serializable': ['G1'],
  'update-atomic': ['lost-update'],
  'repeatable-read': ['G1', 'G2-item', 'lost-update'],
  'snapshot-isolation': ['internal', 'G1', 'G-nonadjacent'],
  serializable: ['internal', 'G1', 'G2'],
  'strong-serializable': ['G1', 'G1c-realtime', 'G2-realtime'],
  'strong-session-read-uncommitted': ['G0-process'],
  'strong-session-read-committed': ['G1c-process'],
  'strong-read-uncommitted': ['G0-realtime'],
  'strong-read-committed': ['G1c-realtime'],
  'strong-session-snapshot-isolation': ['internal', 'G1-process', 'G-nonadjacent-process'],
  'strong-snapshot-isolation': ['internal', 'G1-realtime', 'G-nonadjacent-realtime'],
  'strong-session-serializable': ['G1-process', 'G2-process'],
};
