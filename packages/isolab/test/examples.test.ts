import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';

// docs/api.md shows these files; they run as they are, beside a history with a write skew.
const examples = fileURLToPath(new URL('../examples/', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'isolab-examples-'));
const SKEW = `{"isolab":"history","version":1,"initial":0}
{"session":"alice","begin":0,"end":20,"ops":[["r","y",0],["w","x",1]]}
{"session":"bob","begin":1,"end":19,"ops":[["r","x",0],["w","y",1]]}
`;
writeFileSync(join(folder, 'history.jsonl'), SKEW);
afterAll(() => rmSync(folder, { recursive: true }));

describe('the example of', () => {
  test.each(readdirSync(examples))('%s prints what it says', { timeout: 60_000 }, (name) => {
    const code = readFileSync(join(examples, name), 'utf8');
    const said = [...code.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)].map(([, text]) => text);
    expect(said.length).toBeGreaterThan(0);
    const { stdout, stderr, status } = spawnSync(process.execPath, [join(examples, name)], {
      cwd: folder,
      encoding: 'utf8',
      env: { ...process.env, FORCE_COLOR: '0' },
    });
    expect({ stderr, status, lines: stdout.trimEnd().split('\n') }).toEqual({ stderr: '', status: 0, lines: said });
  });
});
