/** Measures the same kernels with the code of two commits, in turn. */
import { cpSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import type { Absent, Measurement } from '../kernels/measure.ts';
import { checkOut, commitNamed, removeCheckout } from './checkout.ts';
import { outputOf } from './processes.ts';
import { type Comparison, compareRounds } from './statistics.ts';

export interface CompareOptions {
  readonly root: string;
  readonly first: string;
  /** The work tree if absent. */
  readonly second: string | undefined;
  /** Folder of compiled programs, where `kernels.js` measures kernels and prints a line of JSON per kernel. */
  readonly programs: string;
  /** Further arguments of `kernels.js`. */
  readonly words: readonly string[];
  readonly rounds: number;
  readonly signal: AbortSignal;
  readonly say: (text: string) => void;
}

export interface Compared {
  readonly comparisons: readonly Comparison[];
  /** Kernels that a commit lacks, with reasons. */
  readonly absent: readonly { readonly name: string; readonly where: string; readonly reason: string }[];
}

/** Compares two commits, and removes its files however it ends. */
export async function compareCommits(options: CompareOptions): Promise<Compared> {
  const { root, first, second, programs, signal, say } = options;
  const here = { cwd: root, signal };
  const commits = [await commitNamed(first, here), second === undefined ? null : await commitNamed(second, here)];
  const names = [first, second ?? 'the work tree'];
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'isolab-compare-')));
  try {
    const runs: string[] = [];
    for (const [index, commit] of commits.entries()) {
      if (commit === null) runs.push(join(programs, 'kernels.js'));
      else {
        say(`checking out and building ${names[index]} (${commit.slice(0, 12)}) …`);
        const checkout = join(folder, String(index));
        await checkOut(commit, checkout, here);
        runs.push(bringPrograms(programs, checkout, root));
      }
    }
    return await compareRuns(runs, names, options);
  } finally {
    rmSync(folder, { recursive: true, force: true });
    await removeCheckout(folder, root);
  }
}

/** Copies one program into both checkouts, where it finds the packages of the checkout around it. */
function bringPrograms(programs: string, checkout: string, root: string): string {
  const folder = join(checkout, 'benchmarks', 'compared');
  cpSync(programs, folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  for (const modules of [join(programs, '..', 'node_modules'), join(root, 'node_modules')]) {
    const measuring = join(modules, 'tinybench');
    if (!existsSync(measuring)) continue;
    mkdirSync(join(folder, 'node_modules'), { recursive: true });
    symlinkSync(realpathSync(measuring), join(folder, 'node_modules', 'tinybench'));
    break;
  }
  return join(folder, 'kernels.js');
}

async function compareRuns(runs: readonly string[], names: readonly string[], options: CompareOptions) {
  const { rounds, words, signal, say, root } = options;
  const times = runs.map(() => new Map<string, number[]>());
  const absent = new Map<string, Compared['absent'][0]>();
  for (let round = 0; round < rounds; round++) {
    say(`round ${round + 1} of ${rounds}`);
    // A B, B A, A B …: neither commit profits from its position.
    for (const index of round % 2 === 0 ? [0, 1] : [1, 0]) {
      const output = await outputOf(process.execPath, [runs[index]!, '--json', ...words], { cwd: root, signal });
      for (const line of output.split('\n').filter((text) => text !== '')) {
        const measured = JSON.parse(line) as Measurement | Absent;
        const { name } = measured;
        if ('reason' in measured)
          absent.set(`${index} ${name}`, { name, where: names[index]!, reason: measured.reason });
        else times[index]!.set(name, [...(times[index]!.get(name) ?? []), measured.median]);
      }
    }
  }
  const [first, second] = times as [Map<string, number[]>, Map<string, number[]>];
  const both = [...first.keys()].filter((name) => second.has(name));
  return {
    comparisons: both.map((name) => compareRounds(name, first.get(name)!, second.get(name)!)),
    absent: [...absent.values()],
  };
}
