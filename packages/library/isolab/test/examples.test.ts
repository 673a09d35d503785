import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

// docs/api.md shows these files; they run as they are, beside a history with a write skew.
const examples = fileURLToPath(new URL('../examples/', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'isolab-examples-'));
const SKEW = `{"isolab":"history","version":1,"initial":0}
{"session":"alice","begin":0,"end":20,"ops":[["r","y",0],["w","x",1]]}
{"session":"bob","begin":1,"end":19,"ops":[["r","x",0],["w","y",1]]}
`;
writeFileSync(join(folder, 'history.jsonl'), SKEW);
afterAll(() => rmSync(folder, { recursive: true }));

interface Said {
  readonly path: string;
  readonly lines: readonly string[];
  readonly error: string | null;
}

/** The examples run in one process: to start one takes longer than to run most of them. */
function runAll(paths: readonly string[]): { readonly said: readonly Said[]; readonly end: object } {
  const runner = fileURLToPath(new URL('run-examples.mjs', import.meta.url));
  const { stdout, stderr, status, signal } = spawnSync(process.execPath, [runner, ...paths], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, FORCE_COLOR: '0' },
    timeout: 300_000,
  });
  const said = stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Said);
  return { said, end: { stderr, status, signal } };
}

describe('the example of', () => {
  const names = readdirSync(examples);
  let ran: ReturnType<typeof runAll>;
  beforeAll(() => {
    ran = runAll(names.map((name) => join(examples, name)));
  });

  test.each(names)('%s prints the documented output', (name) => {
    const path = join(examples, name);
    const expected = [...readFileSync(path, 'utf8').matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)].map(
      ([, text]) => text,
    );
    expect(expected.length).toBeGreaterThan(0);
    expect(ran.said.find((one) => one.path === path)).toEqual({ path, lines: expected, error: null });
  });

  test('every function complains of nothing, and lets the process end', () => {
    expect(ran.end).toEqual({ stderr: '', status: 0, signal: null });
  });
});
