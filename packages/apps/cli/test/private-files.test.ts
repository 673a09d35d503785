/** Files that hold a user's data are for their owner alone: a walk over the files of all commands. */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { unless } from '@isolab/needs';
import { describe, expect, test } from 'vitest';
import { COMMANDS } from '../src/command-list.ts';
import { workplace, write } from './support/program.ts';

const { place, ok } = workplace('private-files');
const at = place();
/** Snapshot isolation, which it also calls serializable. */
const memory = `module:${fileURLToPath(new URL('../../../field/hunt/test/fixtures/memory.mjs', import.meta.url))}`;
const few = `--db ${memory} --isolation snapshot --transactions 20 --sessions 2`;

/** Calls of each command, with the files that they make; a later one may read the files of an earlier one. */
const CALLS: Readonly<Record<string, readonly (readonly [words: string, ...made: readonly string[]])[]>> = {
  collect: [[`collect collected.jsonl ${few}`, 'collected.jsonl']],
  run: [[`run run.jsonl ${few}`, 'run.jsonl']],
  record: [
    [
      'record recorded.jsonl --output html=recorded.html --output json=recorded.json -- true',
      'recorded.jsonl',
      'recorded.html',
      'recorded.json',
    ],
  ],
  generate: [['generate rw-register generated.jsonl --transactions 5 --sessions 2', 'generated.jsonl']],
  convert: [
    ['convert generated.jsonl converted.jsonl.gz', 'converted.jsonl.gz'],
    ['convert generated.jsonl cobra --to cobra --allow-lossy', 'cobra'],
  ],
  check: [
    [`check ${ok} -l ser --certificate certificate.json`, 'certificate.json'],
    ...['json', 'html', 'svg', 'dot', 'junit', 'sarif', 'markdown', 'text'].map((form): readonly [string, string] => [
      `check bad.txt -l si --output ${form}=told.${form}`,
      `told.${form}`,
    ]),
    ['check bad.txt -l si -c weave,plume --output json=compared.json', 'compared.json'],
  ],
  explain: [
    ['explain bad.txt shrunk.jsonl -l si', 'shrunk.jsonl'],
    ['explain bad.txt view.html -l si', 'view.html'],
  ],
  predict: [['predict generated.jsonl --out predicted', 'predicted/1.jsonl']],
  watch: [['watch shrunk.jsonl --level si --until end --out watched', 'watched']],
  elle: [['elle bad.edn --model list-append --directory elle', 'elle/bad.edn.svg']],
  hunt: [[`hunt ${memory} --isolation serializable --out hunted --for 60s --queue 1/1 --seed 1`, 'hunted/finding-1']],
  'hunt merge': [['hunt merge hunted --out merged', 'merged/finding-1']],
  reproduce: [[`reproduce hunted/finding-1/shrunk.jsonl --db ${memory} --isolation serializable --out again`, 'again']],
};

/** Commands that write no user data into files, or write through the same functions as the others. */
const OTHERS = new Set(
  [
    ['stats', 'serve', 'mcp', 'verify', 'merge', 'test', 'bench diff', 'list'],
    ['hunt get', 'bench datasets', 'levels', 'new'], // nothing of a user's
    ['bench', 'bench worker', 'bench report', 'hunt board', 'hunt night'], // results to be published
    ['tour', 'hermitage'], // collect, and writeFileTo
  ].flat(),
);

describe('only the owner reads files written by', unless('posix'), () => {
  const main = fileURLToPath(new URL('../isolab.cjs', import.meta.url));
  const bad = write(join(at, 'bad.txt'), 'r(1,7,0,0)\n');
  const invoked = '{:type :invoke, :f :txn, :value [[:r :x nil]], :process 0, :index 0}';
  write(
    join(at, 'bad.edn'),
    `${invoked}\n${invoked.replace(':invoke', ':ok').replace('nil', '[7]').replace(':index 0', ':index 1')}\n`,
  );
  /** Where nothing but the program keeps files from others. */
  const isolab = (words: string, cwd: string) =>
    spawnSync('sh', ['-c', `umask 0; exec "$0" "$@"`, process.execPath, main, ...words.split(' ')], {
      cwd,
      encoding: 'utf8',
    });

  test.each(Object.entries(CALLS))('isolab %s', (_, calls) => {
    for (const [words, ...made] of calls) {
      const { stderr } = isolab(words, at);
      for (const name of made) expect(existsSync(join(at, name)), `${words}: ${stderr}`).toBe(true);
    }
    const files = readdirSync(at, { recursive: true, encoding: 'utf8' }).filter(
      (name) => !/^bad\.(?:txt|edn)$/.test(name),
    );
    const open = files.filter((name) => {
      const { mode } = statSync(join(at, name));
      return statSync(join(at, name)).isFile() && (mode & 0o077) !== 0;
    });
    expect(open).toEqual([]);
  });

  test('every page forbids itself to load or send anything', () => {
    const pages = readdirSync(at, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.html'));
    expect(pages.length).toBeGreaterThanOrEqual(3);
    const policy = `<meta http-equiv="Content-Security-Policy" content="default-src 'none';`;
    expect(pages.filter((page) => !readFileSync(join(at, page), 'utf8').includes(policy))).toEqual([]);
  });

  test('no other command', () => {
    expect(Object.keys(COMMANDS).filter((name) => !(name in CALLS) && !OTHERS.has(name))).toEqual([]);
  });

  test('a replaced file keeps its mode', () => {
    const kept = place();
    write(join(kept, 'view.html'), 'of an earlier run');
    chmodSync(join(kept, 'view.html'), 0o644);
    isolab(`explain ${bad} view.html -l si --force`, kept);
    expect(statSync(join(kept, 'view.html')).mode & 0o777).toBe(0o644);
  });
});
