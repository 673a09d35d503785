/**
 * Bundles compiled packages of the workspace. All files end up in one flat folder: a file that stood beside a module
 * and is found by its URL (the scripts of workers and processes) still does. Static imports go into the bundle,
 * third-party code too. A third-party package that is imported dynamically stays outside, and a user who needs it
 * installs it.
 */
import path from 'node:path';
import { type OutputChunk, type Plugin, type RolldownBuild, rolldown } from 'rolldown';
import { replaceCode } from './replace-code.ts';
import { isOurs, packageAround, packageName } from './workspace.ts';

export interface BundleOptions {
  /** Modules to bundle, by the name of their file. */
  readonly input: Readonly<Record<string, string>>;
  /** Target of the files. */
  readonly folder: string;
  /** Modules that are wanted together with their static imports: they become one file, `core`. */
  readonly core?: readonly string[];
  /**
   * Modules that are loaded before the core; the imports that both share are `start`, and need no loading of the core.
   */
  readonly before?: readonly string[];
  /** Modules that are loaded by themselves, in a process that should need little; their imports are `first`. */
  readonly first?: readonly string[];
  /** Packages that stay outside, although they are imported statically. */
  readonly external?: readonly string[];
  /** Texts in our modules that are to be replaced. */
  readonly replace?: Readonly<Record<string, string>>;
}

export interface Bundle {
  /** The folders of the third-party packages that are in it. */
  readonly included: readonly string[];
  /** Third-party packages that are imported where they are installed. */
  readonly optional: readonly string[];
}

export async function bundle({
  input,
  folder,
  core = [],
  before = [],
  first = [],
  external = [],
  replace = {},
}: BundleOptions): Promise<Bundle> {
  const optional = new Set<string>();
  const unused = new Set(Object.keys(replace));
  const entries = new Set(Object.values(input));
  const begin = (from: Readonly<Record<string, string>>): Promise<RolldownBuild> =>
    rolldown({
      input: { ...from },
      platform: 'node',
      plugins: [thirdParty(optional, external), ourTexts(replace, unused)],
      treeshake: { moduleSideEffects: (id) => entries.has(id) || !isOurModule(id) },
      onwarn: (warning) => {
        // Readers and writers of a format load one another lazily; in a bundle they may be one file.
        if (warning.code !== 'INEFFECTIVE_DYNAMIC_IMPORT') throw new Error(warning.message);
      },
    });
  const [ofCore, ofBefore] = [await usedBy(core, begin), await usedBy(before, begin)];
  const ofFirst = await usedBy(first, begin);
  const isIn = (id: string, there: boolean): boolean =>
    ofCore.has(id) && ofBefore.has(id) === there && !entries.has(id);
  const build = await begin(input);
  const { output } = await build.write({
    dir: folder,
    format: 'esm',
    entryFileNames: '[name].js',
    // A package's own index.js is named for the package.
    chunkFileNames: ({ name, facadeModuleId, moduleIds }) => {
      const id = facadeModuleId ?? moduleIds.at(-1);
      return `${name === 'dist' && id !== undefined ? path.basename(packageAround(id)) : name}.js`;
    },
    // Names and lines stay: the stack of an error remains readable.
    minify: 'dce-only',
    comments: { jsdoc: false },
    codeSplitting: {
      groups: [
        { name: 'first', test: (id) => ofFirst.has(id) && !entries.has(id), priority: SHARED.length + 2 },
        { name: 'start', test: (id) => isIn(id, true), priority: SHARED.length + 1 },
        { name: 'core', test: (id) => isIn(id, false), priority: SHARED.length },
        ...SHARED.map(({ name, folders }, i) => ({
          name: `shared-${name}`,
          test: (id: string) => folders.some((each) => isBelow(id, each)),
          priority: SHARED.length - 1 - i, // a group includes its imports, unless another group has them
        })),
      ],
    },
  });
  await build.close();
  if (unused.size > 0) throw new Error(`Nothing holds ${[...unused].join(', ')} any more; see src/packages.ts.`);
  const modules = output.filter((each): each is OutputChunk => each.type === 'chunk').flatMap((each) => each.moduleIds);
  const folders = new Set(modules.filter((id) => !id.startsWith('\0') && !isOurModule(id)).map(packageAround));
  return { included: [...folders].toSorted(), optional: [...optional].toSorted() };
}

const isOurModule = (id: string): boolean => !id.includes('node_modules');

/** Packages whose modules are used together; of the others, commands and drivers above all, each part is a file of its own. */
const SHARED = [
  { name: 'history', folders: ['core/history/dist'] },
  { name: 'contract', folders: ['core/contract/dist', 'proof/verifier/dist'] },
  { name: 'graph', folders: ['core/graph/dist'] },
  { name: 'solver', folders: ['core/polygraph/dist', 'core/solver/dist'] },
  { name: 'formats', folders: ['core/formats/dist'] },
  { name: 'workloads', folders: ['sources/workloads/dist'] },
  { name: 'markup', folders: ['library/story/dist/markup'] },
  { name: 'story', folders: ['library/story/dist'] },
  { name: 'figures', folders: ['lab/figures/dist'] },
  { name: 'explain', folders: ['library/explain/dist'] },
  { name: 'experiments', folders: ['lab/experiments/dist'] },
];

const isBelow = (id: string, folder: string): boolean =>
  isOurModule(id) && id.split(path.sep).join('/').includes(`/packages/${folder}/`);

/** The static imports that these modules need once unused code is left out, found by a trial. */
async function usedBy(
  modules: readonly string[],
  begin: (input: Readonly<Record<string, string>>) => Promise<RolldownBuild>,
): Promise<ReadonlySet<string>> {
  if (modules.length === 0) return new Set();
  const build = await begin(Object.fromEntries(modules.map((id, i) => [`part-${i}`, id])));
  const { output } = await build.generate({ format: 'esm' });
  await build.close();
  const chunks = new Map(output.flatMap((each) => (each.type === 'chunk' ? [[each.fileName, each]] : [])));
  const found = new Set<OutputChunk>();
  const visit = (chunk: OutputChunk | undefined): void => {
    if (chunk === undefined || found.has(chunk)) return;
    found.add(chunk);
    for (const each of chunk.imports) visit(chunks.get(each));
  };
  for (const chunk of chunks.values()) if (chunk.isEntry) visit(chunk);
  return new Set([...found].flatMap(({ moduleIds }) => moduleIds));
}

function thirdParty(optional: Set<string>, external: readonly string[]): Plugin {
  return {
    name: 'third-party',
    resolveId(specifier, importer, { kind }) {
      if (specifier === MISSING) return MISSING;
      const name = packageName(specifier);
      if (name === null || isOurs(name) || importer === undefined) return null;
      if (external.includes(name)) return { id: specifier, external: true };
      // Packages in the bundle look for others only as a favour: pg for its native twin.
      if (!isOurModule(importer)) return ABSENT.has(name) ? { id: specifier, external: true } : null;
      if (kind !== 'dynamic-import') return null;
      optional.add(name);
      return { id: specifier, external: true };
    },
    load: (id) => (id === MISSING ? MISSING_SOURCE : null),
    transform(code, id) {
      if (!isOurModule(id) || id === MISSING) return null;
      const guarded = replaceCode(code, id, /\bimport\('[^']+'\)/g, (found) => {
        const name = packageName(found.slice("import('".length, -"')".length));
        return name === null || isOurs(name) ? found : `${found}.catch(missingPackage('${name}'))`;
      });
      return guarded === code ? null : `import { missingPackage } from '${MISSING}';\n${guarded}`;
    },
  };
}

const ABSENT: ReadonlySet<string> = new Set(['pg-native']);

/** The workspace always has these packages; a tarball installs them only on request. */
const MISSING = '\0missing-package';
const MISSING_SOURCE = `
export const missingPackage = (name) => (error) => {
  if (error?.code !== 'ERR_MODULE_NOT_FOUND' || !error.message.includes("'" + name + "'")) throw error;
  const missing = new Error('This needs the package ' + name + ', which is not installed: npm install ' + name, { cause: error });
  missing.name = 'MissingPackageError';
  missing.code = error.code;
  throw missing;
};
`;

function ourTexts(replace: Readonly<Record<string, string>>, unused: Set<string>): Plugin {
  return {
    name: 'our-texts',
    transform(code, id) {
      if (!isOurModule(id)) return null;
      let changed = code;
      for (const [text, by] of Object.entries(replace)) {
        const replaced = replaceCode(changed, id, new RegExp(literally(text), 'g'), () => by);
        if (replaced !== changed) unused.delete(text);
        changed = replaced;
      }
      return changed === code ? null : changed;
    },
  };
}

const literally = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
