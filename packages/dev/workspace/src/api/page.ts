/** docs/api.md: what the package isolab exports, from its sources, with an example of each function that a test runs. */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Declared, exportsOf } from './exports.ts';

const root = fileURLToPath(new URL('../../../../../', import.meta.url)).replace(/\/$/, '');
const library = `${root}/packages/library/isolab`;

/** Where the example of a function or a class stands. */
const exampleFile = (name: string): string => `${library}/examples/${name}.mjs`;

/** Functions and classes that a program calls, which need an example each. */
export const isCalled = ({ kind }: Declared): boolean => kind === 'function' || kind === 'class';

export const libraryExports = (): Declared[] => exportsOf(`${library}/src/index.ts`, root);

export const hasExample = ({ name }: Declared): boolean => existsSync(exampleFile(name));

export function apiPage(): string {
  const all = libraryExports().toSorted((a, b) => (a.name.toLowerCase() < b.name.toLowerCase() ? -1 : 1));
  const called = all.filter(isCalled);
  const rest = (kind: Declared['kind']): Declared[] => all.filter((each) => each.kind === kind && !isCalled(each));
  return `# API

This page lists what the package \`isolab\` exports. [packages/library/isolab](../packages/library/isolab/README.md) says how to install it, and is a better first read. Most programs need only [\`open\`](#open), [\`check\`](#check) and [\`story\`](#story), or a [\`Recorder\`](#recorder). Those who write plug-ins import \`isolab/plugin\` ([plugin.md](plugin.md)).

Each example is a file in [packages/library/isolab/examples](../packages/library/isolab/examples) that a test runs; \`history.jsonl\` holds two transactions with a write skew. Types that are not exported are described where they are used, or in your editor. \`npm run generate\` writes this page from the sources.

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
  (/^.*?[.:;](?=\s|$)/.exec(comment)?.[0] ?? comment).replace(/[:;]$/, '.');
