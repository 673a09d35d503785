/** Contents of the published packages besides their code. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { type Manifest, type WorkspacePackage, isOurs, readManifest, root } from './workspace.ts';

/** The package.json of a published package: that of the workspace, without dependencies on the workspace. */
export function publishedManifest(own: Manifest, more: object): object {
  const { name, version, description, license } = own;
  const { engines } = readManifest(root);
  const gitHead = commitOfWorkspace();
  const commit = gitHead === null ? {} : { gitHead };
  const told = { name, version, description, keywords: KEYWORDS, license, type: 'module', engines };
  return { ...told, ...commit, ...origin(process.env), ...more, publishConfig: { access: 'public' } };
}

/** Returns the repository of a workflow on GitHub, which must be stated for its provenance. */
function origin({ GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: name }: NodeJS.ProcessEnv): object {
  return server && name ? { repository: { type: 'git', url: `git+${server}/${name}.git` } } : {};
}

/** Returns the commit of the workspace; null outside of a repository. */
function commitOfWorkspace(): string | null {
  const { status, stdout } = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : null;
}

const KEYWORDS = [
  'database',
  'isolation',
  'serializability',
  'snapshot-isolation',
  'transactions',
  'consistency',
  'jepsen',
];

/**
 * Third-party packages that are imported from their installed locations, with the versions that the workspace is tested
 * with.
 */
export function optionalPeers(
  packages: readonly WorkspacePackage[],
  included: readonly string[],
): { readonly peerDependencies: object; readonly peerDependenciesMeta: object } {
  const bundled = new Set(included.map((folder) => readManifest(folder).name));
  const wanted = packages
    .flatMap(({ manifest }) => Object.entries({ ...manifest.dependencies, ...manifest.peerDependencies }))
    .filter(([name]) => !isOurs(name) && !bundled.has(name) && !BUILD_TOOLS.has(name))
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return {
    peerDependencies: Object.fromEntries(
      wanted.map(([name, version]) => [name, /^\d/.test(version) ? `^${version}` : version]),
    ),
    peerDependenciesMeta: Object.fromEntries(wanted.map(([name]) => [name, { optional: true }])),
  };
}

/** Tools that build the packages and are not part of them. */
const BUILD_TOOLS: ReadonlySet<string> = new Set(['rolldown']);

/** Licences of the third-party code in a bundle. */
export function thirdPartyLicences(included: readonly string[]): string {
  const parts = included.map((folder) => {
    const { name, version, license } = readManifest(folder);
    const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
    const text = file === undefined ? `Licence: ${license}` : readFileSync(path.join(folder, file), 'utf8').trim();
    return `${name} ${version}\n\n${text}\n`;
  });
  return `This package contains parts of these packages.\n\n${parts.join(`\n${'-'.repeat(80)}\n\n`)}`;
}

export function writeJson(file: string, value: object): void {
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);
}

/** Copies the files of a folder whose names pass the test; returns their names. */
export function copyFiles(from: string, to: string, fits: (name: string) => boolean): string[] {
  if (!existsSync(from)) return [];
  const names = readdirSync(from).filter(fits);
  if (names.length > 0) mkdirSync(to, { recursive: true });
  for (const name of names) copyFileSync(path.join(from, name), path.join(to, name));
  return names;
}
