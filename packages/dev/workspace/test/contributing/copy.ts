/** A copy of the tree, in which the steps of CONTRIBUTING.md are followed. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { copyFile, rm, stat, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { workspaceFolders } from '../../src/packages.ts';
import { ROOT, type Step, noLongerFits } from './steps.ts';

/** A file of JSON, as far as steps change it. */
interface Manifest {
  name: string;
  readonly version: string;
  description: string;
  readonly dependencies: Record<string, string>;
  readonly devDependencies: Record<string, string>;
  readonly nx: { readonly tags: string[] };
  references: { readonly path: string }[];
}

export class Copy {
  readonly root = mkdtempSync(path.join(tmpdir(), 'isolab-contributing-'));

  readonly #running = new Map<ChildProcess, Promise<unknown>>();

  /** Copies the work tree as tracked by git and the compiled files; links the installed packages. */
  async fill(): Promise<void> {
    const folders = workspaceFolders(ROOT);
    const files = [...trackedFiles(), ...folders.flatMap((folder) => filesIn(`${folder}/dist`))];
    for (const folder of new Set(files.map((file) => path.dirname(file))))
      mkdirSync(this.path(folder), { recursive: true });
    await Promise.all(files.map((file) => copyWithTimes(path.join(ROOT, file), this.path(file))));
    const ours = new Set(folders.map(nameOf));
    for (const within of ['.', ...folders])
      for (const name of installedIn(within))
        if (!ours.has(name)) this.#linkInstalled(`${within}/node_modules/${name}`);
    for (const folder of folders) this.link(folder);
  }

  async remove(): Promise<void> {
    for (const child of this.#running.keys()) child.kill('SIGKILL');
    await Promise.all(this.#running.values());
    // One after the other, ten thousand files take ten times as long.
    await rm(this.root, { recursive: true, force: true });
  }

  path(file: string): string {
    return path.join(this.root, file);
  }

  read(file: string): string {
    return readFileSync(this.path(file), 'utf8');
  }

  /** Writes a file that a step makes. */
  write(file: string, text: string): void {
    mkdirSync(path.dirname(this.path(file)), { recursive: true });
    writeFileSync(this.path(file), text);
  }

  /** Links a package of the workspace into node_modules, as `npm install` does. */
  link(folder: string): void {
    const { name } = JSON.parse(this.read(`${folder}/package.json`)) as Manifest;
    link(this.path(folder), this.path(`node_modules/${name}`));
  }

  #linkInstalled(folder: string): void {
    link(path.join(ROOT, folder), this.path(folder));
  }

  /** Changes a file that a step names: `from` stands there once, and becomes `to`. */
  edit(step: Step, file: string, from: string, to: string): void {
    const text = this.#named(step, file);
    const times = text.split(from).length - 1;
    if (times !== 1) noLongerFits(step, `${file} has this text ${times} times; expected is once:\n${from}`);
    this.write(
      file,
      text.replace(from, () => to),
    );
  }

  /** Edits a file of JSON. */
  editJson(step: Step, file: string, change: (value: Manifest) => void): void {
    const value = JSON.parse(this.#named(step, file)) as Manifest;
    change(value);
    this.write(file, `${JSON.stringify(value, null, 2)}\n`);
  }

  #named(step: Step, file: string): string {
    if (!step.text.includes(path.posix.basename(file))) noLongerFits(step, `It does not name ${file}.`);
    if (!existsSync(this.path(file))) noLongerFits(step, `There is no ${file}.`);
    return this.read(file);
  }

  build(): Promise<string> {
    return this.node(['node_modules/typescript/bin/tsc', '-b', 'packages']);
  }

  /** Runs files of tests of a package. */
  test(folder: string, ...files: readonly string[]): Promise<string> {
    const config = this.path('packages/dev/workspace/vitest.config.mjs');
    const vitest = this.path('node_modules/vitest/vitest.mjs');
    return this.node([vitest, 'run', '--config', config, '--root', '.', ...files], { folder });
  }

  /** Runs a module that is given as text. */
  script(text: string): Promise<string> {
    return this.node(['--input-type=module', '--eval', text]);
  }

  /** Runs Node, and returns its output. Another exit code is an error. */
  async node(words: readonly string[], { folder = '.', code = 0 } = {}): Promise<string> {
    const child = spawn(process.execPath, words, { cwd: this.path(folder), env: environment() });
    let printed = '';
    child.stdout.on('data', (text: Buffer) => (printed += text.toString()));
    child.stderr.on('data', (text: Buffer) => (printed += text.toString()));
    const closed = new Promise<number | string | null>((resolve) => {
      child.on('error', (error) => (printed += error.message));
      child.on('close', (status, signal) => resolve(status ?? signal));
    });
    this.#running.set(child, closed);
    const ended = await closed;
    this.#running.delete(child);
    if (ended !== code) throw new Error(`node ${words.join(' ')} exited with ${ended}, not ${code}:\n${printed}`);
    return printed;
  }
}

function trackedFiles(): string[] {
  const listed = execFileSync('git', ['ls-files', '-z'], { cwd: ROOT, encoding: 'utf8', maxBuffer: 1 << 26 });
  return listed.split('\0').filter((file) => file !== '' && existsSync(path.join(ROOT, file)));
}

function filesIn(folder: string): string[] {
  if (!existsSync(path.join(ROOT, folder))) return [];
  return readdirSync(path.join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const file = `${folder}/${entry.name}`;
    return entry.isDirectory() ? filesIn(file) : [file];
  });
}

/** The compiler treats a file newer than its output as changed. */
async function copyWithTimes(from: string, to: string): Promise<void> {
  await copyFile(from, to);
  const { atime, mtime } = await stat(from);
  await utimes(to, atime, mtime);
}

const nameOf = (folder: string): string =>
  (JSON.parse(readFileSync(path.join(ROOT, folder, 'package.json'), 'utf8')) as Manifest).name;

/** Names of the packages in node_modules of a folder. */
function installedIn(within: string): string[] {
  const names = (folder: string): string[] =>
    existsSync(folder) ? readdirSync(folder).filter((name) => !name.startsWith('.')) : [];
  const modules = path.join(ROOT, within, 'node_modules');
  return names(modules).flatMap((name) =>
    name.startsWith('@') ? names(path.join(modules, name)).map((inScope) => `${name}/${inScope}`) : [name],
  );
}

function link(target: string, place: string): void {
  mkdirSync(path.dirname(place), { recursive: true });
  symlinkSync(target, place, 'junction');
}

/** Environment without the variables of vitest and `npm test -- --slow`. */
const environment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^(?:ISOLAB_|VITEST|NODE_ENV$|NODE_OPTIONS$|TEST$|VITE_)/.test(name),
    ),
  );
