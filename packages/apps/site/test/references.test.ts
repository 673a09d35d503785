import { OUTCOMES } from '@isolab/collector';
import { ALL_ANOMALIES, CLAIM_ANOMALIES, KNOWN_LEVELS } from '@isolab/contract';
import { ENGINES, nameOf } from '@isolab/engines';
import { describe, expect, test } from 'vitest';
import { engineReference, errorReference } from '../src/reference/engines.ts';
import { commandReference } from '../src/reference/commands.ts';
import { explainedPages } from '../src/reference/explained.ts';
import { toolReference } from '../src/reference/tools.ts';

test('the commands have the help of each', () => {
  const text = commandReference();
  const sections = [...text.matchAll(/^## isolab ([^\n]+)\n\n```text\nUsage: isolab ([a-z ]+) \[options\]/gm)];
  for (const [, heading, usage] of sections) expect(usage).toBe(heading);
  expect(sections.length).toBe(32);
});

describe('pages of anomalies and levels', async () => {
  const { pages, pictures, table } = await explainedPages();
  const pageOf = (path: string): string => pages.find((each) => each.path === path)!.markdown;
  const anomalies = [...ALL_ANOMALIES, ...CLAIM_ANOMALIES];

  test('each has one, with a history and its picture where one is known', () => {
    expect(pages.map(({ path }) => path)).toEqual([
      ...anomalies.map(({ name }) => `docs/anomalies/${name.toLowerCase()}.md`),
      ...KNOWN_LEVELS.map(({ name }) => `docs/levels/${name}.md`),
    ]);
    const drawn = new Set(pictures.map(({ path }) => `docs/${path}`));
    const known = pages.filter(({ markdown }) => markdown.includes('playground.html#text='));
    expect(known.length).toBeGreaterThan(pages.length - 10);
    // No checker decides these levels for lists.
    const undrawn = known.filter(({ path }) => !drawn.has(path.replace(/md$/, 'svg'))).map(({ path }) => path);
    expect(undrawn).toEqual([
      'docs/levels/strong-session-read-uncommitted.md',
      'docs/levels/strong-read-uncommitted.md',
    ]);
    for (const { content } of pictures) expect(content).toContain('<svg ');
    for (const { name } of anomalies) expect(table).toContain(`(anomalies/${name.toLowerCase()}.md) | \`${name}\` |`);
  });

  test('an anomaly has its other names, its levels, its remedy, and the levels of databases that allow it', () => {
    const text = pageOf('docs/anomalies/g2-item.md');
    expect(text).toMatch(/^# Write skew \(G2-item\)\n\nA cycle of anti-dependencies\. Also called `write-skew`, `A5B`/);
    expect(text).toContain('- The weakest levels that forbid it: `serializable`');
    expect(text).toContain('## Remedy\n\n');
    expect(text).toMatch(/^\| PostgreSQL \| serializable \| read committed, repeatable read \|$/m);
  });

  test('a level has its file, its neighbours, and the histories between them', () => {
    for (const { name } of KNOWN_LEVELS)
      expect(pageOf(`docs/levels/${name}.md`)).toMatch(
        new RegExp(`## Definition\n\n\`\`\`text\n(#.*\n)*level ${name}\n[^]*\`\`\`\n\n## Borders\n\n`),
      );
    const text = pageOf('docs/levels/snapshot-isolation.md');
    expect(text).toMatch(/^# Snapshot isolation\n/);
    expect(text).toContain('- The next stronger levels: `strong-session-snapshot-isolation`, `serializable`');
    expect(text).toContain('Allowed here, but forbidden by `serializable`:\n\n```text\n');
    expect(text).toContain('- It forbids, unlike these weaker levels: `G-single`');
  });
});

test('the engines, errors and programs are all there', () => {
  const engines = engineReference();
  for (const engine of ENGINES) expect(engines).toContain(`| \`${nameOf(engine)}\` |`);
  const errors = errorReference();
  for (const { database } of OUTCOMES) expect(errors).toContain(`### ${database}\n`);
  expect(toolReference()).toMatch(/^\| `tool:awdit` \|.*\n[\s\S]*^### AWDIT\n/m);
});
