/** Puts the folders of the shards of a hunt together, as if one machine had hunted. */
import { CollectorError } from '@isolab/collector';
import { cpSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FINDING, type Finding } from './finding.ts';
import { HuntFolder, readSettings } from './folder.ts';
import type { HuntSettings, TrialRecord } from './options.ts';
import { INTERRUPTED, type Summary, summaryOf } from './summary.ts';

export interface Merged {
  readonly summary: Summary;
  /** Numbers of the shards that are not among the folders. */
  readonly missing: readonly number[];
  readonly of: number;
  readonly findings: readonly Finding[];
}

/** Writes one folder with the trials and findings of the shards, and their summary. */
export async function mergeHunts(folders: readonly string[], to: string): Promise<Merged> {
  const parts = folders.map(partIn);
  const [first] = parts;
  if (first === undefined) throw new CollectorError('There is nothing to merge; name the folders of the shards.');
  const seen = new Map<number, string>();
  for (const { folder, settings } of parts) {
    const { index } = settings.shard;
    if (argumentsOf(settings) !== argumentsOf(first.settings))
      throw new CollectorError(`${folder} has other arguments than ${first.folder}; merge the shards of one hunt.`);
    const other = seen.get(index);
    if (other !== undefined) throw new CollectorError(`${folder} and ${other} are both shard ${index}; leave one out.`);
    seen.set(index, folder);
  }
  const { of } = first.settings.shard;
  const missing = Array.from({ length: of }, (_, i) => i + 1).filter((index) => !seen.has(index));
  const records = parts.flatMap((part) => part.records).toSorted((a, b) => a.trial - b.trial);
  const settings: HuntSettings = { ...first.settings, shard: null };
  const levels = first.summary.levels.map(({ isolation, level }) => ({ isolation, level }));
  const leftOut = [
    ...new Map(parts.flatMap((part) => part.summary.leftOut).map((one) => [JSON.stringify(one), one])).values(),
  ];
  const isInterrupted = parts.some((part) => part.summary.reason === INTERRUPTED);
  const described = { description: first.summary.description, levels, leftOut };
  const summary = withMissing(summaryOf(settings, described, records, isInterrupted), missing);
  const merged = await HuntFolder.begin(to, settings);
  try {
    for (const record of records) merged.add(record);
    await merged.summarise(summary);
  } finally {
    merged.close();
  }
  const findings = parts.flatMap(({ folder, summary: own }) =>
    own.findings.map((name) => {
      cpSync(join(folder, name), join(to, name), { recursive: true });
      return JSON.parse(readFileSync(join(folder, name, FINDING), 'utf8')) as Finding;
    }),
  );
  return { summary, missing, of, findings };
}

interface Part {
  readonly folder: string;
  readonly settings: HuntSettings & { readonly shard: NonNullable<HuntSettings['shard']> };
  readonly summary: Summary;
  readonly records: readonly TrialRecord[];
}

function partIn(folder: string): Part {
  if (!existsSync(join(folder, 'hunt.json'))) throw new CollectorError(`${folder} holds no hunt: it has no hunt.json.`);
  const { shard, ...settings } = readSettings(folder);
  if (shard === null)
    throw new CollectorError(`${folder} is a whole hunt; expected a shard, hunted with --queue 1/4 --seed SEED.`);
  const path = join(folder, 'summary.json');
  if (!existsSync(path))
    throw new CollectorError(`${folder} has no summary.json: its hunt has not ended; use --resume.`);
  const held = HuntFolder.resume(folder);
  try {
    const summary = JSON.parse(readFileSync(path, 'utf8')) as Summary;
    return { folder, settings: { ...settings, shard }, summary, records: held.records() };
  } finally {
    held.close();
  }
}

/** Arguments that all shards of a hunt have in common. */
const argumentsOf = ({ shard, ...settings }: HuntSettings): string => JSON.stringify([settings, shard?.of]);

/** Missing shards leave a hunt without findings undecided. */
const withMissing = (summary: Summary, missing: readonly number[]): Summary =>
  missing.length === 0 || summary.verdict === 'violated'
    ? summary
    : { ...summary, verdict: 'unknown', reason: `shards are missing: ${missing.join(', ')}` };
