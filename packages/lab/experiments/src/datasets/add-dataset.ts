/** Describes a history and adds it to a manifest. */
import { readDocumentAt, writeFileTo } from '@isolab/formats';
import { countKeys, countOperations, countSessions, countTransactions } from '@isolab/history';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { sha256OfListing } from '../experiment/checksum.ts';
import { filesOf } from './datasets.ts';
import { BenchError } from '../experiment/errors.ts';
import type { Dataset, ExpectedVerdict, Manifest } from './manifest.ts';
import { LOCAL_MANIFEST, datasetNamed, readManifest } from './read-manifest.ts';

export interface NewDataset {
  readonly id: string;
  readonly title?: string;
  readonly database?: string;
  readonly figure?: string;
  readonly format?: string;
  readonly expected?: readonly ExpectedVerdict[];
}

/** Adds a history: as a committed dataset if it lies in the manifest's folder, otherwise to `local.json`. */
export async function addDataset(folder: string, path: string, about: NewDataset): Promise<Dataset> {
  if (!/^[\w.@+-]+(?:\/[\w.@+-]+)*$/.test(about.id))
    throw new BenchError(`The id is ${about.id}, expected words separated by slashes, such as mine/run-1.`);
  if (datasetNamed(readManifest(folder), about.id)) throw new BenchError(`The dataset ${about.id} already exists.`);
  const dataset = await describeDataset(folder, path, about);
  const file = join(folder, dataset.source.kind === 'committed' ? 'manifest.json' : LOCAL_MANIFEST);
  const before: Manifest = existsSync(file)
    ? (JSON.parse(readFileSync(file, 'utf8')) as Manifest)
    : { version: 1, datasets: [] };
  await writeFileTo(file, manifestText({ ...before, datasets: [...before.datasets, dataset] }));
  return dataset;
}

async function describeDataset(folder: string, path: string, about: NewDataset): Promise<Dataset> {
  const document = await readDocumentAt(path, about.format === undefined ? {} : { format: about.format });
  const files = await filesOf(path);
  const directory = statSync(path).isDirectory();
  const within = relative(resolve(folder), resolve(path));
  const isWithin = within !== '' && !isAbsolute(within) && within !== '../..' && !within.startsWith(`..${sep}`);
  return {
    id: about.id,
    title: about.title ?? about.id,
    format: document.format.name,
    sha256: directory ? sha256OfListing(files) : files[0]!.sha256,
    bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    sizes: document.kind === 'history' ? sizesOf(document.history) : null,
    database: about.database ?? null,
    figure: about.figure ?? null,
    source: isWithin ? { kind: 'committed', path: within.split(sep).join('/') } : { kind: 'local', directory, files },
    expected: about.expected ?? [],
  };
}

const sizesOf = (history: Parameters<typeof countSessions>[0]) => ({
  sessions: countSessions(history),
  transactions: countTransactions(history),
  operations: countOperations(history),
  keys: countKeys(history),
});

/** Writes one line per dataset to keep diffs small. */
const manifestText = ({ datasets, ...rest }: Manifest): string => {
  const head = JSON.stringify(rest).slice(0, -1);
  return `${head},"datasets":[\n${datasets.map((dataset) => JSON.stringify(dataset)).join(',\n')}\n]}\n`;
};
