/**
 * Counts the sizes that the rules of the code limit, in the sources of every package: lines, functions of more than 60
 * lines, files of more than 350, and circles of files and of folders.
 * npm run count [-- COMMIT] the working tree, compared with a commit
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { circlesOf, importsOfFolders } from './circles.ts';
import { importsOf } from './imports.ts';
import { longFunctionsOf } from './long-functions.ts';

interface Counts {
  readonly lines: number;
  readonly files: number;
  readonly longFunctions: number;
  readonly longFiles: number;
  readonly circles: number;
  readonly folderCircles: number;
}

const LONGEST_FUNCTION = 60;
const LONGEST_FILE = 350;

function countAt(root: string): Counts {
  const files = sourcesIn(root).map((file) => ({ file, text: readFileSync(path.join(root, file), 'utf8') }));
  const imports = new Map(
    files.map(({ file, text }) => {
      const relative = importsOf(file, text).filter(({ kind, specifier }) => kind === 'import' && specifier[0] === '.');
      return [file, relative.map(({ specifier }) => path.posix.join(path.posix.dirname(file), specifier))];
    }),
  );
  const lengths = files.map(({ text }) => text.split('\n').length - 1);
  return {
    lines: lengths.reduce((sum, length) => sum + length, 0),
    files: files.length,
    longFunctions: files.flatMap(({ file, text }) => longFunctionsOf(file, text, LONGEST_FUNCTION)).length,
    longFiles: lengths.filter((length) => length > LONGEST_FILE).length,
    circles: circlesOf(imports).length,
    folderCircles: circlesOf(importsOfFolders(imports)).length,
  };
}

/** TypeScript files below any src/ of packages/ and benchmarks/. */
function sourcesIn(root: string): string[] {
  return ['packages', 'benchmarks'].flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
      .map((file) => `${folder}/${file.replaceAll(path.sep, '/')}`)
      .filter((file) => /^(?!.*\/(?:node_modules|dist|test)\/).*\/src\/.*\.ts$/.test(file)),
  );
}

function countAtCommit(root: string, commit: string): Counts {
  const folder = mkdtempSync(path.join(tmpdir(), 'isolab-count-'));
  try {
    const archive = execFileSync('git', ['archive', commit, 'packages', 'benchmarks'], {
      cwd: root,
      maxBuffer: 2 ** 30,
    });
    execFileSync('tar', ['-x', '-C', folder], { input: archive });
    return countAt(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const root = path.resolve(import.meta.dirname, '../../../..');
const [commit] = process.argv.slice(2);
const now = countAt(root);
const before = commit === undefined ? undefined : countAtCommit(root, commit);
const words: Readonly<Record<keyof Counts, string>> = {
  lines: 'source lines',
  files: 'source files',
  longFunctions: `functions over ${LONGEST_FUNCTION} lines`,
  longFiles: `files over ${LONGEST_FILE} lines`,
  circles: 'circles of files',
  folderCircles: 'circles of folders',
};
for (const [key, what] of Object.entries(words) as [keyof Counts, string][]) {
  const change = before && before[key] > 0 ? ` (${((now[key] / before[key] - 1) * 100).toFixed(1)} %)` : '';
  console.log(`${what.padEnd(24)}${before ? `${before[key]} → ` : ''}${now[key]}${change}`);
}
