/** Hand-written files of the command's bundle. */

/** Loads the bundle with its V8 code cache; newly compiled code is added to the cache on request. */
export const startFile = (checkers: readonly string[]): string => `const fs = require('node:fs');
const vm = require('node:vm');

const loaded = new Map();
function load(name) {
  if (!name.startsWith('./')) return require(name);
  const there = loaded.get(name);
  if (there) return there.module.exports;
  const file = __dirname + name.slice(1);
  const kept = file + '.cache';
  const script = new vm.Script(fs.readFileSync(file, 'latin1'), {
    filename: file,
    ...(fs.existsSync(kept) && { cachedData: fs.readFileSync(kept) }),
  });
  const module = { exports: {} };
  loaded.set(name, { module, script, kept });
  script.runInThisContext()(module.exports, load, module, file, __dirname, (url) => import(url));
  return module.exports;
}

const entry = load('./part-entry.cjs');
globalThis[Symbol.for('isolab.bundle')] = { ...entry, folder: __dirname, checkers: new Set(${JSON.stringify(checkers)}) };
const keep = () => {
  for (const { script, kept } of loaded.values()) fs.writeFileSync(kept, script.createCachedData());
};
module.exports = { ...entry, keep };
if (require.main === module) entry.work();
`;

/**
 * A module that exports the bundle's module of this name; in a process or thread without the bundle, the compiled file.
 */
export const ownImport = (name: string, compiled: string, exported: readonly string[]): string => `
const bundle = globalThis[Symbol.for('isolab.bundle')];
const own = bundle ? await bundle.${name}() : await import(${JSON.stringify(compiled)});
export const { ${exported.join(', ')} } = own;
`;
