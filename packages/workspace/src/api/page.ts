/** docs/api.md: what the package isolab exports, from its sources, with an example of each function that a test runs. */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Declared, exportsOf } from './exports.ts';

const packages = fileURLToPath(new URL('../../../', import.meta.url)).replace(/\/$/, '');

/** Where the example of a function or a class stands. */
const exampleFile = (name: string): string => `${packages}/isolab/examples/${name}.mjs`;

/** Functions and classes that a program calls, which need an example each. */
export const isCalled = ({ kind }: Declared): boolean => kind === 'function' || kind === 'class';

export const libraryExports = (): Declared[] => exportsOf(`${packages}/isolab/src/index.ts`, packages);

export const hasExample = ({ name }: Declared): boolean => existsSync(exampleFile(name));

export function apiPage(): string {
  const all = libraryExports();
  const called = all.filter(isCalled);
  const rest = (kind: Declared['kind']): Declared[] =>
    all.filter((each) => each.kind === kind && !isCalled(each)).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return `# API

What the package \`isolab\` exports. \`npm run generate\` writes this page from the sources; each example is a file in [packages/isolab/examples](../packages/isolab/examples) that a test runs. [packages/isolab](../packages/isolab/README.md) says how to install it. The examples use \`history.jsonl\`, two transactions with a write skew.

| name | what it does |
| --- | --- |
${called.map(({ name, comment }) => `| [\`${name}\`](#${name.toLowerCase()}) | ${firstSentence(comment)} |`).join('\n')}

${called.map(section).join('\n\n')}

## Constants

${rest('constant').map(shown).join('\n\n')}

## Types

${rest('type').map(shown).join('\n\n')}
`;
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
  (/^.*?[.:;](?= |$)/.exec(comment)?.[0] ?? comment).replace(/[:;]$/, '.');
