import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readPapers } from '../src/index.ts';

function folderWith(papers: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'isolab-papers-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'papers.json'), papers);
  return folder;
}

const one = {
  title: 'One',
  authors: ['Ada Lovelace', 'Alan Turing'],
  journal: 'J',
  volume: 3,
  issue: '4',
  start: '5',
  end: '6',
  year: 2020,
  doi: '10.1/2',
};

test('a paper is cited by its entry in papers.json', () => {
  const groups = { real: { title: 'Real', cites: ['one'] }, odd: { title: 'Odd', cites: ['two'] } };
  const paperOf = readPapers(folderWith(JSON.stringify({ references: { one }, groups })));
  const cited = {
    authors: 'Ada Lovelace, Alan Turing',
    title: 'One',
    where: 'J, 3(4), pages 5–6, 2020',
    href: 'https://doi.org/10.1/2',
  };
  expect(paperOf('one')).toEqual({ title: 'One', cites: [cited] });
  expect(paperOf('real')).toEqual({ title: 'Real', cites: [cited] });
  expect(paperOf('other')).toEqual({ title: 'other', cites: [] });
  expect(() => paperOf('odd')).toThrow('odd cites two, expected a reference.');
});

test('a file that is no JSON is named, and a laboratory may have none', () => {
  expect(() => readPapers(folderWith('{'))).toThrow(/papers\.json is not valid JSON/);
  expect(readPapers(tmpdir())('mine')).toEqual({ title: 'mine', cites: [] });
});
