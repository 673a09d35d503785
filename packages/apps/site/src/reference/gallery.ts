/** Gallery of anomalies: bugs of real databases (gallery.json), and every anomaly of the named histories. */
import { readFileSync } from 'node:fs';
import type { LevelName } from '@isolab/contract';
import { readDocumentAt } from '@isolab/formats';
import type { History } from '@isolab/history';
import { NAMED_HISTORIES, type NamedHistory } from '@isolab/testkit';
import { type FaultName, findWorkload, resolveParameters, simulate } from '@isolab/workloads';
import { type Entry, type Picture, entryOf, storyOfViolation } from './gallery-entry.ts';

/** A chapter of gallery.json. */
interface Report {
  readonly title: string;
  readonly about: string;
  readonly bugs: readonly Bug[];
  /** Bugs that are drawn elsewhere on the page: the bug, the picture, and the reason. */
  readonly elsewhere: readonly (readonly [bug: string, picture: string, why: string])[];
}

interface Bug {
  readonly id: string;
  readonly title: string;
  readonly about: string;
  readonly level: LevelName;
  readonly checker?: string;
  /** File of the datasets (ISOLAB_DATASETS), or a history of a simulated database with a fault. */
  readonly from: { readonly location: string } | Simulated;
}

interface Simulated {
  readonly workload: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly level: 'snapshot-isolation' | 'serializable' | 'strict-serializable';
  readonly faults: Partial<Record<FaultName, number>>;
  readonly aborts: number;
  readonly transactions: number;
}

export interface Gallery {
  readonly text: string;
  readonly pictures: readonly Picture[];
}

/** Well-known levels first: a picture shows the weakest of them that the history violates. */
const LEVELS: readonly LevelName[] = [
  'cut-isolation',
  'read-committed',
  'read-atomic',
  'causal',
  'prefix',
  'snapshot-isolation',
  'serializable',
  'strict-serializable',
];

const WEAKEST = 'Each is checked at the weakest well-known level that it violates.';

const SECTIONS: readonly (readonly [prefix: string, title: string, about: string])[] = [
  ['mtc-', 'The anomalies of mini-transactions', `The fourteen of MTC’s Table 1. ${WEAKEST}`],
  ['tap-', 'Transactional anomalous patterns', `The fourteen of Plume’s Table 1. ${WEAKEST}`],
  ['list-', 'Lists', `Anomalies of lists. ${WEAKEST}`],
];

/** Box of the cards that follow. */
const CARDS = '<div class="cards">';

/** Text and pictures. Without the datasets, bugs of their histories have only a title and a description. */
export async function gallery(datasets: string | undefined): Promise<Gallery> {
  const reports = JSON.parse(readFileSync(new URL('../../gallery.json', import.meta.url), 'utf8')) as Report[];
  const chapters: Entry[] = [];
  for (const { title, about, bugs, elsewhere } of reports) {
    const links = elsewhere.map(([what, id, why]) => `- ${what}: [${id}](gallery/${id}.svg), ${why}.`);
    const cards = await Promise.all(bugs.map((bug) => entryOfBug(bug, datasets)));
    chapters.push(chapter(title, about, cards, datasets === undefined ? [] : links));
  }
  for (const [prefix, title, about] of SECTIONS) {
    const named = NAMED_HISTORIES.filter(({ name }) => name.startsWith(prefix));
    chapters.push(chapter(title, about, (await Promise.all(named.map(entriesOfNamed))).flat()));
  }
  // The gallery begins with pictures.
  const drawn = chapters.filter(({ pictures }) => pictures.length > 0);
  const all = [...drawn, ...chapters.filter((each) => !drawn.includes(each))];
  return { text: all.map(({ text }) => text).join('\n\n'), pictures: drawn.flatMap(({ pictures }) => pictures) };
}

const chapter = (title: string, about: string, cards: readonly Entry[], links: readonly string[] = []): Entry => ({
  text: [`## ${title}`, about, CARDS, ...cards.map(({ text }) => text), '</div>', links.join('\n')].join('\n\n'),
  pictures: cards.flatMap(({ pictures }) => pictures),
});

async function entryOfBug(bug: Bug, datasets: string | undefined): Promise<Entry> {
  const { id, title, about, level, checker, from } = bug;
  const isFile = 'location' in from;
  const origin = isFile ? `${about} From \`${from.location}\`.` : about;
  if (isFile && datasets === undefined)
    return { text: `### ${title}\n\n${origin} Its picture needs ISOLAB_DATASETS.`, pictures: [] };
  const history = isFile ? await historyAt(`${datasets}/${from.location}`) : simulatedHistory(from);
  const path = isFile ? from.location : `${from.workload}.jsonl`;
  const story = await storyOfViolation(path, history, level, checker);
  if (story === null) throw new Error(`${path} does not violate ${level}.`);
  return entryOf(story, {
    id,
    title: `${title}: ${story.title.toLowerCase()}`,
    about: origin,
    database: title.replace(/ v?\d.*/, ''),
    places: true,
    notation: story.copies?.notation ?? '',
  });
}

async function historyAt(path: string): Promise<History> {
  const document = await readDocumentAt(path, { failedStatements: 'published' });
  if (document.kind === 'polygraph') throw new Error(`${path} is a polygraph.`);
  return document.history;
}

function simulatedHistory({ workload: name, settings, ...options }: Simulated): History {
  const workload = findWorkload(name)!;
  const fixed = { sessions: 5, seed: '1', unknowns: 0, retry: false };
  return simulate(workload, resolveParameters(workload, settings), { ...options, ...fixed }).history;
}

async function entriesOfNamed({ name, history, verdicts, text }: NamedHistory): Promise<Entry[]> {
  const level = LEVELS.find((one) => verdicts[one] === 'violated');
  const story = level === undefined ? null : await storyOfViolation(name, history, level);
  if (story === null) return [];
  return [entryOf(story, { id: name, title: `${story.title} (${name.replace(/^[a-z]+-/, '')})`, notation: text })];
}
