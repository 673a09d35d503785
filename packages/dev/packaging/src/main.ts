/**
 * Writes the tarballs of all published packages to dist/ of the repository or the named folder:
 * npm run pack
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { gzipSync } from 'node:zlib';
import { stageContract, stageIsolab, stageTestkit } from './packages.ts';
import { root } from './workspace.ts';

/** The order matters: the last one includes the tarballs of the others. */
const STAGES = { 'isolab-contract': stageContract, 'isolab-testkit': stageTestkit, isolab: stageIsolab };

interface Packed {
  readonly filename: string;
  readonly size: number;
  readonly unpackedSize: number;
  readonly entryCount: number;
}

const target = path.resolve(process.argv[2] ?? path.join(root, 'dist'));
mkdirSync(target, { recursive: true });
const MOST_BYTES = 64e6;
const packed: Packed[] = [];
for (const [name, stage] of Object.entries(STAGES)) {
  const folder = path.join(target, 'staged', name);
  await stage(folder);
  if (name === 'isolab') addPacked(path.join(folder, 'template/packed'));
  // npm is a script on Windows, which only a shell can start.
  const said = execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--loglevel=error', folder], {
    cwd: target,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  packed.push(...(JSON.parse(said) as Packed[]).map(sorted));
}
for (const { filename, size, unpackedSize, entryCount } of packed) {
  const kilobytes = (bytes: number): string => `${Math.round(bytes / 1000)} kB`;
  process.stdout.write(
    `${path.join(target, filename)}  ${kilobytes(size)}, ${kilobytes(unpackedSize)} in ${entryCount} files\n`,
  );
}

/** Packs the files by their folders, where neighbours resemble each other: npm's order takes one per cent more. */
function sorted(made: Packed): Packed {
  if (process.platform === 'win32') return made; // without a tar that sorts
  const files = path.join(target, 'sorted');
  const tarball = path.join(target, made.filename);
  mkdirSync(files, { recursive: true });
  execFileSync('tar', ['-xzf', tarball, '-C', files]);
  const names = execFileSync('tar', ['-tzf', tarball], { encoding: 'utf8' }).trim().split('\n').toSorted();
  const list = path.join(target, 'sorted.txt');
  writeFileSync(list, `${names.join('\n')}\n`);
  const owner = ['--owner=0', '--group=0', '--numeric-owner'];
  const tar = execFileSync('tar', ['-cf', '-', ...owner, '-C', files, '-T', list], { maxBuffer: MOST_BYTES });
  writeFileSync(tarball, gzipSync(tar, { level: 9 }));
  for (const temporary of [files, list]) rmSync(temporary, { recursive: true });
  return { ...made, size: statSync(tarball).size };
}

/**
 * Adds the dependencies of a plug-in's tests to isolab's own tarball: `isolab new checker --package` then needs no
 * registry.
 */
function addPacked(folder: string): void {
  mkdirSync(folder, { recursive: true });
  const { filename } = packed.find((each) => each.filename.startsWith('isolab-testkit'))!;
  copyFileSync(path.join(target, filename), path.join(folder, 'isolab-testkit.tgz'));
}
