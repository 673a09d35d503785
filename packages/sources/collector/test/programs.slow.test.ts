// Slow: gets and starts one release of each engine in Java and Python that no other test starts.
import { mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { ENGINES, nameOf } from '@isolab/engines';
import { expect, test } from 'vitest';
import { STARTED, expectHistory } from './programs.ts';

const folder = mkdtempSync(join(tmpdir(), 'isolab-engines-test-'));

const last = new Map(
  ENGINES.filter(({ origin }) => origin.kind === 'java' || origin.kind === 'python').map((engine) => [
    engine.name,
    nameOf(engine),
  ]),
);

const others = [...last].filter(([engine]) => !STARTED.some((name) => name.startsWith(`${engine}@`)));

test('some engines are left', () => expect(others.length).toBeGreaterThan(5));

const namesHere = (): readonly string[] => readdirSync(process.cwd(), { recursive: true }).map(String);

test.each(others.map(([, name]) => name))(
  'the engine %s serves all sessions in one process and leaves the working folder as it is',
  async (name) => {
    const before = namesHere();
    await expectHistory(name, 'list-append', join(folder, `${name}.jsonl`));
    expect(namesHere()).toEqual(before);
  },
);
