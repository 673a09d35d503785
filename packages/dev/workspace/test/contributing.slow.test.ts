// Slow: copies the tree twice, compiles the packages that the steps change, and runs tests in the copies.
import { afterEach, expect, test } from 'vitest';
import { HISTORY, NAME, followAnomaly, historyFile } from './contributing/anomaly.ts';
import { CHECKER, FOLDER, followChecker } from './contributing/checker.ts';
import { Copy } from './contributing/copy.ts';

let copy: Copy | null = null;
afterEach(async () => {
  await copy?.remove();
  copy = null;
});

test('the steps of CONTRIBUTING.md make a new anomaly name', async () => {
  copy = new Copy();
  await copy.fill();
  followAnomaly(copy);
  await copy.build();

  await Promise.all([
    copy.test('packages/core/contract', 'test/cycle-name.test.ts'),
    copy.test('packages/library/explain', 'test/classify.test.ts'),
    copy.test('packages/proof/testkit', 'test/named-histories.test.ts'),
    copy.test('packages/checkers/elle', 'test/consistency-models.test.ts'),
    copy.test('packages/checkers/weave', 'test/conformance.test.ts', '-t', 'agrees with the named histories'),
  ]);

  copy.write('three.txt', historyFile());
  const check = ['packages/apps/cli/isolab.cjs', 'check', 'three.txt', '--level', 'serializable'];
  const printed = await copy.node(check, { code: 1 });
  expect(printed).toContain(NAME);
  expect(printed).toContain('Long write skew');

  const { text, pictures } = JSON.parse(await copy.script(GALLERY)) as Gallery;
  expect(text).toContain(`\`serializable\` is violated: \`${NAME}\``);
  expect(text).toContain(`"gallery/${HISTORY}.svg"`);
  expect(pictures.find(({ path }) => path === `gallery/${HISTORY}.svg`)?.content).toContain('<svg');
});

interface Gallery {
  readonly text: string;
  readonly pictures: readonly { readonly path: string; readonly content: string }[];
}

/** Prints the gallery, as `npm run site` makes it. */
const GALLERY = `
import { gallery } from './packages/apps/site/dist/reference/gallery.js';
console.log(JSON.stringify(await gallery(undefined)));
`;

test('the steps of CONTRIBUTING.md make a new checker', async () => {
  copy = new Copy();
  await copy.fill();
  followChecker(copy);
  await copy.build();

  await Promise.all([
    copy.node(['packages/dev/workspace/dist/check-architecture.js']),
    copy.test(FOLDER, 'test/conformance.test.ts'),
  ]);

  const check = async (text: string, code: number): Promise<string> => {
    copy!.write('h.txt', text);
    const words = ['check', 'h.txt', '--level', 'read-committed-pl2', '--checker', CHECKER];
    return copy!.node(['packages/apps/cli/isolab.cjs', ...words], { code });
  };
  expect(await check('r(x,1) w(y,1)\nr(y,1) w(x,1)', 1)).toContain('G1c');
  expect(await check('w(x,1)\nr(x,1) w(y,1)\nr(y,1)', 0)).toContain('satisfied');

  await copy.script(CHECKERS);
  expect(copy.read('docs/checkers.md')).toMatch(
    new RegExp(`^\\| \`${CHECKER}\` \\| PL-2 .* ICDE 2000.* \`read-committed-pl2\``, 'm'),
  );
});

/** Result of `npm run generate` for the table of checkers. */
const CHECKERS = `
import { readFileSync, writeFileSync } from 'node:fs';
import { TABLE_PAGES, regenerate } from './packages/dev/workspace/dist/tables.js';
const page = TABLE_PAGES.checkers;
writeFileSync(page, regenerate(readFileSync(page, 'utf8'), 'checkers'));
`;
