import { readdirSync } from 'node:fs';
import path from 'node:path';
import { weave } from '@isolab/weave';
import { expect, test } from 'vitest';
import { type Opened, type OpenedHistory, openWith } from '../src/open.ts';
import { OwnThreads } from '../src/threads/threads.ts';

const EXAMPLES = path.join(import.meta.dirname, '../../../../datasets/examples');
const ALL_SIZES = { bytes: 0, operations: 0 };
const START_MS = 10_000;

const openIn = (count: number, file: string): Promise<Opened> =>
  openWith(
    file,
    {},
    { least: ALL_SIZES, load: async () => (count === 1 ? null : new OwnThreads(count, ALL_SIZES, START_MS)) },
  );

const factsOf = async (count: number, file: string) => {
  const { history, prepared } = (await openIn(count, file)) as OpenedHistory;
  const { index, internal } = prepared.inputFor(weave) as unknown as { index: object; internal: object };
  return { history, index, internal, evidence: prepared.evidence() };
};

/** Writes columns as lists, because shared columns differ from other columns in their memory. */
const written = (facts: object): string =>
  JSON.stringify(facts, (_, part: unknown) =>
    ArrayBuffer.isView(part) ? Array.from(part as Int32Array, String) : typeof part === 'bigint' ? `${part}` : part,
  );

const files = ['isolab', 'text', 'dbcop-bincode', 'jepsen-json'].flatMap((format) => {
  const folder = path.join(EXAMPLES, format);
  return readdirSync(folder).flatMap((name) => (name === 'expected.json' ? [] : [path.join(folder, name)]));
});

test.each(files)('one thread and two threads find the same facts in %s', async (file) => {
  expect(written(await factsOf(2, file))).toEqual(written(await factsOf(1, file)));
});
