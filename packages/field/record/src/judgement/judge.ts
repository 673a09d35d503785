import { type LevelName, type Story, type VerdictStatus, check, open, stories } from 'isolab';
import { rmSync } from 'node:fs';
import { adviceFor } from './advice.ts';
import { type Involved, type Meeting, involvedIn } from './involved.ts';
import { levelsIn, withoutReadsBelow, withoutReadsOfUpdates } from './parts-of-file.ts';
import { type Promising, promisingIn } from './promises.ts';
import type { Level } from '../sql/planned.ts';

/** The levels that an application may expect, weakest first, with the database's levels that prevent violations. */
const EXPECTED: readonly (readonly [Level, LevelName])[] = [
  ['repeatable read', 'snapshot-isolation'],
  ['serializable', 'serializable'],
];

export interface JudgeOptions {
  readonly timeMs?: number;
  readonly signal?: AbortSignal;
}

/** Whether the database kept its promise to the transactions of one level and of stronger levels. */
export interface Promised {
  readonly level: Level;
  readonly transactions: number;
  readonly verdict: VerdictStatus;
  readonly reason: string | null;
  readonly anomalies: readonly string[];
}

/** An anomaly in the application: transactions that would have needed a stronger level or a lock. */
export interface Trouble {
  readonly name: string;
  readonly title: string;
  readonly count: number;
  /** The database's level that would have prevented the anomaly. */
  readonly preventedBy: Level;
  /** The first occurrence in one sentence, which names its transactions as `example` does. */
  readonly summary: string;
  /** The first occurrence, ready to be drawn. */
  readonly story: Story;
  readonly example: readonly Involved[];
  readonly advice: readonly string[];
}

export interface JudgedRecording {
  /** The name of the database: `PostgreSQL`. */
  readonly database: string;
  readonly promises: readonly Promised[];
  readonly troubles: readonly Trouble[];
  /** Whether the recording is known to be serializable apart from its troubles. */
  readonly isComplete: boolean;
  readonly verdict: VerdictStatus;
}

/** Judges a recording: the database against each transaction's own level, the application against stronger levels. */
export async function judge(path: string, options: JudgeOptions = {}): Promise<JudgedRecording> {
  const promising = await promisingIn(path);
  const { counts, hasOthers } = await levelsIn(path);
  const { troubles, isComplete } = await troublesIn(path, promising, options);
  const isSerializable = isComplete && troubles.length === 0;
  const promises: Promised[] = [];
  for (const [level, transactions] of counts)
    promises.push(
      level === 'serializable' && (counts.size > 1 || hasOthers)
        ? await promisedAmongOthers(path, promising, transactions, isSerializable, options)
        : await promised(path, promising, level, transactions, [...counts.keys()], options),
    );
  const verdicts = promises.map(({ verdict }) => verdict);
  const isOpen = verdicts.includes('unknown') || counts.size === 0;
  const verdict = verdicts.includes('violated') ? 'violated' : isOpen ? 'unknown' : 'satisfied';
  return { database: promising.name, promises, troubles, isComplete: isComplete && counts.size > 0, verdict };
}

/**
 * Weaker transactions may break the view of a serializable transaction, as the manual says. Its snapshot still holds.
 */
async function promisedAmongOthers(
  path: string,
  promising: Promising,
  transactions: number,
  isSerializable: boolean,
  options: JudgeOptions,
): Promise<Promised> {
  const level = 'serializable';
  if (isSerializable) return { level, transactions, verdict: 'satisfied', reason: null, anomalies: [] };
  const reason = `${promising.name} promises it only if all transactions are serializable`;
  const all: Level[] = ['read committed', 'repeatable read'];
  const { verdict, anomalies } = await promised(path, promising, 'repeatable read', transactions, all, options);
  return { level, transactions, verdict: verdict === 'satisfied' ? 'unknown' : verdict, reason, anomalies };
}

async function promised(
  path: string,
  { promises }: Promising,
  level: Level,
  transactions: number,
  all: readonly Level[],
  options: JudgeOptions,
): Promise<Promised> {
  const part = all[0] === level ? path : await withoutReadsBelow(path, level);
  try {
    const history = await open(part);
    const result = await check(history, { level: promises[level], allowVacuous: true, ...options });
    const anomalies = result.anomalies.map(({ name, transactions: names }) => `${name} of ${names.join(' and ')}`);
    return { level, transactions, verdict: result.verdict, reason: result.reason, anomalies };
  } finally {
    if (part !== path) rmSync(part);
  }
}

interface Told {
  readonly story: Story;
  readonly preventedBy: Level;
  readonly meeting: Meeting;
}

async function troublesIn(
  path: string,
  promising: Promising,
  options: JudgeOptions,
): Promise<{ readonly troubles: readonly Trouble[]; readonly isComplete: boolean }> {
  const part = await withoutReadsOfUpdates(path);
  try {
    const told: Told[] = [];
    let isComplete = true;
    const history = await open(part);
    for (const [preventedBy, level] of EXPECTED) {
      const first = await check(history, { level, allowVacuous: true, ...options });
      if (first.verdict === 'unknown') isComplete = false;
      if (first.verdict !== 'violated') continue;
      const found = await stories(history, first, options);
      isComplete &&= found.isComplete;
      for (const story of found.stories) {
        const meeting = meetingOf(story);
        if (!told.some(({ meeting: weaker }) => [...weaker.keys()].every((line) => meeting.has(line))))
          told.push({ story, preventedBy, meeting });
      }
    }
    const meetings = told.map(({ meeting }) => meeting);
    return { troubles: counted(told, await involvedIn(path, meetings), promising), isComplete };
  } finally {
    rmSync(part, { force: true });
  }
}

const meetingOf = ({ transactions }: Story): Meeting =>
  new Map(
    transactions.flatMap(({ label, role, place }) => {
      const line = Number(/(\d+)$/.exec(place ?? '')?.[1]);
      return role !== 'context' && line > 0 ? [[line, { name: label, isInCycle: role === 'cycle' }]] : [];
    }),
  );

/** Merges anomalies that consist of the same statements, and counts them. */
function counted(told: readonly Told[], involved: readonly (readonly Involved[])[], promising: Promising): Trouble[] {
  const troubles = new Map<string, Trouble>();
  for (const [i, { story, preventedBy: weakest }] of told.entries()) {
    const name = story.anomaly?.name ?? story.title;
    const preventedBy = preventing(promising, name, weakest, involved[i]!);
    const shapes = involved[i]!.map(({ statements }) => statements.join('; ')).toSorted();
    const key = JSON.stringify([name, preventedBy, shapes]);
    const { title, summary } = story;
    const example = involved[i]!;
    const advice = adviceFor({ name, preventedBy, parties: example, refusal: promising.refusal });
    const known = troubles.get(key) ?? { name, title, preventedBy, summary, story, example, advice, count: 0 };
    troubles.set(key, { ...known, count: known.count + 1 });
  }
  return [...troubles.values()].toSorted((a, b) => b.count - a.count);
}

/** Returns the database's level that prevents an anomaly: not a level that its transactions already had. */
const preventing = (
  { preventsLostUpdates }: Promising,
  name: string,
  weakest: Level,
  met: readonly Involved[],
): Level =>
  weakest === 'repeatable read' && (name === 'lost-update' || met.some(({ level }) => level !== 'read committed'))
    ? preventsLostUpdates
    : weakest;
