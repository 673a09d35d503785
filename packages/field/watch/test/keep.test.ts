import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { DEFAULTS, keepInFolder } from '../src/index.ts';
import { fileName } from '../src/many/keep.ts';

const HEADER = '{"isolab":"history","version":1}\n';

/** The streams of a folder that a process left when it was killed, or the power failed. */
function streamsLeft(folders: Readonly<Record<string, { readonly log?: string; readonly status?: string }>>) {
  const folder = mkdtempSync(join(tmpdir(), 'isolab-keep-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, { log, status }] of Object.entries(folders)) {
    const path = join(folder, 'streams', name);
    mkdirSync(join(path, 'log'), { recursive: true });
    if (log !== undefined) writeFileSync(join(path, 'log', '000000000001.jsonl'), log);
    if (status !== undefined) writeFileSync(join(path, 'status.json'), status);
  }
  return keepInFolder(folder, { ...DEFAULTS, levels: ['serializable'] }).streams();
}

test('a stream with lines is known although its status was lost or damaged', () => {
  const left = streamsLeft({
    [fileName('a.b/ü')]: { log: HEADER },
    [fileName('')]: { log: HEADER, status: '{"nam' },
    [fileName('c')]: { log: HEADER, status: '{"name":"c"}' },
    [fileName('empty')]: { log: '' },
    [fileName('begun')]: {},
  });
  expect(left.toSorted()).toEqual(['', 'a.b/ü', 'c']);
});

test.each([fileName('x'.repeat(300)), '%zz'])('lines of a stream whose name was lost are refused: %s', (name) => {
  expect(() => streamsLeft({ [name]: { log: HEADER } })).toThrow('holds lines of a stream, but no status.json');
});
