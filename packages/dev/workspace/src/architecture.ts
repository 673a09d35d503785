/**
 * Checks that the packages depend on each other only along the arrows of rings.ts, and that their package.json and
 * tsconfig.build.json agree with their sources. Ready-made tools were tried first: oxlint's no-restricted-imports does
 * not see package.json, tags or relative imports that leave a package, and nx's own rule needs ESLint and a plug-in.
 *
 * Checks and their places:
 * - imports of every form, from `src/` and, with the imports allowed only in tests, from the package's other folders;
 * - relative imports that leave the package, and imports past another package's `exports`;
 * - imports of the library's insides from its skins;
 * - dependencies that package.json lacks, has for nothing, or has under the wrong heading;
 * - `node:*` in the sources of pure packages;
 * - references in tsconfig.build.json that differ from package.json, packages missing from packages/tsconfig.json;
 * - packages outside the rings, cycles of packages, and circles of the folders in a package.
 */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import path from 'node:path';
import { checkFolders } from './folders.ts';
import { type SourceFile, importsOf } from './imports.ts';
import type { Violation } from './violation.ts';
import { type Ring, allowedFromSources, allowedFromTests, isBehindLibrary, isPure, ringOf, rings } from './rings.ts';
import { type WorkspacePackage, readPackages, readRootTools } from './packages.ts';

interface Workspace {
  readonly root: string;
  readonly packages: readonly WorkspacePackage[];
  readonly byName: ReadonlyMap<string, WorkspacePackage>;
  readonly rootTools: readonly string[];
}

const sourceFile = /\.(ts|mts|cts|js|mjs|cjs)$/;
const skippedFolders = new Set(['node_modules', 'dist', 'bundle', 'fixtures']);
const solutionFile = 'packages/tsconfig.json';

export function checkArchitecture(root: string): Violation[] {
  const packages = readPackages(root);
  const byName = new Map(packages.map((each) => [each.name, each]));
  const workspace: Workspace = { root, packages, byName, rootTools: readRootTools(root) };
  return [
    ...packages.flatMap((each) => checkPackage(workspace, each)),
    ...checkSolution(workspace),
    ...checkCycles(workspace),
  ];
}

function checkPackage(workspace: Workspace, self: WorkspacePackage): Violation[] {
  const ring = ringOf(self.folder);
  if (ring === undefined) {
    const found = `${self.name} lies in ${self.folder}, which is not in a ring`;
    return [inManifest(workspace, self, '"name"', found, `expected packages/RING/NAME, a ring of ${rings.join(', ')}`)];
  }
  const files = readSources(workspace, self);
  return [
    ...files.flatMap((file) => checkFile(workspace, self, ring, file)),
    ...checkManifest(workspace, self, ring, files),
    ...checkReferences(workspace, self),
    ...checkFolders(files),
  ];
}

function checkFile(workspace: Workspace, self: WorkspacePackage, ring: Ring, file: SourceFile): Violation[] {
  const violations: Violation[] = [];
  for (const { specifier, line, kind } of file.imports) {
    if (kind !== 'import') continue;
    const problem = specifier.startsWith('.')
      ? relativeProblem(self, file, specifier)
      : isBuiltin(specifier)
        ? builtinProblem(self, file, specifier)
        : packageProblem(workspace, self, ring, file, specifier);
    if (problem) violations.push({ file: file.path, line, ...problem });
  }
  return violations;
}

type Problem = Pick<Violation, 'found' | 'expected'>;

function relativeProblem(self: WorkspacePackage, file: SourceFile, specifier: string): Problem | undefined {
  const target = path.posix.join(path.posix.dirname(file.path), specifier);
  if (!isInside(target, self.folder)) {
    return {
      found: `'${specifier}' leaves the package ${self.name}`,
      expected: 'import other packages by name',
    };
  }
  if (file.inSources && !isInside(target, `${self.folder}/src`)) {
    return { found: `'${specifier}' leaves src/`, expected: 'sources may only import sources of their own package' };
  }
  return undefined;
}

function builtinProblem({ name, folder }: WorkspacePackage, file: SourceFile, specifier: string): Problem | undefined {
  if (!file.inSources || !isPure(folder)) return undefined;
  return {
    found: `import of '${specifier}'`,
    expected: `${name} is pure: its sources may not use Node's modules`,
  };
}

function packageProblem(
  workspace: Workspace,
  self: WorkspacePackage,
  ring: Ring,
  file: SourceFile,
  specifier: string,
): Problem | undefined {
  const name = packageName(specifier);
  const target = workspace.byName.get(name);
  if (target === undefined) return thirdPartyProblem(workspace, self, file, name);
  if (target === self) {
    // Examples for readers import the package by its public name.
    if (file.path.includes('/examples/')) return undefined;
    return { found: `${self.name} imports itself by name`, expected: 'use a relative import of its sources' };
  }
  const arrow = arrowProblem(ring, target, file.inSources);
  if (arrow) return arrow;
  const targetRing = ringOf(target.folder);
  const hasLibrary = workspace.byName.has('isolab');
  if (hasLibrary && file.inSources && targetRing !== undefined && isBehindLibrary(self.name, specifier, targetRing)) {
    return {
      found: `import of '${specifier}'`,
      expected: `${self.name} is a skin: import the module from an entry of isolab`,
    };
  }
  if (!target.entries.includes(specifier)) {
    const entries = target.entries.length > 0 ? target.entries.join(', ') : 'nothing';
    return { found: `deep import of '${specifier}'`, expected: `${name} exports ${entries}` };
  }
  const declared = file.inSources ? self.dependencies : [...self.dependencies, ...self.devDependencies];
  if (declared.includes(name)) return undefined;
  const heading = file.inSources ? 'dependencies' : 'devDependencies';
  return {
    found: `import of undeclared ${name}`,
    expected: `declare it under ${heading} in ${self.folder}/package.json`,
  };
}

function thirdPartyProblem(
  { rootTools }: Workspace,
  self: WorkspacePackage,
  file: SourceFile,
  name: string,
): Problem | undefined {
  // npm hoists all packages, so an undeclared import works here and fails for a user who installs the published
  // package.
  const declared = file.inSources ? self.dependencies : [...self.dependencies, ...self.devDependencies, ...rootTools];
  if (declared.includes(name)) return undefined;
  return { found: `import of undeclared ${name}`, expected: `declare it in ${self.folder}/package.json` };
}

function arrowProblem(ring: Ring, target: WorkspacePackage, inSources: boolean): Problem | undefined {
  const targetRing = ringOf(target.folder);
  const allowed = inSources ? allowedFromSources[ring] : allowedFromTests(ring);
  // A target outside the rings is reported once, at its own location.
  if (targetRing === undefined || allowed.includes(targetRing)) return undefined;
  const where = inSources ? 'sources' : 'tests';
  return {
    found: `${where} of ring ${ring} use ${target.name} of ring ${targetRing}`,
    expected: `allowed are ${allowed.length > 0 ? allowed.join(', ') : 'no other packages'}`,
  };
}

/** Compares package.json with the files: arrows, unused dependencies, dependencies under the wrong heading. */
function checkManifest(
  workspace: Workspace,
  self: WorkspacePackage,
  ring: Ring,
  files: readonly SourceFile[],
): Violation[] {
  const usedBySources = namesIn(files.filter((file) => file.inSources));
  const usedByTests = namesIn(files.filter((file) => !file.inSources));
  const violations: Violation[] = [];
  const report = (name: string, problem: Problem): void => {
    violations.push(inManifest(workspace, self, `"${name}"`, problem.found, problem.expected));
  };

  for (const name of self.dependencies) {
    const target = workspace.byName.get(name);
    if (target === undefined) continue;
    const arrow = arrowProblem(ring, target, true);
    if (arrow) report(name, arrow);
    else if (usedBySources.has(name)) continue;
    else if (usedByTests.has(name)) {
      report(name, { found: `only tests use ${name}`, expected: 'move it to devDependencies' });
    } else report(name, { found: `nothing uses ${name}`, expected: 'remove it from dependencies' });
  }
  for (const name of self.devDependencies) {
    const target = workspace.byName.get(name);
    if (target === undefined) continue;
    const arrow = arrowProblem(ring, target, false);
    if (arrow) report(name, arrow);
    else if (!usedByTests.has(name)) {
      report(name, { found: `no test uses ${name}`, expected: 'remove it from devDependencies' });
    }
  }
  return violations;
}

/** Compares tsconfig.build.json with package.json: the sources are compiled after exactly their dependencies. */
function checkReferences({ root, byName }: Workspace, self: WorkspacePackage): Violation[] {
  const file = `${self.folder}/tsconfig.build.json`;
  if (!existsSync(path.join(root, file))) return [];
  const expected = self.dependencies
    .flatMap((name) => byName.get(name)?.folder ?? [])
    .map((folder) => `${folder}/tsconfig.build.json`);
  return compareReferences(root, file, expected, `the dependencies of ${self.folder}/package.json`);
}

/** Compares packages/tsconfig.json with the folders: one `tsc -b packages` builds everything. */
function checkSolution({ root, packages }: Workspace): Violation[] {
  const expected = packages
    .map((each) => `${each.folder}/tsconfig.build.json`)
    .filter((file) => existsSync(path.join(root, file)));
  return compareReferences(root, solutionFile, expected, 'the packages that have a tsconfig.build.json');
}

function compareReferences(root: string, file: string, expected: readonly string[], what: string): Violation[] {
  const text = readFileSync(path.join(root, file), 'utf8');
  const { references = [] } = JSON.parse(text) as { references?: { path: string }[] };
  const found = references.map((each) => path.posix.join(path.posix.dirname(file), each.path));
  const advice = `references must match ${what}`;
  return [
    ...expected
      .filter((each) => !found.includes(each))
      .map((each) => ({
        file,
        line: lineOf(text, '"references"'),
        found: `no reference to ${each}`,
        expected: advice,
      })),
    ...references
      .filter((_, index) => !expected.includes(found[index] ?? ''))
      .map((each) => ({
        file,
        line: lineOf(text, `"${each.path}"`),
        found: `reference to ${each.path}`,
        expected: advice,
      })),
  ];
}

/** Reports each cycle of packages once, at the dependency that closes it. */
function checkCycles(workspace: Workspace): Violation[] {
  const violations: Violation[] = [];
  const finished = new Set<string>();
  const visitFrom = (self: WorkspacePackage, trail: readonly WorkspacePackage[]): void => {
    if (finished.has(self.name)) return;
    for (const name of [...self.dependencies, ...self.devDependencies]) {
      const target = workspace.byName.get(name);
      if (target === undefined) continue;
      const start = [...trail, self].indexOf(target);
      if (start < 0) {
        visitFrom(target, [...trail, self]);
        continue;
      }
      const cycle = [...trail, self].slice(start).concat(target);
      const found = `a cycle of packages: ${cycle.map((each) => each.name).join(' → ')}`;
      violations.push(inManifest(workspace, self, `"${name}"`, found, 'dependencies must not lead back'));
    }
    finished.add(self.name);
  };
  for (const each of workspace.packages) visitFrom(each, []);
  return violations;
}

function readSources({ root }: Workspace, { folder }: WorkspacePackage): SourceFile[] {
  const files: SourceFile[] = [];
  const walk = (current: string): void => {
    for (const entry of readdirSync(path.join(root, current), { withFileTypes: true })) {
      const file = `${current}/${entry.name}`;
      if (entry.isDirectory()) {
        // A folder with its own package.json, such as one of programs that are copied, is not part of the package.
        const isOther = skippedFolders.has(entry.name) || existsSync(path.join(root, file, 'package.json'));
        if (!isOther) walk(file);
      } else if (sourceFile.test(entry.name)) {
        const imports = importsOf(file, readFileSync(path.join(root, file), 'utf8'));
        files.push({ path: file, inSources: isInside(file, `${folder}/src`), imports });
      }
    }
  };
  walk(folder);
  return files;
}

/** Names of packages that files import, or contain as text: a table of plug-ins to be loaded by name is a use. */
function namesIn(files: readonly SourceFile[]): Set<string> {
  return new Set(files.flatMap((file) => file.imports.map((each) => packageName(each.specifier))));
}

/** Removes the path from a specifier: `@isolab/history/src/builder.ts` → `@isolab/history` */
function packageName(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}

function isInside(file: string, folder: string): boolean {
  return file === folder || file.startsWith(`${folder}/`);
}

function inManifest(
  { root }: Workspace,
  { folder }: WorkspacePackage,
  needle: string,
  found: string,
  expected: string,
): Violation {
  const file = `${folder}/package.json`;
  return { file, line: lineOf(readFileSync(path.join(root, file), 'utf8'), needle), found, expected };
}

/** Line of the last occurrence of `needle`: dependencies come after the name and the exports. */
function lineOf(text: string, needle: string): number {
  const offset = text.lastIndexOf(needle);
  return offset < 0 ? 1 : text.slice(0, offset).split('\n').length;
}
