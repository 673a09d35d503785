/**
 * Explains an anomaly, a level or a word of a verdict by its name: its meaning, the smallest history, its names in the
 * literature, the levels and databases that forbid it, and the remedy. Needs no history; leaves text and plain data.
 */
import {
  type AnomalyName,
  KNOWN_LEVELS,
  LEVELS,
  type Level,
  type LevelName,
  ALL_ANOMALIES,
  CLAIM_ANOMALIES,
  INTERNAL_ANOMALY_NAMES,
  findAnomaly,
  findLevel,
  implies,
  levelsForbidding,
  weakestForbidding,
} from '@isolab/contract';
import { EXAMPLES } from './examples.ts';
import { VERDICT_WORDS } from './verdict-words.ts';
import { WITNESSES, nextStronger, nextWeaker } from '@isolab/lattice';

/** A release of a database, with its levels: their names, and the level that each claims. */
interface Release {
  readonly name: string;
  readonly title: string;
  readonly isolations: readonly { readonly name: string; readonly claims: LevelName }[];
}

/** Levels of one database, by its own names. */
export interface DatabaseLevels {
  readonly database: string;
  readonly forbid: readonly string[];
  readonly allow: readonly string[];
}

export interface Explained {
  readonly kind: 'anomaly' | 'level' | 'verdict';
  readonly name: string;
  readonly title: string;
  /** Names in the literature. */
  readonly aliases: readonly string[];
  /** For an anomaly, the weakest levels that forbid it; for a level, the next weaker levels. */
  readonly levels: readonly LevelName[];
  /** For a level, the next stronger levels. */
  readonly stronger: readonly LevelName[];
  /** For a level, the anomalies that it forbids and the next weaker levels do not all forbid. */
  readonly anomalies: readonly string[];
  /** Smallest known history with the anomaly, or that violates the level and satisfies a next weaker level. */
  readonly history: string | null;
  readonly remedy: string | null;
  readonly databases: readonly DatabaseLevels[];
}

/**
 * Explains the anomaly, the level or the word of a verdict with this name or alias, also for these databases, the newest
 * release of each first. Returns null if there is none.
 */
export function explained(word: string, releases: readonly Release[] = []): Explained | null {
  const wanted = word.toLowerCase().replaceAll(/[\s_]+/g, '-');
  const anomaly = findAnomaly(word) ?? NAMES.find(({ name }) => name.toLowerCase() === wanted) ?? byAlias(wanted);
  if (anomaly !== undefined && anomaly !== null) return ofAnomaly(anomaly.name, releases);
  const level = findLevel(word)?.level;
  if (level !== undefined) return ofLevel(level, releases);
  return Object.hasOwn(VERDICT_WORDS, wanted) ? ofVerdict(wanted as keyof typeof VERDICT_WORDS) : null;
}

const ofVerdict = (name: keyof typeof VERDICT_WORDS): Explained => ({
  kind: 'verdict',
  name,
  ...VERDICT_WORDS[name],
  aliases: [],
  levels: [],
  stronger: [],
  anomalies: [],
  history: null,
  databases: [],
});

/** Names of all anomalies, levels and words of verdicts. */
export const explainable = (): readonly string[] => [
  ...NAMES.map(({ name }) => name),
  ...KNOWN_LEVELS.map(({ name }) => name),
  ...Object.keys(VERDICT_WORDS),
];

const NAMES = [...ALL_ANOMALIES, ...CLAIM_ANOMALIES];

const byAlias = (wanted: string) => NAMES.find(({ aliases }) => aliases.some((each) => each.toLowerCase() === wanted));

function ofAnomaly(name: AnomalyName, releases: readonly Release[]): Explained {
  const { title, aliases } = NAMES.find((each) => each.name === name)!;
  const { text = null, remedy = null } = EXAMPLES[name] ?? {};
  const forbids = (level: LevelName): boolean =>
    forbidding(name).some((each) => each === level || implies(level, each));
  return {
    kind: 'anomaly',
    name,
    title,
    aliases,
    levels: weakestOf(forbidding(name)),
    stronger: [],
    anomalies: [],
    history: text,
    remedy,
    databases: forbidding(name).length === 0 ? [] : databasesBy(releases, forbids),
  };
}

/** Levels that forbid an anomaly: all levels for an internal anomaly, otherwise the weakest. */
function forbidding(name: AnomalyName): readonly LevelName[] {
  const internal = Object.entries(INTERNAL_ANOMALY_NAMES).find(([, each]) => each.name === name);
  return internal === undefined
    ? weakestForbidding(name)
    : levelsForbidding(internal[0] as keyof typeof INTERNAL_ANOMALY_NAMES);
}

const weakestOf = (levels: readonly LevelName[]): LevelName[] =>
  levels.filter((level) => isBuiltIn(level) && !levels.some((other) => other !== level && implies(level, other)));

const isBuiltIn = (level: LevelName): boolean => LEVELS.some(({ name }) => name === level);

function ofLevel({ name, summary, title, aliases }: Level, releases: readonly Release[]): Explained {
  const [levels, stronger] = [nextWeaker(name), nextStronger(name)];
  const at = (level: LevelName): Set<string> =>
    new Set(
      NAMES.filter((each) => forbidding(each.name).some((f) => f === level || implies(level, f))).map(
        (each) => each.name,
      ),
    );
  const weaker = levels.map(at);
  const reached = (satisfied: readonly LevelName[]): number => levels.filter((each) => satisfied.includes(each)).length;
  const witnesses = WITNESSES.filter(({ satisfied }) => !satisfied.includes(name) && reached(satisfied) > 0);
  const [witness] = witnesses.toSorted(
    (a, b) =>
      Number(a.text.includes('put(')) - Number(b.text.includes('put(')) ||
      reached(b.satisfied) - reached(a.satisfied) ||
      b.satisfied.length - a.satisfied.length,
  );
  return {
    kind: 'level',
    name,
    title: `${title}: ${summary}`,
    aliases,
    levels,
    stronger,
    anomalies: [...at(name)].filter((each) => !weaker.some((forbidden) => forbidden.has(each))),
    history: witness?.text ?? null,
    remedy: null,
    databases: databasesBy(releases, (claimed) => claimed === name || implies(claimed, name)),
  };
}

/** Levels of the newest release of each database. */
function databasesBy(releases: readonly Release[], forbids: (level: LevelName) => boolean): DatabaseLevels[] {
  const newest = releases.filter(({ name }, i) => releases.findIndex((other) => other.name === name) === i);
  return newest.map(({ title, isolations }) => ({
    database: title,
    forbid: isolations.filter(({ claims }) => forbids(claims)).map(({ name }) => name),
    allow: isolations.filter(({ claims }) => !forbids(claims)).map(({ name }) => name),
  }));
}
