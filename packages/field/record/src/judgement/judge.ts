import type { History } from '@isolab/history';
import {
  type CheckResult,
  type LevelName,
  type Opened,
  type Story,
  type VerdictStatus,
  check,
  open,
  stories,
} from 'isolab';
import { storiesAmong } from 'isolab/stories';
import { rmSync } from 'node:fs';
import { adviceFor } from './advice.ts';
import { costOf } from './cost.ts';
import { type Involved, involvedIn, linesOfStory, partiesOf } from './involved.ts';
import { type Meeting, type Stale, meetingsIn, statementsOf, writersBetween } from './meetings.ts';
import { type Overlaps, overlapsIn } from './overlaps.ts';
import { WEAK_FIRST, withoutReads, withoutReadsBelow } from './parts-of-file.ts';
import { type Promising, promiseTo, promisingIn, serializableAlone } from './promises.ts';
import type { Framework } from './remedies.ts';
import { type Versions, versionsIn } from './versions.ts';
import { originOf } from '../sql/origin.ts';
import type { Level } from '../sql/planned.ts';

/** The levels that an application may expect, weakest first, with the database's levels that prevent violations. */
const EXPECTED: readonly (readonly [Level, LevelName])[] = [
  ['repeatable read', 'snapshot-isolation'],
  ['serializable', 'serializable'],
];

export interface JudgeOptions {
  readonly timeMs?: number;
  readonly signal?: AbortSignal;
  /** The frameworks whose words the advice uses; by default, the framework that wrote the statements. */
  readonly frameworks?: readonly Framework[];
  /** Called with a sentence about the present work. */
  readonly onProgress?: (doing: string) => void;
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
  /** Number of occurrences, as docs/record.md defines them for each name. */
  readonly count: number;
  /** Effect of the occurrences on the rows, such as `items.stock: 4 decrements, only 1 counted`; null if unknown. */
  readonly cost: string | null;
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
  readonly overlaps: Overlaps;
  /** Whether the recording is known to be serializable apart from its troubles. */
  readonly isComplete: boolean;
  readonly verdict: VerdictStatus;
}

/** Returns the number of recorded transactions at each level, and whether others bypassed the proxy. */
function levelsIn({ all }: Versions): { readonly counts: ReadonlyMap<Level, number>; readonly hasOthers: boolean } {
  const counts = new Map(WEAK_FIRST.map((level) => [level, 0]));
  for (const { level } of all) if (level !== null) counts.set(level, counts.get(level)! + 1);
  const hasOthers = all.some(({ level }) => level === null);
  return { counts: new Map([...counts].filter(([, count]) => count > 0)), hasOthers };
}

interface Judging {
  readonly path: string;
  readonly whole: Opened;
  readonly promising: Promising;
  readonly options: JudgeOptions;
}

/** Judges a recording: the database against each transaction's own level, the application against stronger levels. */
export async function judge(path: string, options: JudgeOptions = {}): Promise<JudgedRecording> {
  options.onProgress?.('Reading the recording');
  const promising = await promisingIn(path);
  const versions = await versionsIn(path);
  const { counts, hasOthers } = levelsIn(versions);
  const judging: Judging = { path, whole: await open(path), promising, options };
  const { troubles, isComplete } = await troublesIn(judging, versions);
  const isSerializable = isComplete && troubles.length === 0;
  const promises: Promised[] = [];
  for (const [level, transactions] of counts) {
    options.onProgress?.(`Checking the promise of ${level.toUpperCase()}`);
    promises.push(
      level === 'serializable' && (counts.size > 1 || hasOthers)
        ? await promisedAmongOthers(judging, transactions, isSerializable)
        : await promised(judging, level, transactions, [...counts.keys()]),
    );
  }
  const verdicts = promises.map(({ verdict }) => verdict);
  const isOpen = verdicts.includes('unknown') || counts.size === 0;
  const verdict = verdicts.includes('violated') ? 'violated' : isOpen ? 'unknown' : 'satisfied';
  const overlaps = overlapsIn(versions);
  return { database: promising.name, promises, troubles, overlaps, isComplete: isComplete && counts.size > 0, verdict };
}

/**
 * In PostgreSQL, weaker transactions may break the view of a serializable transaction, as its manual says. Its snapshot
 * still holds.
 */
async function promisedAmongOthers(judging: Judging, transactions: number, isSerializable: boolean): Promise<Promised> {
  const level = 'serializable';
  if (isSerializable) return { level, transactions, verdict: 'satisfied', reason: null, anomalies: [] };
  const { whole, promising, options } = judging;
  if (promising.beside.serializable === level && whole.kind === 'history')
    return { level, transactions, ...outcomeOf(await checked(serializableAlone(whole.history), 'stated', options)) };
  const reason = `${judging.promising.name} promises it only if all transactions are serializable`;
  const all: Level[] = ['read committed', 'repeatable read'];
  const { verdict, anomalies } = await promised(judging, 'repeatable read', transactions, all);
  return { level, transactions, verdict: verdict === 'satisfied' ? 'unknown' : verdict, reason, anomalies };
}

async function promised(
  { path, whole, promising, options }: Judging,
  level: Level,
  transactions: number,
  all: readonly Level[],
): Promise<Promised> {
  const part = all[0] === level ? null : await withoutReadsBelow(path, level);
  try {
    const history = part === null ? whole : await open(part);
    return { level, transactions, ...outcomeOf(await checked(history, promiseTo(promising, level, all), options)) };
  } finally {
    if (part !== null) rmSync(part);
  }
}

const outcomeOf = ({
  verdict,
  reason,
  anomalies,
}: CheckResult): Pick<Promised, 'verdict' | 'reason' | 'anomalies'> => ({
  verdict,
  reason,
  anomalies: anomalies.map(({ name, transactions }) => `${name} of ${transactions.join(' and ')}`),
});

const checked = (history: Opened | History, level: LevelName | 'stated', { timeMs, signal }: JudgeOptions) =>
  check(history, {
    level,
    allowVacuous: true,
    ...(timeMs !== undefined && { timeMs }),
    ...(signal && { signal }),
  });

interface Told {
  readonly story: Story;
  /** The weakest level that prevents the anomaly in general. */
  readonly weakest: Level;
  readonly meetings: readonly Meeting[];
}

interface Troubles {
  readonly troubles: readonly Trouble[];
  readonly isComplete: boolean;
}

/** Describes the meetings of two transactions, then the anomalies of the recording without their outdated reads. */
async function troublesIn(judging: Judging, versions: Versions): Promise<Troubles> {
  const { meetings, stale } = meetingsIn(versions);
  const all = kindsOf(meetings, versions.shapes);
  const kinds = all.slice(0, MOST_KINDS);
  const among = storiesAmong(judging.whole);
  const told: Told[] = [];
  const untold: Stale[] = [];
  for (const [i, kind] of kinds.entries()) {
    judging.options.onProgress?.(`Telling anomaly ${i + 1} of ${kinds.length}`);
    const story = await firstStory(kind, among);
    if (story === null) untold.push(...kind.flatMap((meeting) => meeting.stale));
    else told.push({ story, weakest: kind[0]!.preventedBy, meetings: kind });
  }
  const troubles = told.map((each) =>
    troubleOf(each, partiesOf(each.story, each.meetings[0]!, versions.shapes), judging),
  );
  const rest =
    kinds.length < all.length
      ? { troubles: [], isComplete: false }
      : await restOf(
          judging,
          stale.filter((each) => !untold.includes(each)),
        );
  return {
    troubles: merged([...troubles, ...rest.troubles]).toSorted((a, b) => b.count - a.count),
    isComplete: rest.isComplete,
  };
}

/** Groups meetings by their name and the statements of their two transactions. */
function kindsOf(meetings: readonly Meeting[], shapes: ReadonlyMap<number, string>): Meeting[][] {
  const kinds = new Map<string, Meeting[]>();
  for (const meeting of meetings) {
    const statements = statementsOf(meeting, shapes).map((each) => each.map(shapeOf).join('; '));
    const key = JSON.stringify([meeting.name, meeting.name === 'write-skew' ? statements.toSorted() : statements]);
    const known = kinds.get(key);
    if (known) known.push(meeting);
    else kinds.set(key, [meeting]);
  }
  return [...kinds.values()].toSorted((a, b) => b.length - a.length);
}

/** A statement with its place in the program, without the test that ran it. */
function shapeOf(statement: string): string {
  const { sql, file } = originOf(statement);
  return `${sql} ${file ?? ''}`;
}

/** Returns the story of the first meeting that violates its level by itself. */
async function firstStory(kind: readonly Meeting[], among: ReturnType<typeof storiesAmong>): Promise<Story | null> {
  for (const meeting of kind.slice(0, MOST_TRIED)) {
    const lines = meeting.parties.map(({ line }) => line);
    const story = await among(
      EXPECTED.find(([level]) => level === meeting.preventedBy)![1],
      lines,
      writersBetween(meeting),
    );
    if (story !== null) return story;
  }
  return null;
}

const MOST_TRIED = 5;

/** Number of kinds that are explained, the most frequent first; each takes a tenth of a second in a large recording. */
const MOST_KINDS = 100;

function troubleOf(
  { story, weakest, meetings }: Told,
  example: readonly Involved[],
  { promising, options }: Judging,
): Trouble {
  const name = story.anomaly?.name ?? story.title;
  const { title, summary } = story;
  const preventedBy = preventing(promising, name, weakest, example);
  const advised = {
    name: meetings[0]?.name ?? name,
    preventedBy,
    parties: example,
    refusal: promising.refusal,
    frameworks: options.frameworks ?? null,
  };
  const [count, cost] = [Math.max(1, meetings.length), costOf(meetings)];
  return { name, title, preventedBy, summary, story, example, advice: adviceFor(advised), count, cost };
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

/** Checks the recording without the outdated reads of the meetings, and describes its other anomalies. */
async function restOf(judging: Judging, stale: readonly Stale[]): Promise<Troubles> {
  const { path, whole, options } = judging;
  options.onProgress?.('Looking for further anomalies');
  const part = stale.length === 0 ? null : await withoutReads(path, stale);
  try {
    const history = part === null ? whole : await open(part);
    const isSerializable = (await checked(history, 'serializable', options)).verdict === 'satisfied';
    if (isSerializable) return { troubles: [], isComplete: true };
    const told: (Told & { readonly lines: ReturnType<typeof linesOfStory> })[] = [];
    let isComplete = true;
    for (const [weakest, level] of EXPECTED) {
      const first = await checked(history, level, options);
      if (first.verdict === 'unknown') isComplete = false;
      if (first.verdict !== 'violated') continue;
      const found = await stories(history, first, {
        ...(options.timeMs !== undefined && { timeMs: options.timeMs }),
        ...(options.signal && { signal: options.signal }),
      });
      isComplete &&= found.isComplete;
      for (const story of found.stories) {
        const lines = linesOfStory(story);
        if (!told.some(({ lines: weaker }) => [...weaker.keys()].every((line) => lines.has(line))))
          told.push({ story, weakest, meetings: [], lines });
      }
    }
    const involved = await involvedIn(
      path,
      told.map(({ lines }) => lines),
    );
    return { troubles: told.map((each, i) => troubleOf(each, involved[i]!, judging)), isComplete };
  } finally {
    if (part !== null) rmSync(part, { force: true });
  }
}

/** Merges anomalies that consist of the same statements, and adds their counts. */
function merged(told: readonly Trouble[]): Trouble[] {
  const troubles = new Map<string, Trouble>();
  for (const trouble of told) {
    const { name, preventedBy, example } = trouble;
    const shapes = example.map(({ statements }) => statements.map(shapeOf).join('; ')).toSorted();
    const key = JSON.stringify([name, preventedBy, shapes]);
    const known = troubles.get(key);
    troubles.set(key, known ? { ...known, count: known.count + trouble.count } : trouble);
  }
  return [...troubles.values()];
}
