import { type SpawnSyncOptions, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../../../../', import.meta.url));

/** The one version of everything that is published. */
const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { readonly version: string };

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** A folder outside the repository with isolab installed in it from the tarball, as a user has it. */
export interface Installed {
  readonly folder: string;
  /** The tarballs by the names of their packages. */
  readonly tarballs: Readonly<Record<'isolab' | '@isolab/contract' | '@isolab/testkit', string>>;
  readonly installSeconds: number;
  isolab(...args: readonly string[]): Ended;
  /** Environment of a user's shell: nothing of the npm, nx and vitest that run this test. */
  readonly environment: NodeJS.ProcessEnv;
  run(command: string, args: readonly string[], options?: SpawnSyncOptions): Ended;
  remove(): void;
}

/** Packs the tarballs of `npm run pack`, and installs it without asking any registry: it needs no other package. */
export function packAndInstall(): Installed {
  const home = mkdtempSync(path.join(tmpdir(), 'isolab-packed-'));
  const folder = path.join(home, 'app');
  const environment = userEnvironment();
  const run = (command: string, args: readonly string[], options: SpawnSyncOptions = {}): Ended => {
    const cwd = options.cwd ?? folder;
    const env = { ...environment, ...options.env };
    const { status, stdout, stderr, error } = spawnSync(command, args, {
      timeout: 120_000,
      ...options,
      cwd,
      env,
      encoding: 'utf8',
    });
    if (error) throw error;
    return { code: status, out: stdout, err: stderr };
  };
  const insist = (ended: Ended): string => {
    if (ended.code === 0) return ended.out;
    throw new Error(`exit code ${ended.code}\n${ended.out}${ended.err}`);
  };

  mkdirSync(folder);
  writeFileSync(path.join(folder, 'package.json'), '{ "name": "app", "private": true, "type": "module" }\n');
  const tarballs = path.join(home, 'tarballs');
  insist(run(process.execPath, [fileURLToPath(new URL('../../dist/main.js', import.meta.url)), tarballs]));
  const tarball = (name: string): string => {
    const file = path.join(tarballs, `${name}-${version}.tgz`);
    statSync(file);
    return file;
  };
  const begin = performance.now();
  insist(run('npm', ['install', '--offline', '--no-audit', '--no-fund', tarball('isolab')]));
  return {
    folder,
    tarballs: {
      isolab: tarball('isolab'),
      '@isolab/contract': tarball('isolab-contract'),
      '@isolab/testkit': tarball('isolab-testkit'),
    },
    installSeconds: (performance.now() - begin) / 1000,
    environment,
    isolab: (...args) => run(path.join(folder, 'node_modules/.bin/isolab'), args),
    run,
    remove: () => rmSync(home, { recursive: true, force: true }),
  };
}

function userEnvironment(): NodeJS.ProcessEnv {
  const ours = /^(npm_|NX_|VITE|TEST$|NODE_ENV$|NODE_OPTIONS$|NODE_PATH$|INIT_CWD$|ISOLAB_|FORCE_COLOR$)/;
  const registry = /^npm_config_(registry|cache|userconfig|(https?_)?proxy|noproxy|cafile|strict_ssl|offline)$/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !ours.test(name) || registry.test(name)));
}
