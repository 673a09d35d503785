/**
 * The steps of a new checker, for one of PL-2 as Adya, Liskov and O'Neil define it. Its sources are fixtures; copies
 * from the nearest package and changes of others are made here.
 */
import { cpSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Copy } from './copy.ts';
import { type Step, noLongerFits, stepsOf } from './steps.ts';

export const CHECKER = 'adya';
export const FOLDER = `packages/checkers/${CHECKER}`;
const NAME = `@isolab/${CHECKER}`;
const FIXTURE = path.resolve(import.meta.dirname, '../fixtures/contributing', CHECKER);

const PACKAGE_WORDS = [
  'Copy the four files of the package that is nearest to yours',
  'Add it to the references in `packages/tsconfig.json`',
  'Run `npm install`, which links it into `node_modules`',
];
const CHECKER_WORDS = [
  'Write the package (see above)',
  'State in `info` the histories that it requires',
  'Report internal anomalies first',
  'In its tests call `describeChecker`',
  'Name it in [packages/library/isolab/src/checkers.ts]',
];

export function followChecker(copy: Copy): void {
  const ofPackage = stepsOf('A new package', PACKAGE_WORDS) as [Step, Step, Step];
  const [write, inform, report, test, name] = stepsOf('A new checker', CHECKER_WORDS) as [Step, Step, Step, Step, Step];
  newPackage(copy, ofPackage);
  writeSources(copy, [write, inform, report, test]);
  nameChecker(copy, name);
}

/** Section "A new package", with plume's four files. */
function newPackage(copy: Copy, [files, references, link]: readonly [Step, Step, Step]): void {
  const nearest = 'packages/checkers/plume';
  for (const file of ['package.json', 'tsconfig.json', 'tsconfig.build.json', 'README.md']) {
    if (!files.text.includes(`\`${file}\``)) noLongerFits(files, `It does not name ${file}.`);
    copy.write(`${FOLDER}/${file}`, copy.read(`${nearest}/${file}`));
  }
  const used = { sources: ['contract', 'graph', 'history'], tests: ['testkit'] };
  copy.editJson(files, `${FOLDER}/package.json`, (manifest) => {
    manifest.name = NAME;
    manifest.description = 'PL-2 by its dependencies.';
    keepOnly(files, manifest.dependencies, used.sources);
    keepOnly(files, manifest.devDependencies, used.tests);
  });
  copy.editJson(files, `${FOLDER}/tsconfig.build.json`, (config) => {
    config.references = used.sources.map((name) => ({ path: `../../core/${name}/tsconfig.build.json` }));
  });
  copy.editJson(references, 'packages/tsconfig.json', (config) => {
    config.references.push({ path: `checkers/${CHECKER}/tsconfig.build.json` });
  });
  if (!link.text.includes('`npm run lint`')) noLongerFits(link, 'It does not check the package.');
  copy.link(FOLDER);
}

/** Leaves of the dependencies of the nearest package those that the new one has, too. */
function keepOnly(step: Step, dependencies: Record<string, string>, names: readonly string[]): void {
  const kept = names.map((name) => `@isolab/${name}`);
  const missing = kept.filter((name) => dependencies[name] === undefined);
  if (missing.length > 0) noLongerFits(step, `The nearest package does not use ${missing.join(', ')}.`);
  for (const name of Object.keys(dependencies)) if (!kept.includes(name)) delete dependencies[name];
}

/** Steps 1 to 4 of "A new checker": the sources, as each step requires. */
function writeSources(copy: Copy, [write, inform, report, test]: readonly [Step, Step, Step, Step]): void {
  cpSync(FIXTURE, copy.path(FOLDER), { recursive: true });
  const asked: readonly (readonly [Step, file: string, text: string])[] = [
    [write, 'src/index.ts', 'as default'],
    [write, 'README.md', 'Where the paper is silent'],
    [inform, `src/${CHECKER}.ts`, 'requires: ['],
    [inform, `src/${CHECKER}.ts`, 'levels: ['],
    [report, `src/${CHECKER}.ts`, 'internalViolations(input, level, context)'],
    [report, 'src/dependencies.ts', 'tick(1)'],
    [report, `src/${CHECKER}.ts`, 'context.stage('],
    [test, 'test/conformance.test.ts', 'describeChecker('],
  ];
  for (const [step, file, text] of asked)
    if (!readFileSync(path.join(FIXTURE, file), 'utf8').includes(text)) noLongerFits(step, `${file} lacks ${text}.`);
}

/** Step 5, but for \`npm run generate\`. */
function nameChecker(copy: Copy, step: Step): void {
  copy.edit(
    step,
    'packages/library/isolab/src/checkers.ts',
    `  known({ name: 'dbcop', `,
    `  known({ name: '${CHECKER}', module: '${NAME}' }, () => import('${NAME}')),\n  known({ name: 'dbcop', `,
  );
  copy.editJson(step, 'packages/library/isolab/package.json', ({ dependencies, version }) => {
    dependencies[NAME] = version;
  });
  copy.editJson(step, 'packages/library/isolab/tsconfig.build.json', ({ references }) => {
    references.push({ path: `../../checkers/${CHECKER}/tsconfig.build.json` });
  });
}
