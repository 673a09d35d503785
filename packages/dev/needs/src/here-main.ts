/**
 * Prints the needs of tests that this machine has, one per line, as an input of nx: a test that was skipped or passed
 * runs again when they change.
 * node packages/dev/needs/dist/here-main.js [fetched]
 * With `fetched`, it also prints the engines and the programs of recorders in the cache.
 */
import { realpathSync, statSync } from 'node:fs';
import process from 'node:process';
import { inCache, placesOf } from './find.ts';
import { NEEDS, type NeedName } from './needs.ts';

/** A path, with the data that change when another release is installed there. */
function identityOf(path: string): string {
  try {
    return `${realpathSync(path)} ${statSync(path).mtimeMs}`;
  } catch {
    return path;
  }
}

const isFetched = process.argv[2] === 'fetched';
const names = (Object.keys(NEEDS) as NeedName[]).filter((name) => !('engine' in NEEDS[name]));
const lines = [
  `${process.platform} ${process.arch} user ${process.getuid?.()}`,
  ...names.map((name) => `${name}: ${placesOf(name)?.map(identityOf).join(', ') ?? 'missing'}`),
  // Variables that determine which tests run, their duration, and their device.
  ...Object.entries(process.env)
    .filter(([name]) => /^(?:ISOLAB|ISOLATIONTESTER|VK)(?:_|$)/.test(name))
    .map(([name, value]) => `${name}=${value}`)
    .toSorted(),
  ...(isFetched ? [...inCache('engines'), ...inCache('recorders')].toSorted() : []),
];
process.stdout.write(`${lines.join('\n')}\n`);
