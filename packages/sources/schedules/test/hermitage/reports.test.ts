import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { CASES } from '../../src/hermitage/cases/index.ts';
import { decide } from '../../src/hermitage/play/cell.ts';
import { pages } from '../../src/hermitage/page/markdown.ts';
import { differencesFrom, publishedOf } from '../../src/hermitage/play/published.ts';
import type { HermitageReport } from '../../src/hermitage/play/run.ts';

const root = fileURLToPath(new URL('../../../../../reports/hermitage/', import.meta.url));
const reports = readdirSync(root, { withFileTypes: true }).flatMap((entry) => {
  if (!entry.isDirectory()) return [];
  const report = JSON.parse(readFileSync(join(root, entry.name, 'hermitage.json'), 'utf8')) as HermitageReport;
  return [[entry.name, report] as const];
});

test('there are reports of three databases', () => {
  expect(reports.map(([name]) => name)).toEqual(
    expect.arrayContaining(['mariadb-11.4.5', 'postgres-18.4', 'sqlite-3.53.2']),
  );
});

describe.each(reports)('%s', (name, report) => {
  test('the report has pages that are made of its data', () => {
    const made = pages(report, CASES);
    expect(readdirSync(join(root, name)).toSorted()).toEqual([...made.keys()].toSorted());
    for (const [file, text] of made) expect(readFileSync(join(root, name, file), 'utf8')).toBe(text);
  });

  test('the report has every case at every level, decided by requests and answers', () => {
    for (const { cells } of report.levels) {
      expect(cells.map((cell) => cell.case)).toEqual(CASES.map((each) => each.name));
      for (const [i, cell] of cells.entries()) {
        expect(cell.outcome).not.toBe('unknown');
        expect(decide(CASES[i]!, { sent: cell.sent, givenUp: null })).toEqual(cell);
      }
    }
  });

  test('the report has links that lead somewhere', () => {
    for (const [file, text] of pages(report, CASES))
      for (const [, target, anchor] of text.matchAll(/\]\(([\w.-]+\.md)(?:#([\w-]+))?\)/g)) {
        expect(existsSync(join(root, name, target!)), `${file} → ${target}`).toBe(true);
        const headings = [
          ...pages(report, CASES)
            .get(target!)!
            .matchAll(/^## (.+)$/gm),
        ].map(([, heading]) => heading!);
        if (anchor !== undefined)
          expect(
            headings.map((one) =>
              one
                .toLowerCase()
                .replaceAll(/[^\w -]/g, '')
                .replaceAll(' ', '-'),
            ),
          ).toContain(anchor);
      }
  });

  test('the report differs from the published table only where docs/hermitage.md says why', () => {
    const published = publishedOf(report.database);
    const differences = published === null ? [] : differencesFrom(published, report);
    const docs = readFileSync(join(root, '../../docs/hermitage.md'), 'utf8');
    for (const one of differences) expect(docs).toContain(`${one.case} at ${one.isolation.toUpperCase()}`);
  });

  test('the report names nothing of the machine that it was made on', () => {
    expect(JSON.stringify(report)).not.toMatch(/\/tmp\/|\/home\/|\/work\//);
  });
});
