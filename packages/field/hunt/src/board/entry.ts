/** Entries of the board: one folder per finding, and one line per hunt that found nothing. */
import { CollectorError } from '@isolab/collector';
import { anomalyInWords } from '@isolab/explain';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Finding } from '../trials/finding.ts';
import type { Summary } from '../trials/summary.ts';

/** board.json: people's remarks and other programs' verdicts about a finding. */
export interface Standing {
  /** Name of the anomaly in words; the name of the violating part by default. */
  readonly title?: string;
  /** Databases of hunts without findings on the board, with the level in the database's own words. */
  readonly controls: readonly { readonly database: string; readonly isolation: string }[];
  /** Known reports of the anomaly elsewhere. */
  readonly known: readonly string[];
  /** Path, relative to this folder, of a program without isolab that shows the same anomaly, and its output. */
  readonly confirmed: { readonly program: string; readonly says: string } | null;
}

export interface Entry {
  readonly name: string;
  readonly finding: Finding;
  readonly standing: Standing;
  readonly files: readonly string[];
  /** Explanation of the finding by a person, with a title; null if there is none. */
  readonly about: string | null;
}

/** A release in the words of its address: name, version, and settings if there are any. */
export interface Release {
  readonly name: string;
  readonly version: string;
  readonly settings: string;
}

export function releaseOf({ database }: Pick<Finding, 'database'>): Release {
  const [address = '', settings = ''] = database[0]!.split('?', 2);
  const [name = '', version = ''] = address.split('@', 2);
  return { name, version, settings };
}

/** Findings of one anomaly in the releases of one database, the newest release first. */
export interface Affected {
  readonly title: string;
  /** Name of the database without its version. */
  readonly product: string;
  readonly entries: readonly Entry[];
}

/** Groups findings by database, level and anomaly; a group with the newest finding comes first. */
export function affectedBy(entries: readonly Entry[]): Affected[] {
  const groups = new Map<string, Entry[]>();
  for (const entry of entries) {
    const { name, settings } = releaseOf(entry.finding);
    const group = JSON.stringify([name, settings, entry.finding.isolation, titleOf(entry)]);
    groups.set(group, [...(groups.get(group) ?? []), entry]);
  }
  const versionOf = ({ finding }: Entry): string => releaseOf(finding).version;
  return [...groups.values()]
    .map((group) => group.toSorted((a, b) => versionOf(b).localeCompare(versionOf(a), 'en', { numeric: true })))
    .map((group) => ({ title: titleOf(group[0]!), product: productOf(group[0]!), entries: group }))
    .toSorted((a, b) => (foundAt(a) < foundAt(b) ? 1 : -1));
}

/** Time of the newest finding of a group. */
export const foundAt = ({ entries }: Affected): string =>
  entries
    .map(({ finding }) => finding.at)
    .toSorted()
    .at(-1)!;

/** Name of a finding's anomaly in words. */
export const titleOf = ({ finding, standing }: Entry): string =>
  standing.title ?? finding.title ?? (finding.anomaly === null ? 'Wrong results' : anomalyInWords(finding.anomaly));

/** For example, "MariaDB (galera)": the description up to the version, and the name of the address if it differs. */
function productOf({ finding }: Entry): string {
  const title = finding.description.replace(/\s+v?\d.*$/, '');
  const { name } = releaseOf(finding);
  return name.includes(':') || title.toLowerCase().startsWith(name.slice(0, 6)) ? title : `${title} (${name})`;
}

/**
 * Number of a hunt's histories without a verdict, and the reason. The person who adds the hunt to the board has
 * examined them.
 */
export interface Undecided {
  readonly histories: number;
  readonly why: string;
}

/** A hunt without findings, as stored on the board, with its layout and faults in words. */
export type Held = { readonly layout?: string; readonly faults?: string; readonly undecided?: Undecided } & Pick<
  Summary,
  | 'database'
  | 'description'
  | 'isolation'
  | 'level'
  | 'verdict'
  | 'trials'
  | 'committed'
  | 'seconds'
  | 'drawing'
  | 'seed'
  | 'at'
>;

/** All hunts without findings of one release at one level. */
export interface HeldTogether extends Held {
  readonly hunts: number;
  readonly seeds: readonly string[];
}

/** Totals hunts of the same database and level, in the order of the page. */
export function heldTogether(held: readonly Held[]): HeldTogether[] {
  const groups = new Map<string, HeldTogether>();
  for (const each of held) {
    const { database, description, isolation, level, layout, faults, drawing, undecided } = each;
    const name = JSON.stringify([description, database, isolation, level, layout, faults, drawing, undecided?.why]);
    const before = groups.get(name) ?? {
      ...each,
      undecided: undefined,
      trials: 0,
      committed: 0,
      seconds: 0,
      hunts: 0,
      seeds: [],
    };
    groups.set(name, {
      ...each,
      ...(undecided && {
        undecided: { ...undecided, histories: (before.undecided?.histories ?? 0) + undecided.histories },
      }),
      trials: before.trials + each.trials,
      committed: before.committed + each.committed,
      seconds: before.seconds + each.seconds,
      hunts: before.hunts + 1,
      seeds: [...before.seeds, each.seed],
    });
  }
  return [...groups].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, together]) => together);
}

export interface Board {
  readonly entries: readonly Entry[];
  readonly held: readonly Held[];
}

export const NO_STANDING: Standing = { controls: [], known: [], confirmed: null };

export function readBoard(folder: string): Board {
  const names = existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : [];
  const folders = names.filter((entry) => entry.isDirectory() && existsSync(join(folder, entry.name, 'finding.json')));
  const heldPath = join(folder, HELD);
  const lines = existsSync(heldPath) ? readFileSync(heldPath, 'utf8').trim().split('\n') : [];
  return {
    entries: folders
      .map(({ name }) => readEntry(join(folder, name), name))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    held: lines.filter(Boolean).map((line) => JSON.parse(line) as Held),
  };
}

function readEntry(path: string, name: string): Entry {
  const finding = read<Finding>(join(path, 'finding.json'));
  if (finding.isolab !== 'finding') throw new CollectorError(`${path}/finding.json is not a finding of isolab hunt.`);
  const standingPath = join(path, STANDING);
  const standing = existsSync(standingPath) ? read<Standing>(standingPath) : NO_STANDING;
  const files = readdirSync(path);
  return {
    name,
    finding,
    standing,
    files,
    about: files.includes(ABOUT) ? readFileSync(join(path, ABOUT), 'utf8') : null,
  };
}

export function read<T>(path: string): T {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as T;
  } catch (error) {
    throw new CollectorError(`${path} cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

export const HELD = 'held.jsonl';
const ABOUT = 'about.md';
export const STANDING = 'board.json';
