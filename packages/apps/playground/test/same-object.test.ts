import { readFileSync, readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type CheckResult, check, open } from 'isolab';
import { exampleHistories, realHistories, realHistory, unless } from '@isolab/needs';
import { describe, expect, test } from 'vitest';
import type { Answer } from '../src/worker/protocol.ts';
import { check as checkInPage } from '../src/worker/check.ts';
import { checkOf, givenOf } from './support.ts';

/** A comparison of the command line is in the tests of the cli. */
const LARGEST = 100_000;

const inRepository = exampleHistories();
const elsewhere = realHistories<{ location: string; bytes: number }>()
  .filter(({ bytes }) => bytes > 0 && bytes < LARGEST)
  .map(({ location }) => realHistory(location));

describe('the worker posts the object of the library', () => {
  test.each(inRepository)('%s', postsTheSame);

  describe('real histories', unless('datasets'), () => {
    test('many real histories are found', () => expect(elsewhere.length).toBeGreaterThan(100));
    test.each(elsewhere)('%s', postsTheSame);
  });

  async function postsTheSame(path: string): Promise<void> {
    const input = await open(path).catch(() => null);
    if (input === null) return; // meant to be refused
    // Every level of a real history may take a minute.
    const level = inRepository.includes(path) ? 'all' : 'serializable';
    const expected = await check(input, { level }).catch(() => null);
    if (expected === null) return;
    const said: Answer[] = [];
    const request = checkOf(givenOf(filesAt(path)), { level });
    await checkInPage(request, (answer) => void said.push(structuredClone(answer)));
    const posted = said.find((answer) => answer.kind === 'judged')!.result;
    expect(comparable(posted)).toEqual(comparable(expected));
  }
});

/** A file, or those of a directory, as the page is given them. */
function filesAt(path: string): File[] {
  const paths = statSync(path).isDirectory() ? readdirSync(path).map((name) => join(path, name)) : [path];
  return paths.map((each) => new File([readFileSync(each)], basename(each)));
}

/** A result without times, and without the folder that only the library knows. */
const comparable = (result: CheckResult): unknown =>
  JSON.parse(JSON.stringify(timeless(result)).replaceAll(result.path, 'PATH'));

/** The result without fields that differ from run to run. */
function timeless(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(timeless);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, part]) => (TIMES.has(name) ? [] : [[name, timeless(part)]])),
  );
}

const TIMES: ReadonlySet<string> = new Set(['ms', 'parseMs', 'wallMs', 'cpuMs', 'startMs', 'peakRssBytes']);
