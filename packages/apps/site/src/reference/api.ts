/** Reference of the library: each export of the package isolab, with an example that a test runs. */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Declared, exportsOf } from './exports.ts';

const root = fileURLToPath(new URL('../../../../../', import.meta.url)).replace(/\/$/, '');
const library = `${root}/packages/library/isolab`;

const exampleFile = (name: string): string => `${library}/examples/${name}.mjs`;

/** Functions and classes that a program calls; each needs an example. */
export const isCalled = ({ kind }: Declared): boolean => kind === 'function' || kind === 'class';

export const libraryExports = (): Declared[] => exportsOf(`${library}/dist/index.d.ts`, root);

export const hasExample = ({ name }: Declared): boolean => existsSync(exampleFile(name));

export function apiReference(): string {
  const all = libraryExports().toSorted((a, b) => (a.name.toLowerCase() < b.name.toLowerCase() ? -1 : 1));
  const called = all.filter(isCalled);
  const rest = (kind: Declared['kind']): string[] => all.filter((each) => each.kind === kind).map(shown);
  return [
    `| name | purpose |\n| --- | --- |\n${called.map(({ name, comment }) => `| [\`${name}\`](#${name.toLowerCase()}) | ${firstSentence(comment)} |`).join('\n')}`,
    ...called.map(section),
    '## Constants',
    ...rest('constant'),
    '## Types',
    ...rest('type'),
  ].join('\n\n');
}

const section = (declared: Declared): string => {
  const { name } = declared;
  const example = hasExample(declared) ? [fenced(readFileSync(exampleFile(name), 'utf8').trim(), 'js')] : [];
  return [`## ${name}`, ...described(declared), ...example].join('\n\n');
};

const shown = (declared: Declared): string => [`### ${declared.name}`, ...described(declared)].join('\n\n');

const described = ({ comment, signature }: Declared): string[] => [
  ...(comment === '' ? [] : [comment]),
  fenced(signature, 'ts'),
];

const fenced = (code: string, language: string): string => `\`\`\`${language}\n${code}\n\`\`\``;

const firstSentence = (comment: string): string =>
  (/^.*?[.:;](?=\s|$)/.exec(comment)?.[0] ?? comment).replace(/[:;]$/, '.');
