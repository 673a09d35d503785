/**
 * Checks of the sources that exclude whole classes of mistakes. Each reports the file, the line and the expected code.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Violation } from './violation.ts';
import { openWritesOf } from './open-writes.ts';
import { readPackages, sourcesIn } from './packages.ts';
import { type Ring, ringOf } from './rings.ts';
import { unheardStartsOf } from './unheard-starts.ts';

/** Rings whose sources read and write a user's files. */
const SHIPPED: readonly (Ring | undefined)[] = ['sources', 'library', 'field', 'lab', 'apps'];

const FORMATS = 'packages/core/formats';
/** Makes pages from the repository's own texts, not from user input. */
const SITE = 'packages/apps/site';

/** Packages that write no user files: only servers’ files in their own folders, and results for publication. */
const WITHOUT_DATA = /^packages\/(?:sources\/engines|lab\/experiments)\//;

/** The head of every page, with its policy; and the page that a server sends with its own policy. */
const PAGES = ['packages/library/story/src/markup/page.ts', 'packages/field/watch/src/sinks/page-text.ts'];

export function checkGuards(root: string): Violation[] {
  const shipped = readPackages(root).filter(
    ({ folder }) => (SHIPPED.includes(ringOf(folder)) || folder === FORMATS) && folder !== SITE,
  );
  const sources = shipped.flatMap(({ folder }) =>
    sourcesIn(root, `${folder}/src`).flatMap((file) => violationsIn(file, readFileSync(path.join(root, file), 'utf8'))),
  );
  return [...sources, ...unlockedIn(readFileSync(path.join(root, LOCK), 'utf8'))];
}

const LOCK = 'package-lock.json';

/** Packages of a lock file that npm would install without checking their hash. */
export function unlockedIn(text: string): Violation[] {
  const { packages } = JSON.parse(text) as { packages: Readonly<Record<string, { link?: true; integrity?: string }>> };
  return Object.entries(packages)
    .filter(([place, { link, integrity }]) => place.includes('node_modules/') && !link && integrity === undefined)
    .map(([place]) => ({
      file: LOCK,
      line: text.slice(0, text.indexOf(`"${place}": {`)).split('\n').length,
      found: `${place} has no integrity`,
      expected: 'the checksum that npm view PACKAGE@VERSION dist.integrity prints',
    }));
}

function violationsIn(file: string, text: string): Violation[] {
  const at = (offset: number): Pick<Violation, 'file' | 'line'> => ({
    file,
    line: text.slice(0, offset).split('\n').length,
  });
  const unheard = unheardStartsOf(file, text).map((offset) => ({
    ...at(offset),
    found: 'a process or thread is started, but a failure to start it may go unnoticed',
    expected: 'pass it to started() of @isolab/history',
  }));
  const heads = PAGES.includes(file) ? [] : [...text.matchAll(/<html\b/g)];
  const pages = heads.map(({ index }) => ({
    ...at(index),
    found: 'a page is written that may lack a Content-Security-Policy',
    expected: `use htmlPage() of @isolab/story/markup`,
  }));
  if (WITHOUT_DATA.test(file)) return [...unheard, ...pages];
  const open = openWritesOf(file, text).map((offset) => ({
    ...at(offset),
    found: 'a file is created without stating who may read it',
    expected: 'use writeFileTo() of @isolab/formats, or give a mode: PRIVATE, or PUBLIC for a file without user data',
  }));
  return [...unheard, ...pages, ...open];
}
