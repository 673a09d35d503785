import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isolab } from './support/isolab.ts';

const folder = mkdtempSync(join(tmpdir(), 'isolab-story-'));
function file(name: string, lines: readonly string[]): string {
  const path = join(folder, name);
  writeFileSync(path, `${lines.join('\n')}\n`);
  return path;
}

/** A transaction of PolySI's text: its number is that of its session as well. */
const txn = (t: number, text: string): string[] =>
  text.split(' ').map((op) => op.replace(/(\w)\((\d+),(\d+)\)/, `$1($2,$3,${t},${t})`));

/** On keys 1 and 2 a lost update each, on 3 and 4 a write skew; and many others that do nothing wrong. */
const several = file('several.txt', [
  ...txn(1, 'w(1,1) w(2,1) w(3,1) w(4,1)'),
  ...txn(2, 'r(1,1) w(1,2)'),
  ...txn(3, 'r(1,1) w(1,3)'),
  ...txn(4, 'r(2,1) w(2,2)'),
  ...txn(5, 'r(2,1) w(2,3)'),
  ...txn(6, 'r(3,1) w(4,2)'),
  ...txn(7, 'r(4,1) w(3,2)'),
  ...Array.from({ length: 30 }, (_, i) => txn(10 + i, `w(${10 + i},1) r(${10 + i},1)`)).flat(),
]);
const chain = file('chain.txt', [...txn(1, 'w(1,1)'), ...txn(2, 'r(1,1) w(1,2)'), ...txn(3, 'r(1,2)')]);

/**
 * Two doctors who see an empty call list step in, after others who have nothing to do with it; and two who read a
 * maximum.
 */
const onCall = file('on-call.txt', [
  "put(doctors/1, {name: 'alice', on_call: false, ward: 2}) | scan(doctors, ward = 3, {}) w(x,1)",
  "count(doctors, ward = 2 and on_call = true, 0) put(doctors/2, {name: 'bob', on_call: true, ward: 2})",
  "scan(doctors, ward = 2 and on_call = true, {}) put(doctors/3, {name: 'carol', on_call: true, ward: 2})",
]);
const bids = file('bids.txt', [
  'initial nil bids/1={amount: 3}',
  'max(bids, true, amount, 3) put(bids/2, {amount: 4})',
  'max(bids, true, amount, 3) put(bids/3, {amount: 4})',
]);

describe('rows of tables', () => {
  test('rows of tables are described in the words of tables, shrunk or not', async () => {
    for (const flags of [[], ['--shrink'], ['--find-all']]) {
      const { code, out } = await isolab('check', onCall, '-l', 'ser', ...flags);
      expect(code).toBe(1);
      expect(out).toMatch(/Write skew over a predicate: T\d does not see/);
      expect(out).toMatch(
        /insert of doctors\/3 \{on_call: true(, ward: 2)?\}, which its predicate matches \(it counts 0 rows of doctors/,
      );
      expect(out).not.toMatch(/[rw]\(doctors|\{\\?"/);
    }
  });

  test('rows of tables are shrunk to tables, or to single reads where only a part of a scan matters', async () => {
    const small = join(folder, 'small-rows.txt');
    const { code, out } = await isolab('explain', onCall, small, '-l', 'ser', '--to', 'notation');
    expect(code).toBe(1);
    expect(out).toContain('2 of 4 transactions, 4 of 7 operations; each of them is needed');
    expect(readFileSync(small, 'utf8')).toContain('count(doctors, ward = 2 and on_call = true, 0) put(doctors/2, {');
    expect(await isolab('check', small, '-l', 'ser')).toMatchObject({ code: 1 });
    const reads = await isolab('explain', bids, join(folder, 'bids.jsonl'), '-l', 'ser');
    expect(reads.out).toContain('Scans that matter only in part are written as reads of single rows');
  });
});

describe('isolab explain', () => {
  test('isolab explain writes a history that can be checked and converted', async () => {
    const [small, text] = [join(folder, 'small.jsonl'), join(folder, 'small.txt')];
    const { code, out } = await isolab('explain', several, small, '-l', 'si', '--output', 'json', '--time', '60s');
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({ transactions: 3, isMinimal: true, stopped: null });
    expect(await isolab('check', small, '-l', 'si')).toMatchObject({ code: 1 });
    expect(await isolab('convert', small, text, '--to', 'text', '--allow-lossy')).toMatchObject({ code: 0 });
    expect(await isolab('check', text, '-l', 'si')).toMatchObject({ code: 1 });
  });
});

describe('isolab check --find-all', () => {
  test('isolab check --find-all reports every kind once, with counts, by its canonical name', async () => {
    const { code, out } = await isolab('check', several, '-l', 'ser', '--find-all');
    expect(code).toBe(1);
    expect(out).toContain('2 × lost-update (P4, LostUpdate, divergence); the smallest is');
    expect(out).toContain('1 × G2-item (');
    expect(out).toMatch(/Without the \d+ transactions of these anomalies, the rest satisfies serializable\./);
  });

  test('isolab check --find-all writes JSON', async () => {
    const { out } = await isolab('check', several, '-l', 'ser', '--find-all', '--output', 'json');
    const { kinds, complete, anomalies } = JSON.parse(out);
    expect(kinds.map(({ name, count }: { name: string; count: number }) => [name, count])).toEqual([
      ['lost-update', 2],
      ['G2-item', 1],
    ]);
    expect([complete, anomalies.length]).toEqual([true, 3]);
    // The checker's own evidence is not repeated.
    expect(typeof kinds[0].smallest).toBe('number');
  });

  test('isolab check --find-all adds a table to the Markdown, and counts to JUnit', async () => {
    const { out } = await isolab('check', several, '-l', 'ser', '--find-all', '--output', 'markdown');
    expect(out).toContain('| 2 | `lost-update` | two transactions overwrite the same version |');
    const junit = await isolab('check', several, '-l', 'ser', '--find-all', '--output', 'junit');
    expect(junit.out).toContain('message="2 × lost-update, 1 × G2-item"');
  });
});

describe('isolab check --shrink', () => {
  test('isolab check --shrink explains it for people', async () => {
    const { out } = await isolab('check', several, '-l', 'si', '--shrink');
    expect(out).toMatch(/Lost update: T2 and T3 both read key \d = 1 and both overwrite it/);
    expect(out).toContain('This part alone rules out adya-snapshot-isolation.');
    expect(out).toContain('This part alone is consistent with prefix.');
    expect(out).not.toContain('The whole history'); // nothing else was checked
    expect(out).toContain('34 transactions of 34 sessions');
  });

  test('isolab check --shrink distinguishes levels of the part from those of the whole history', async () => {
    // A write skew, and in other sessions a lost update.
    const skewed = file('skewed.jsonl', [
      '{"isolab":"history","version":1}',
      '{"session":1,"ops":[["r","x",null],["w","y",1]]}',
      '{"session":2,"ops":[["r","y",null],["w","x",1]]}',
      '{"session":3,"ops":[["r","z",null],["w","z",1]]}',
      '{"session":4,"ops":[["r","z",null],["w","z",2]]}',
      ...Array.from({ length: 12 }, (_, i) => `{"session":5,"ops":[["w","u",${i + 1}]]}`),
    ]);
    const { out } = await isolab('check', skewed, '-l', 'all', '--shrink');
    expect(out).toContain('This part alone is consistent with ');
    // The answer about all levels describes the whole history, so the story need not.
    expect(out).toContain('not kept     snapshot isolation (Adya) and everything stronger (adya-snapshot-isolation)');
    for (const form of ['html', 'markdown'])
      expect((await isolab('check', skewed, '-l', 'all', '--output', form)).out).toMatch(
        /not kept.* snapshot isolation \(Adya\) and everything stronger/,
      );
  });

  test('isolab check --shrink names the sessions of transactions whose ids occur twice', async () => {
    const path = file('twins.jsonl', [
      '{"isolab":"history","version":1}',
      '{"session":"A","id":1,"ops":[["w","x",1]]}',
      '{"session":"B","id":1,"ops":[["r","x",1],["w","y",1]]}',
      '{"session":"C","id":2,"ops":[["r","y",1],["r","x",null]]}',
    ]);
    const { out } = await isolab('check', path, '-l', 'causal', '--find-all');
    expect(out).toContain('Let T2 be transaction 1 of session B (');
    const { out: story } = await isolab('check', path, '-l', 'causal', '--shrink');
    expect(story).toContain('Let T1 be transaction 1 of session A (');
    const { anomalies } = JSON.parse((await isolab('check', path, '-l', 'causal', '--output', 'json')).out);
    expect(anomalies[0].transactions).toContain('transaction 1 of session A');
    expect(anomalies[0].sessions).toContain('A');
  });

  test('isolab check --shrink says that a list is not the whole one', async () => {
    const path = join(folder, 'lists.jsonl');
    const setUp = ['--sessions', '5', '--transactions', '40', '--level', 'snapshot-isolation', '--set', 'keys=5'];
    await isolab('generate', 'list-append', path, ...setUp, '--seed', '1');
    const { out } = await isolab('check', path, '-l', 'ser', '--shrink');
    expect(out).toMatch(/read key \d restricted to \[/);
    expect(out).toContain('Lists show only the elements that matter; the source has them in full.');
  });

  test('isolab check --shrink writes it for programs', async () => {
    const { out } = await isolab('check', several, '-l', 'all', '--shrink', '--output', 'json');
    expect(JSON.parse(out)).toMatchObject({
      shrunk: { name: 'lost-update', leftStanding: ['prefix'], explanation: expect.any(Array) },
    });
  });
});

describe('inputs of a CI job', () => {
  test('JUnit: one document for several histories', async () => {
    const { code, out } = await isolab('check', chain, several, '-l', 'si', '--output', 'junit');
    expect(code).toBe(1);
    expect(out.match(/<\?xml/g)).toHaveLength(1);
    expect(out.match(/<testsuite /g)).toHaveLength(2);
    expect(out).toMatch(/tests="2" failures="1"/);
  });

  test('--summary appends Markdown, whatever is printed', async () => {
    const summary = join(folder, 'summary.md');
    for (const path of [chain, several]) await isolab('check', path, '-l', 'si', '--summary', summary);
    const text = readFileSync(summary, 'utf8');
    expect(text).toContain('| snapshot-isolation | ✅ satisfied |');
    expect(text).toContain('| snapshot-isolation | ❌ violated |');
    expect(text).toContain('### Lost update: snapshot-isolation is violated');
  });

  test.each(['html', 'svg', 'dot'])('%s accepts only one history', async (output) => {
    const { code, err } = await isolab('check', chain, several, '-l', 'si', '--output', output);
    expect(code).toBe(3);
    expect(err).toContain(`--output ${output} accepts only one history`);
    expect((await isolab('check', several, '-l', 'si', '--output', output)).out).toMatch(/^(<!doctype|<svg|digraph)/);
  });
});

describe('isolab explain', () => {
  test('isolab explain shows the stages of PolySI, in the page and as Markdown', async () => {
    const page = join(folder, 'stages.html');
    expect(await isolab('explain', several, page, '-l', 'si', '-c', 'polysi')).toMatchObject({ code: 1 });
    const html = readFileSync(page, 'utf8');
    for (const stage of ['raw', 'restored', 'resolved', 'finalized']) expect(html).toContain(`>${stage}</option>`);
    const { out } = await isolab('check', several, '-l', 'si', '-c', 'polysi', '--output', 'markdown');
    expect(out).toContain('- Raw: the cycle as it was found.');
    expect(out).toMatch(/Finalized: .*`T\d →RW key \d→ T\d`/);
    await isolab('explain', several, page, '-l', 'si');
    expect(readFileSync(page, 'utf8')).not.toContain('>restored</option>');
  });

  test('--skip shrinking shows all of the history, and refuses one that is too large, with an offer', async () => {
    const page = join(folder, 'whole.html');
    expect(await isolab('explain', several, page, '-l', 'si', '--skip', 'shrinking')).toMatchObject({ code: 1 });
    expect(readFileSync(page, 'utf8')).toMatch(/Context \(3\d\)/);
    const many = Array.from({ length: 2000 }, (_, i) => txn(50 + i, `w(${50 + i},1)`)).flat();
    const large = file('large.txt', [readFileSync(several, 'utf8').trim(), ...many]);
    const refused = await isolab('explain', large, page, '-l', 'si', '--skip', 'shrinking');
    expect(refused.code).toBe(1); // the violation was found all the same
    expect(refused.err).toContain('A violation was found before this error');
    expect(refused.err).toMatch(/cannot draw 2,037 transactions \(limit: 1,000\); shrink the history first/);
    expect(refused.err).toContain('Leave out --skip shrinking.');
    expect(await isolab('explain', large, page, '-l', 'si')).toMatchObject({ code: 1 });
  });

  test('isolab explain says that it cannot write where there is no folder', async () => {
    const { code, err } = await isolab('explain', several, join(folder, 'none', 'x.html'), '-l', 'si');
    expect(code).toBe(3);
    expect(err).toMatch(/^isolab: .*x\.html cannot be written: there is no folder .*none\.$/);
  });

  test('- is standard output, and JSON lists the files made', async () => {
    expect((await isolab('explain', several, '-', '-l', 'si', '--to', 'html')).out).toMatch(/^<!doctype html>/);
    const { out } = await isolab('explain', chain, join(folder, 'c.html'), '-l', 'si', '--output', 'json');
    expect(JSON.parse(out)).toMatchObject({ verdict: 'satisfied', bytes: expect.any(Number) });
  });
});

test('ends with the history in short where nothing was left out', async () => {
  const skew = file('skew.txt', ['r(x,0) r(y,0) w(x,1)', 'r(x,0) r(y,0) w(y,1)']);
  const { out } = await isolab('check', skew, '--level', 'serializable', '--shrink');
  expect(out.split('\n').slice(-3)).toEqual(['', '      r(y,0) w(x,1)', '      r(x,0) w(y,1)']);
});
