import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HIDDEN_COLUMN, type RecordingKind, randomNumbers, randomRecording } from '@isolab/testkit';
import { Random } from '@isolab/workloads';
import { type Said, callOf } from '../suite/call.ts';
import { type Suite, reportAttempt } from '../suite/suite.ts';

/** Checks every output for histories as `isolab record` writes them, with names that are easily misread. */
export const stories: Suite = {
  name: 'stories',
  title:
    'recorded histories of rows with odd names, partial versions and a hidden column: each verdict is equal to that with plain names, its certificate is accepted, every output is written, and none shows the hidden column',
  short: 50,
  long: 100_000,
  run: async (count, seed, report) => {
    const kinds = Object.entries(KINDS);
    for (let i = 0; i < count; i++) {
      const [name, kind] = kinds[i % kinds.length]!;
      const folder = mkdtempSync(join(tmpdir(), 'isolab-stories-'));
      const random = new Random(`stories/${seed}/${i}`);
      const repeat = (): string => `  (--seed ${seed}, attempt ${i})\n${readFileSync(join(folder, HISTORY), 'utf8')}`;
      await reportAttempt(report, name, () => problemOf(folder, kind, random), repeat);
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

const KINDS: Readonly<Record<string, RecordingKind>> = {
  'rows by their keys': { pointwise: true },
  'repeated versions by their keys': { pointwise: true, repeated: true },
  scans: {},
  aggregates: { aggregates: true },
  'repeated versions': { repeated: true },
  'single operations': { single: true },
};

const LEVELS = ['read-committed-pl2', 'read-committed', 'read-atomic', 'causal', 'snapshot-isolation', 'serializable'];
const HISTORY = 'h.jsonl';
const FORMS = { json: 'check.json', markdown: 'c.md', html: 'c.html', svg: 'c.svg', dot: 'c.dot', junit: 'c.xml' };

async function problemOf(folder: string, kind: RecordingKind, random: Random): Promise<string | null> {
  const at = (name: string): string => join(folder, name);
  const seed = random.below(2 ** 31);
  writeFileSync(at(HISTORY), randomRecording(randomNumbers(seed), kind));
  writeFileSync(at('plain.jsonl'), randomRecording(randomNumbers(seed), { ...kind, plainNames: true }));
  const asked = ['--level', random.pick([...LEVELS, ...LEVELS, 'all', 'linearizable', 'strict-serializable'])];
  const limits = ['--allow-vacuous', '--allow-cut-off'];
  const told = random.pick([[], ['--shrink'], ['--find-all']]);
  const outputs = Object.entries(FORMS).flatMap(([form, file]) => ['--output', `${form}=${at(file)}`]);
  const evidence = asked[1] === 'all' ? [] : ['--certificate', at('e.json')];
  const checked = await callOf(
    ['check', at(HISTORY), ...asked, ...limits, ...told, '--output', 'text', ...outputs, ...evidence],
    random.chance(0.5),
  );
  const isViolated = checked.code === 1;
  const plain = await callOf(['check', at('plain.jsonl'), ...asked, ...limits]);
  if (plain.code !== checked.code) return `${asked[1]}: exit code ${checked.code}, with plain names ${plain.code}`;
  const calls: [name: string, said: Said][] = [
    ['check', checked],
    ['stats', await callOf(['stats', at(HISTORY)])],
  ];
  if (existsSync(at('e.json'))) {
    const verified = await callOf(['verify', at(HISTORY), at('e.json'), '--allow-vacuous']);
    if (verified.code !== 0) return `its certificate was refused: ${verified.out}${verified.err}`;
    calls.push(['verify', verified]);
  }
  if (asked[1] !== 'all')
    calls.push(['view', await callOf(['view', at(HISTORY), at('view.html'), ...asked, ...limits])]);
  if (isViolated && asked[1] !== 'all') {
    calls.push(['shrink', await callOf(['shrink', at(HISTORY), at('small.jsonl'), ...asked])]);
    const again = await callOf(['check', at('small.jsonl'), ...asked]);
    // A scan is not an operation on one key: linearizability requires only properties without an order of it.
    if (again.code !== 1 && asked[1] !== 'linearizable')
      return `shrunk, it ends with ${again.code}: ${again.out}${again.err}`;
    calls.push(['check of the shrunk history', again]);
  }
  for (const [name, { code, out, err }] of calls)
    if (code === 3) return `${name}: ${err}`;
    else if (oddIn(out + err) !== null) return `${name} prints ${oddIn(out + err)}`;
  const inputs = new Set([HISTORY, 'plain.jsonl', 'small.jsonl', 'e.json']);
  const written = readdirSync(folder).filter((name) => !inputs.has(name));
  if (isViolated && !Object.values(FORMS).every((name) => written.includes(name))) return `written: ${written.join()}`;
  for (const name of written) {
    const odd = oddIn(readFileSync(at(name), 'utf8'));
    if (odd !== null) return `${name} says ${odd}`;
  }
  return null;
}

/** Returns a text that no story may contain, with its surroundings; null if there is none. */
function oddIn(text: string): string | null {
  const found = ODD.exec(text.replaceAll(SCRIPTS, (script) => (script.includes('application/json') ? script : '')));
  return found === null ? null : text.slice(Math.max(0, found.index - 80), found.index + 80);
}

const ODD = new RegExp(`\\b${HIDDEN_COLUMN}\\b|\\bundefined\\b|\\bNaN\\b|\\[object |bug in isolab`);
const SCRIPTS = /<script[\s\S]*?<\/script>/g;
