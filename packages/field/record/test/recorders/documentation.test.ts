import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { open } from 'isolab';
import { expect, test } from 'vitest';
import { RECORDERS } from '../../src/recorders.ts';

const page = readFileSync(new URL('../../../../../docs/recorders.md', import.meta.url), 'utf8');
const here = (file: string): URL => new URL(`../../recorders/${file}`, import.meta.url);

test.each(['node/example.mjs', 'python/example.py', 'go/example/main.go', 'java/Example.java', 'rust/example.rs'])(
  'docs/recorders.md has %s, which is tested, as it is',
  (file) => {
    expect(page).toContain(`\n${readFileSync(here(file), 'utf8')}\`\`\`\n`);
  },
);

test('every recorder is there, and named in the page', () => {
  for (const { language, file } of RECORDERS) {
    expect(existsSync(here(file))).toBe(true);
    expect(page).toMatch(new RegExp(`isolab new recorder.*\\b${language}\\b`));
  }
});

test('the lines that a recorder of one’s own would write are right', async () => {
  const table = page.slice(page.indexOf('## In another language'));
  const lines = [...table.matchAll(/`(\{.*?\})`[, |]/g)].map(([, line]) => line!);
  expect(lines).toHaveLength(5);
  const schema = createRequire(import.meta.url)('@isolab/formats/history.schema.json') as object;
  const validate = new Ajv2020({ strict: false }).compile(schema);
  for (const line of lines) expect([line, validate(JSON.parse(line))]).toEqual([line, true]);
  const { prepared } = await open({ text: `${lines.join('\n')}\n` });
  expect(prepared.history.source.notes).toEqual({});
  expect([...prepared.history.txnStatus]).toEqual([0]);
});
