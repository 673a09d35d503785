/** docs/gallery.md and its pictures: bugs of real databases, and every anomaly of the named histories. */
import type { LevelName } from '@isolab/contract';
import { readDocumentAt } from '@isolab/formats';
import { NAMED_HISTORIES, type NamedHistory } from '@isolab/testkit';
import { type FaultName, findWorkload, resolveParameters, simulate } from '@isolab/workloads';
import { type Bug, REPORTS, type Simulated } from './gallery-bugs.ts';
import { type Entry, type GalleryFile, entryOf, storyOfViolation } from './gallery-entry.ts';

/** Well-known levels first: a picture is of the weakest of them that the history violates. */
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

const WEAKEST = 'Each is checked at the weakest of the well-known levels that it violates.';

const SECTIONS: readonly (readonly [prefix: string, title: string, about: string])[] = [
  ['mtc-', 'The anomalies of mini-transactions', `The fourteen of MTC’s Table 1. ${WEAKEST}`],
  ['tap-', 'Transactional anomalous patterns', `The fourteen of Plume’s Table 1. ${WEAKEST}`],
  ['list-', 'Lists', `Anomalies of lists. ${WEAKEST}`],
];

/** The page and its pictures. Without the datasets, the old text and pictures are kept. */
export async function gallery(datasets: string | undefined, before: string): Promise<GalleryFile[]> {
  const pictures: GalleryFile[] = [];
  const text: string[] = [HEAD];
  const add = (entry: Entry): void => {
    text.push(entry.text);
    pictures.push(...entry.pictures);
  };
  for (const { title, about, bugs, elsewhere } of REPORTS) {
    text.push(`## ${title}`, about);
    for (const bug of bugs) {
      const isKept = 'location' in bug.from && datasets === undefined;
      add(isKept ? { text: keptIn(before, bug.id), pictures: [] } : marked(bug.id, await entryOfBug(bug, datasets)));
    }
    const links = elsewhere.map(([what, id, why]) => `- ${what}: [${id}](gallery/${id}.svg), ${why}.`);
    if (links.length > 0) text.push(links.join('\n'));
  }
  for (const [prefix, title, about] of SECTIONS) {
    text.push(`## ${title}`, about);
    for (const named of NAMED_HISTORIES.filter(({ name }) => name.startsWith(prefix))) {
      const entry = await entryOfNamed(named);
      if (entry !== null) add(entry);
    }
  }
  return [{ path: 'gallery.md', content: `${text.join('\n\n')}\n` }, ...pictures];
}

/** Returns whether a file of the gallery is made of the datasets. */
export const isOfDatasets = (path: string): boolean =>
  REPORTS.some(({ bugs }) =>
    bugs.some(({ id, from }) => 'location' in from && new RegExp(`(^|/)${id}(-[a-z]+)?\\.svg$`).test(path)),
  );

const beginOf = (id: string): string => `<!-- ${id} -->`;
const endOf = (id: string): string => `<!-- /${id} -->`;

const marked = (id: string, { text, pictures }: Entry): Entry => ({
  text: `${beginOf(id)}\n${text}\n${endOf(id)}`,
  pictures,
});

function keptIn(page: string, id: string): string {
  const [begin, end] = [page.indexOf(beginOf(id)), page.indexOf(endOf(id))];
  if (begin < 0 || end < begin) throw new Error(`docs/gallery.md lacks ${id}; ISOLAB_DATASETS is needed to make it.`);
  return page.slice(begin, end + endOf(id).length);
}

async function entryOfBug(
  { id, title, about, level, checker, from }: Bug,
  datasets: string | undefined,
): Promise<Entry> {
  const isFile = 'location' in from;
  const history = isFile ? await fileOf(`${datasets}/${from.location}`) : simulatedHistory(from);
  const path = isFile ? from.location : `${from.workload}.jsonl`;
  const story = await storyOfViolation(path, history, level, checker);
  if (story === null) throw new Error(`${path} does not violate ${level}.`);
  const of = isFile ? ` From \`${from.location}\`.` : '';
  return entryOf(story, {
    id,
    title: `${title}: ${story.title.toLowerCase()}`,
    about: `${about}${of}`,
    places: true,
    notation: story.copies?.notation ?? '',
  });
}

async function fileOf(path: string) {
  const document = await readDocumentAt(path, { failedStatements: 'published' });
  if (document.kind === 'polygraph') throw new Error(`${path} is a polygraph.`);
  return document.history;
}

function simulatedHistory({ workload: name, settings, level, faults, aborts, transactions }: Simulated) {
  const workload = findWorkload(name)!;
  return simulate(workload, resolveParameters(workload, settings), {
    level,
    sessions: 5,
    transactions,
    seed: '1',
    faults: faults as Partial<Record<FaultName, number>>,
    aborts,
    unknowns: 0,
    retry: false,
  }).history;
}

async function entryOfNamed({ name, history, verdicts, text }: NamedHistory): Promise<Entry | null> {
  const level = LEVELS.find((one) => verdicts[one] === 'violated');
  if (level === undefined) return null;
  const story = await storyOfViolation(name, history, level);
  if (story === null) return null;
  return entryOf(story, { id: name, title: `${name.replace(/^[a-z]+-/, '')}: ${story.title}`, notation: text });
}

const HEAD = `# Gallery

This page shows violations as isolab draws and explains them. First come bugs of real databases that papers report, then the histories that every checker is tested with. To draw one of yours: \`isolab view history.jsonl page.html --level serializable\`.

In a picture, each lane is a session and each cell a transaction. The edges with numbers form a contradiction: if you follow them, each transaction comes before itself. Below the picture are the explanation and the part of the history that it is about, in the [notation](formats.md#the-formats): each line is a session, \`|\` separates transactions, \`!\` marks an aborted one and \`?\` one of unknown outcome. T1, T2 and so on are numbered for each picture.

\`npm run generate\` makes this page.`;
