import { Ajv2020 } from 'ajv/dist/2020.js';
import { check, open, verify } from 'isolab';
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { type Finding, type Summary, addToBoard, boardMarkdown, findingPages, hunt, readBoard } from '../src/index.ts';
import { titleOf } from '../src/board/entry.ts';
import { tryAgain } from '../src/trials/again.ts';
import { MEMORY, freshFolder, options, settings } from './fixture.ts';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const text = (path: string): string => readFileSync(path, 'utf8');

let hunted: Promise<string> | undefined;

/** A copy of the findings of one hunt, with which all tests begin. */
async function violatedHunt(): Promise<string> {
  hunted ??= (async () => {
    const folder = freshFolder();
    await hunt(settings({ isolation: 'serializable', workload: 'general' }), options(folder));
    return folder;
  })();
  const copy = freshFolder();
  cpSync(await hunted, copy, { recursive: true });
  return copy;
}

const pageOf = (board: string, name: string): string => findingPages(readBoard(board)).get(name)!;

describe('the board', () => {
  test('the board takes findings with their evidence, and hunts that found nothing as controls', async () => {
    const [violated, held, board] = [await violatedHunt(), freshFolder(), freshFolder()];
    await hunt(settings({ isolation: 'snapshot', trials: 1, workload: 'general' }), options(held));
    const none = { board, controls: [], known: [] };
    await expect(addToBoard(violated, { ...none, controls: [`${MEMORY} snapshot`] })).rejects.toThrow(
      'Hunt this database first',
    );
    expect(await addToBoard(held, none)).toEqual(['memory 1.0 at snapshot: held']);
    const struck = freshFolder();
    const faults = { kinds: ['think'], everyMs: 50 } as const;
    await hunt(settings({ isolation: 'snapshot', trials: 1, workload: 'general', faults }), options(struck));
    await addToBoard(struck, none);
    expect(boardMarkdown(readBoard(board))).toContain('memory.mjs --faults think |');
    const confirm = join(violated, 'confirm.mjs');
    writeFileSync(confirm, '// counts\n');
    const [name] = await addToBoard(violated, {
      ...none,
      name: 'memory-skew',
      controls: [`${MEMORY} snapshot`],
      known: ['https://example.org/1'],
    });
    expect(name).toBe('memory-skew');
    const before = boardMarkdown(readBoard(board));
    expect(before).toContain('seen here');
    expect(before).not.toContain('| confirmed |');
    // Clients that run at once decide which anomaly comes first.
    expect(before).toMatch(/\| \*\*[A-Z][a-z][a-z -]+\*\* \| memory \| \[here\]\(memory-skew\/README.md\)/);

    // Known findings stay, and the folder on the board takes more.
    expect(await addToBoard(join(board, 'memory-skew'), { ...none, known: ['https://example.org/2'] })).toEqual([
      'memory-skew',
    ]);
    expect(pageOf(board, 'memory-skew')).toContain('https://example.org/2');
    // Words of a person replace the name of the violating part.
    await addToBoard(join(board, 'memory-skew'), { ...none, title: 'Both | doctors leave' });
    expect(text(join(board, 'memory-skew', 'story.svg'))).toContain('>Both | doctors leave (');
    expect(text(join(board, 'memory-skew', 'story.md'))).toMatch(
      /^## Both \\\| doctors leave: serializable is violated\n/,
    );
    await addToBoard(join(board, 'memory-skew'), { ...none, known: ['https://example.org/1'] });
    await addToBoard(violated, { ...none, name: 'memory-skew', confirmed: { program: confirm, says: '3 of 100' } });
    expect(boardMarkdown(readBoard(board))).toMatch(/\*\*Both \\\| doctors leave\*\*.*\| confirmed, known \|/);
    const page = pageOf(board, 'memory-skew');
    expect(page).toMatch(/^# Both \\\| doctors leave in memory 1.0\n/);
    expect(page).toMatch(/```sh\nisolab (hunt|reproduce) .*memory.mjs.* --isolation serializable/);
    for (const words of ['https://example.org/1', 'confirm.mjs', '3 of 100', 'memory 1.0'])
      expect(page).toContain(words);
    expect(page).toContain('**Control:** memory 1.0 at snapshot, 2 hunts, 2 histories of');
    // Once the control shows a violation itself, it is none.
    const { entries, held: all } = readBoard(board);
    const ofControl = { ...entries[0]!, name: 'other', finding: { ...entries[0]!.finding, isolation: 'snapshot' } };
    const among = findingPages({ entries: [...entries, ofControl], held: all });
    expect(among.get('memory-skew')).not.toContain('**Control:**');
    expect(existsSync(join(board, 'memory-skew', 'confirm.mjs'))).toBe(true); // a copy: the board is in no repository
    for (const [, target] of page.matchAll(/\]\(([^#)h][^)]*)\)/g))
      expect(existsSync(join(board, 'memory-skew', target!)) || target === '../README.md').toBe(true);
  });

  test('the board takes the levels that held beside a violated one', async () => {
    const [folder, board] = [await violatedHunt(), freshFolder()];
    const path = join(folder, 'summary.json');
    const summary = JSON.parse(text(path)) as Summary;
    const held = { ...summary.levels[0]!, isolation: 'snapshot', trials: 1, violated: 0, satisfied: 1, undecided: 0 };
    const undecided = { ...held, isolation: 'mixed', satisfied: 0, undecided: 1 };
    writeFileSync(path, JSON.stringify({ ...summary, levels: [...summary.levels, held, undecided] }));
    const added = await addToBoard(folder, { board, controls: [], known: [], name: 'skew' });
    expect(added).toEqual(['skew', 'memory 1.0 at snapshot: held']);
    expect(readBoard(board).held).toMatchObject([{ isolation: 'snapshot', verdict: 'satisfied', trials: 1 }]);
  });

  test('the page of a finding links to no schedule if there is none', async () => {
    const [violated, board] = [await violatedHunt(), freshFolder()];
    const folder = join(
      violated,
      readdirSync(violated).find((name) => name.startsWith('finding-'))!,
    );
    const finding = JSON.parse(text(join(folder, 'finding.json'))) as Finding;
    await tryAgain(folder, finding, settings({ database: ['module:/none.mjs'] }), options(violated));
    const [name] = await addToBoard(violated, { board, controls: [], known: [] });
    expect(pageOf(board, name!)).toContain('**As a schedule:** It could not be repeated');
    expect(pageOf(board, name!)).not.toContain('See [the schedule]');
  });

  test('links to a program in its own repository', async () => {
    const [found, repository] = [await violatedHunt(), freshFolder()];
    mkdirSync(join(repository, '.git'), { recursive: true });
    const program = join(repository, 'confirm.mjs');
    writeFileSync(program, '// counts\n');
    const board = join(repository, 'reports', 'field');
    const given = { board, controls: [], known: [], name: 'skew', confirmed: { program, says: '3 of 100' } };
    await addToBoard(found, given);
    expect(readdirSync(join(board, 'skew'))).not.toContain('confirm.mjs');
    expect(pageOf(board, 'skew')).toContain('[a program without isolab](../../../confirm.mjs)');
  });

  test('the board gives known faults of the database for histories without a verdict', async () => {
    const [folder, board] = [freshFolder(), freshFolder()];
    await hunt(settings({ isolation: 'snapshot', trials: 2 }), options(folder));
    const path = join(folder, 'summary.json');
    const summary = JSON.parse(text(path)) as Summary;
    const levels = summary.levels.map((level) => ({ ...level, satisfied: 1, undecided: 1 }));
    const reason = '1 of 2 histories could not be decided: The database answered no session.';
    writeFileSync(path, JSON.stringify({ ...summary, levels, verdict: 'unknown', satisfied: 1, undecided: 1, reason }));
    const none = { board, controls: [], known: [] };
    await expect(addToBoard(folder, none)).rejects.toThrow('--note undecided=');
    for (let hunts = 0; hunts < 2; hunts++)
      expect(await addToBoard(folder, { ...none, undecided: 'it stopped | answering' })).toEqual([
        'memory 1.0 at snapshot: nothing found, 1 without a verdict',
      ]);
    const page = boardMarkdown(readBoard(board));
    expect(page).toMatch(/2 hunts, 4 histories of .*; 2 without a verdict: it stopped \\\| answering \|/);
  });

  test('the board refuses findings without a verdict or without a violation', async () => {
    const [undecided, board] = [freshFolder(), freshFolder()];
    await hunt(settings({ isolation: 'snapshot', trials: 0 }), options(undecided));
    const none = { board, controls: [], known: [] };
    await expect(addToBoard(undecided, none)).rejects.toThrow('no verdict');
    await expect(addToBoard(undecided, { ...none, undecided: 'it was slow' })).rejects.toThrow('no verdict');
    await expect(addToBoard(board, none)).rejects.toThrow('neither finding.json nor summary.json');
    const found = await violatedHunt();
    const finding = readdirSync(found).find((name) => existsSync(join(found, name, 'shrunk.jsonl')))!;
    const shrunk = join(found, finding, 'shrunk.jsonl');
    const [header] = text(shrunk).split('\n');
    writeFileSync(shrunk, `${header}\n{"session":"0","ops":[["w",1,1],["r",1,1]]}\n`);
    await expect(addToBoard(found, none)).rejects.toThrow('does not violate serializable by itself');
  });
});

describe('the board of this repository', () => {
  const folder = join(root, 'reports', 'field');
  const board = readBoard(folder);

  test('the board of this repository has a page made from the files beside it', () => {
    expect(text(join(folder, 'README.md'))).toBe(boardMarkdown(board));
    for (const [name, page] of findingPages(board)) expect(text(join(folder, name, 'README.md'))).toBe(page);
    // A schedule shows nothing with other keys than those of its finding.
    const pages = board.entries.map(({ name, finding }) => [finding.trial.draw.layout, pageOf(folder, name)] as const);
    const laidOut = pages.filter(([layout]) => layout);
    expect(laidOut).not.toEqual([]);
    for (const [layout, page] of laidOut) expect(page).toMatch(new RegExp(`^isolab .* --layout ${layout}`, 'm'));
  });

  const isFinding = new Ajv2020({ formats: { 'date-time': true } }).compile(
    JSON.parse(text(join(root, 'packages/field/hunt/schema/finding.schema.json'))) as object,
  );
  test.each(board.entries.map(({ name, finding }) => [name, finding] as const))(
    '%s: is proven',
    async (name, finding) => {
      isFinding(finding);
      expect(isFinding.errors).toBeNull();
      const { confirmed } = board.entries.find((entry) => entry.name === name)!.standing;
      expect(existsSync(join(folder, name, confirmed?.program ?? '.'))).toBe(true);
      if (existsSync(join(folder, name, 'transactions.sql'))) return void expect(confirmed).not.toBeNull();
      expect(text(join(folder, name, 'story.md'))).toContain(`**Anomaly:** \`${finding.anomaly}\``);
      // The story, its picture and the board name the anomaly alike.
      const title = titleOf(board.entries.find((entry) => entry.name === name)!);
      expect(text(join(folder, name, 'story.md'))).toMatch(new RegExp(`^## ${title}: `));
      expect(text(join(folder, name, 'story.svg'))).toMatch(new RegExp(`<title id="s-title">${title}( \\(|: )`));
      const part = await open(join(folder, name, 'shrunk.jsonl'));
      expect((await check(part, { level: finding.level })).verdict).toBe('violated');
      expect(verify(part, JSON.parse(text(join(folder, name, 'certificate.json')))).ok).toBe(true);
      const whole = join(folder, name, 'history.jsonl.gz');
      if (existsSync(whole))
        expect((await check(await open(whole), { level: finding.level })).verdict).toBe('violated');
      const files = readdirSync(join(folder, name), { recursive: true, encoding: 'utf8' });
      const size = files.reduce((sum, file) => sum + statSync(join(folder, name, file)).size, 0);
      expect(size).toBeLessThan(600_000);
    },
  );
});

test('docs/field.md has the driver of forty lines as it is', () => {
  const driver = text(join(root, 'packages/sources/collector/examples/own-driver.mjs'));
  expect(driver.trimEnd().split('\n').length).toBeLessThanOrEqual(40);
  expect(text(join(root, 'docs/field.md'))).toContain(`\`\`\`js\n${driver}\`\`\``);
});
