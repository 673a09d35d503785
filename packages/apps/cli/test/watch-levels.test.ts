import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ExitCode } from '../src/terminal/exit.ts';
import { isolab } from './support/isolab.ts';
import { END, FIRST, HEADER, LOST } from './support/lost-update.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'isolab-watch-levels-'));
  path = join(folder, 'history.jsonl');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('isolab watch at levels of a user', () => {
  const levelFile = (name: string, ...lines: readonly string[]): string => {
    const file = join(folder, `${name}.lvl`);
    writeFileSync(file, `level ${name}\n${lines.join('\n')}\n`);
    return file;
  };
  const watch = (...words: readonly string[]) => isolab('watch', path, '--until', 'end', ...words);

  test('isolab watch at levels of a user decides a level equivalent to one of watch, once', async () => {
    const mine = levelFile(
      'my-causal',
      'let direct = wr | so',
      'if t2 direct+ t3 then t2 before t1',
      'co contains direct',
    );
    writeFileSync(path, HEADER + FIRST + LOST + END);
    const { code, out, err } = await watch('--level', `causal,${mine},si`);
    expect(err).toContain('my-causal has the axioms of causal, and is decided as that level');
    expect(out).toContain('1 alarm.\ncausal holds.\nsnapshot-isolation is VIOLATED.');
    expect(code).toBe(ExitCode.Violated);
  });

  test('isolab watch at levels of a user looks at everything for any other one, alarms with evidence, and says so', async () => {
    const mine = levelFile('no-lost-update', 'allows future-reads', 'for each key irreflexive rw ; ww');
    writeFileSync(path, HEADER + FIRST + LOST + END);
    const { code, out, err } = await watch('--level', `psi,${mine},causal`);
    expect(err).toContain('no-lost-update needs the whole stream in memory');
    expect(out).toContain(
      '2 alarms.\nparallel-snapshot-isolation is VIOLATED.\nno-lost-update is VIOLATED.\ncausal holds.',
    );
    expect(code).toBe(ExitCode.Violated);
    for (const [i, level] of ['psi', mine].entries()) {
      const alarm = join(`${path}.watch`, 'alarms', String(i + 1));
      const proved = await isolab(
        'verify',
        join(alarm, 'history.jsonl'),
        join(alarm, 'certificate.json'),
        '--level',
        level,
      );
      expect(proved.out).toContain('accepted');
    }
  });

  test('isolab watch at levels of a user leaves a level undecided where more came than it may keep', async () => {
    writeFileSync(path, HEADER + FIRST + LOST + END);
    const { code, out } = await watch('--level', 'psi', '--recheck', '1');
    expect(out).toContain('the level needs all lines of the stream, which are more than 1');
    expect(code).toBe(ExitCode.Unknown);
  });

  test('isolab watch at levels of a user refuses one that no checker decides', async () => {
    const mine = levelFile('mine', 'empty wr \\ ww');
    writeFileSync(path, HEADER + FIRST + END);
    const { code, err } = await watch('--level', mine, '--out', join(folder, 'kept'));
    expect(err).toContain(`${mine} cannot be watched, because no checker can decide it: `);
    expect(existsSync(join(folder, 'kept'))).toBe(false);
    expect(code).toBe(ExitCode.Failed);
  });
});
