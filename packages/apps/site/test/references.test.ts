import { OUTCOMES } from '@isolab/collector';
import { ALL_ANOMALIES, CLAIM_ANOMALIES, KNOWN_LEVELS } from '@isolab/contract';
import { ENGINES, nameOf } from '@isolab/engines';
import { expect, test } from 'vitest';
import { anomalyReference, headingOf } from '../src/reference/anomalies.ts';
import { engineReference, errorReference } from '../src/reference/engines.ts';
import { commandReference } from '../src/reference/commands.ts';
import { litmusReference } from '../src/reference/litmus.ts';
import { toolReference } from '../src/reference/tools.ts';

test('the commands have the help of each', () => {
  const text = commandReference();
  const sections = [...text.matchAll(/^## isolab ([^\n]+)\n\n```text\nUsage: isolab ([a-z ]+) \[options\]/gm)];
  for (const [, heading, usage] of sections) expect(usage).toBe(heading);
  expect(sections.length).toBe(32);
});

test('the litmus histories have a section for each level, with its file', () => {
  const text = litmusReference();
  for (const { name, title } of KNOWN_LEVELS) {
    const [, section] = text.split(`## ${title} (\`${name}\`)\n\n`);
    expect(section).toMatch(new RegExp(`^.*text\n(#.*\n)*level ${name}\n`));
  }
});

test('the anomalies have a section for each by its name in words, with a history and its picture where one is known', async () => {
  const { text, pictures } = await anomalyReference();
  const sections = text.split(/^## /m).slice(1);
  const names = [...ALL_ANOMALIES, ...CLAIM_ANOMALIES].map(({ name }) => name);
  expect(sections.map((section) => section.split('\n', 1)[0])).toEqual(names.map((name) => headingOf(name)));
  expect(sections.join('')).toContain('Write skew (G2-item)\n');
  const known = sections.filter((section) => section.includes('```text'));
  expect(known.length).toBeGreaterThan(sections.length - 5);
  expect(known.filter((section) => !section.includes('<img ')).map((section) => section.split('\n', 1)[0])).toEqual([]);
  for (const { content } of pictures) expect(content).toContain('<svg ');
});

test('the engines, errors and programs are all there', () => {
  const engines = engineReference();
  for (const engine of ENGINES) expect(engines).toContain(`| \`${nameOf(engine)}\` |`);
  const errors = errorReference();
  for (const { database } of OUTCOMES) expect(errors).toContain(`### ${database}\n`);
  expect(toolReference()).toMatch(/^\| `tool:awdit` \|.*\n[\s\S]*^### AWDIT\n/m);
});
