/** Reads benchmarks/papers.json: for each folder of experiments, the paper that it reproduces and its citation. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PaperInfo } from '@isolab/figures';
import { BenchError } from './experiment/errors.ts';

interface Papers {
  readonly references: Readonly<Record<string, Reference>>;
  /** Folders that do not belong to a paper: their subjects and references. */
  readonly groups: Readonly<Record<string, { readonly title: string; readonly cites: readonly string[] }>>;
}

interface Reference {
  readonly title: string;
  readonly authors: readonly string[];
  readonly journal?: string;
  readonly 'collection-title'?: string;
  readonly volume?: number;
  readonly issue?: string;
  readonly number?: string;
  readonly start?: string;
  readonly end?: string;
  readonly year: number;
  readonly doi?: string;
  readonly url?: string;
}

/** Finds the paper of a folder. A folder that the file does not list has its own name as title and no citation. */
export function readPapers(folder: string): (name: string) => PaperInfo {
  const path = join(folder, 'papers.json');
  const { references, groups } = existsSync(path) ? parse(path) : { references: {}, groups: {} };
  return (name) => {
    const reference = references[name];
    if (reference !== undefined) return { title: reference.title, cites: [citationOf(reference)] };
    const group = groups[name];
    if (group === undefined) return { title: name, cites: [] };
    return {
      title: group.title,
      cites: group.cites.map((id) => {
        if (references[id] === undefined) throw new BenchError(`${path}: ${name} cites ${id}, expected a reference.`);
        return citationOf(references[id]);
      }),
    };
  };
}

function parse(path: string): Papers {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Papers;
  } catch (error) {
    throw new BenchError(`${path} is not valid JSON: ${(error as Error).message}`);
  }
}

function citationOf(reference: Reference): PaperInfo['cites'][number] {
  const { title, authors, journal, volume, issue, number, start, end, year, doi, url } = reference;
  const where = journal ?? reference['collection-title'];
  const place = [
    where,
    volume === undefined ? undefined : `${volume}${issue === undefined ? '' : `(${issue})`}`,
    number === undefined ? undefined : `article ${number}`,
    start === undefined ? undefined : `pages ${start}–${end}`,
    String(year),
  ];
  const href = doi === undefined ? url : `https://doi.org/${doi}`;
  return {
    authors: authors.join(', '),
    title,
    where: place.filter((part) => part !== undefined).join(', '),
    ...(href !== undefined && { href }),
  };
}
