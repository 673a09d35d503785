/**
 * Writes the tarballs of all packages that are published, into dist/ of the repository or the folder that is named:
 *
 *   npm run pack
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { stageChecker, stageIsolab, stageTestkit } from './packages.ts';
import { root } from './workspace.ts';

const STAGES = { isolab: stageIsolab, 'isolab-checker': stageChecker, 'isolab-testkit': stageTestkit };

interface Packed {
  readonly filename: string;
  readonly size: number;
  readonly unpackedSize: number;
  readonly entryCount: number;
}

const target = path.resolve(process.argv[2] ?? path.join(root, 'dist'));
mkdirSync(target, { recursive: true });
const staged: string[] = [];
for (const [name, stage] of Object.entries(STAGES)) {
  const folder = path.join(target, 'staged', name);
  await stage(folder);
  staged.push(folder);
}
// npm is a shell script on Windows and can only be started through a shell there.
const packed = execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--loglevel=error', ...staged], {
  cwd: target,
  encoding: 'utf8',
  shell: process.platform === 'win32',
});
for (const { filename, size, unpackedSize, entryCount } of JSON.parse(packed) as Packed[]) {
  const kilobytes = (bytes: number): string => `${Math.round(bytes / 1000)} kB`;
  process.stdout.write(
    `${path.join(target, filename)}  ${kilobytes(size)}, ${kilobytes(unpackedSize)} in ${entryCount} files\n`,
  );
}
