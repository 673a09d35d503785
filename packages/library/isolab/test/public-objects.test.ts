import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { inputOfBytes, readOperationsFrom } from '@isolab/formats';
import { unless } from '@isolab/needs';
import { describe, expect, test } from 'vitest';
import { checkOperations } from '../src/objects.ts';

/** A folder of bare clones, `OWNER+NAME/repo` or `OWNER/NAME.git`. */
const mirrors = process.env['ISOLAB_MIRRORS'] ?? '';
const cloneOf = (owner: string, name: string): string | null =>
  [join(mirrors, `${owner}+${name}`, 'repo'), join(mirrors, owner, `${name}.git`)].find(
    (folder) => mirrors !== '' && existsSync(folder),
  ) ?? null;

/** Histories in folders called good and bad, under a folder that is called as their model is. */
const filesOf = (clone: string, under: string): string[] =>
  execFileSync('git', ['-C', clone, 'ls-tree', '-r', '--name-only', 'HEAD', under], { encoding: 'utf8' })
    .split('\n')
    .filter((file) => /\/(good|bad)\/.*\.(edn|json)$/.test(file));

const contentOf = (clone: string, file: string): Uint8Array | null => {
  try {
    return execFileSync('git', ['-C', clone, 'show', `HEAD:${file}`], {
      maxBuffer: 2 ** 28,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  } catch {
    return null; // a clone need not hold its largest files
  }
};

/** Initial values of knossos' own tests, besides nil. */
const INITIAL: Readonly<Record<string, ReadonlyMap<string, number>>> = {
  'multi-register': new Map([
    [':x', 0],
    [':y', 0],
  ]),
};

/** Histories in which nothing returned: knossos takes those for valid, and isolab says that there is nothing to judge. */
const NOTHING_RETURNED = ['', '9', '10', '11'].map(
  (n) => `data/cas-register/good/mongodb-v0-ack-rollback-${n}.edn: unknown, undefined`,
);

describe.each([
  ['jepsen-io', 'knossos', 'data', 122],
  ['ligurio', 'elle-cli', 'histories/knossos', 11],
] as const)('the histories of %s/%s', (owner, name, under, number) => {
  const clone = cloneOf(owner, name);
  const files = clone === null ? [] : filesOf(clone, under);

  const skipping = unless('mirrors', clone !== null);
  test('the histories have the verdict that their folder states', skipping, async () => {
    const wrong: string[] = [];
    let judged = 0;
    for (const file of files) {
      const bytes = contentOf(clone!, file);
      if (bytes === null) continue;
      const [model, folder] = file.split('/').slice(-3) as [string, string];
      const { history } = await readOperationsFrom(inputOfBytes(file, bytes));
      const initial = INITIAL[model];
      const { verdict, certificate } = await checkOperations(history, model, {
        level: 'linearizable',
        ...(initial && { initial }),
      });
      judged++;
      const expected = folder === 'good' ? 'satisfied' : 'violated';
      if (verdict !== expected || certificate === null) wrong.push(`${file}: ${verdict}, ${certificate?.kind}`);
    }
    expect(wrong.filter((each) => !NOTHING_RETURNED.includes(each))).toEqual([]);
    // hazelcast.edn may be too large for a clone.
    expect(judged).toBeGreaterThanOrEqual(number - 1);
  });
});
