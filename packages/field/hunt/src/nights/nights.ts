/**
 * Memory of nightly hunts in a folder: nights.jsonl has a line for each night, and index.html, badge.svg and badge.json
 * show the last one. A night is satisfied only if its hunt ended and judged histories that could have shown a violation.
 */
import { CollectorError } from '@isolab/collector';
import { writeFileTo } from '@isolab/formats';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FINDING, type Finding } from '../trials/finding.ts';
import type { Summary } from '../trials/summary.ts';
import { type Night, lastAnomalies } from './night.ts';
import { badgeJson, badgeSvg, nightsPage } from './night-page.ts';

export interface Remembered {
  readonly night: Night;
  /** Anomalies that the last night with a verdict did not show. */
  readonly fresh: readonly string[];
  /** Anomalies that only the last night with a verdict showed; empty if this night has none. */
  readonly gone: readonly string[];
  readonly nights: number;
}

/** Adds the hunt in a folder to the memory, and writes its page and badges. The same hunt replaces its own line. */
export async function rememberNight(memory: string, hunt: string): Promise<Remembered> {
  const night = nightOf(hunt);
  mkdirSync(memory, { recursive: true });
  const earlier = nightsIn(join(memory, NIGHTS)).filter(({ at, seed }) => at !== night.at || seed !== night.seed);
  const nights = [...earlier, night].toSorted((a, b) => (a.at < b.at ? -1 : 1));
  const before = lastAnomalies(earlier.filter(({ at }) => at < night.at));
  const last = nights.at(-1)!;
  await writeFileTo(join(memory, NIGHTS), nights.map((each) => `${JSON.stringify(each)}\n`).join(''));
  await writeFileTo(join(memory, 'badge.json'), `${JSON.stringify(badgeJson(last))}\n`);
  await writeFileTo(join(memory, 'badge.svg'), badgeSvg(last));
  await writeFileTo(join(memory, 'index.html'), nightsPage(nights));
  const fresh = night.anomalies.filter((each) => !before.includes(each));
  const gone = night.verdict === 'unknown' ? [] : before.filter((each) => !night.anomalies.includes(each));
  return { night, fresh, gone, nights: nights.length };
}

/** Reads a hunt's result. A hunt without a summary was cut off or crashed, so its verdict is unknown. */
function nightOf(hunt: string): Night {
  const summary = summaryIn(hunt);
  if (summary === null) {
    const reason = 'the hunt did not end: its folder has no complete summary.json';
    const nothing = { seed: null, trials: 0, violated: 0, committed: 0, aborted: 0, seconds: 0, anomalies: [] };
    return { at: new Date().toISOString(), description: 'A hunt', verdict: 'unknown', reason, ...nothing };
  }
  const { at, description, seed, trials, violated, committed, aborted, seconds, findings } = summary;
  const isEmpty = summary.verdict === 'satisfied' && !(summary.satisfied > 0 && committed > 0);
  const verdict = isEmpty ? 'unknown' : summary.verdict;
  const reason = isEmpty ? 'no history could have shown a violation' : summary.reason;
  const anomalies = [...new Set(findings.map((name) => anomalyIn(join(hunt, name, FINDING))))].toSorted();
  return { at, description, verdict, reason, seed, trials, violated, committed, aborted, seconds, anomalies };
}

function summaryIn(hunt: string): Summary | null {
  try {
    const read = JSON.parse(readFileSync(join(hunt, 'summary.json'), 'utf8')) as Summary;
    return read.isolab === 'hunt summary' && ['satisfied', 'violated', 'unknown'].includes(read.verdict) ? read : null;
  } catch {
    return null;
  }
}

/** Findings of other machines of a shared hunt have no file here. */
function anomalyIn(path: string): string {
  if (!existsSync(path)) return 'a violation';
  const { anomaly, isolation } = JSON.parse(readFileSync(path, 'utf8')) as Finding;
  return `${anomaly ?? 'wrong results'} at ${isolation}`;
}

function nightsIn(path: string): Night[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
  return lines.map((line, i) => {
    try {
      const night = JSON.parse(line) as Night;
      if (typeof night.at === 'string' && Array.isArray(night.anomalies)) return night;
    } catch {
      // Reported below, like any other line that is no night.
    }
    throw new CollectorError(`${path}, line ${i + 1} is no night of isolab hunt night; restore the file or remove it.`);
  });
}

const NIGHTS = 'nights.jsonl';
