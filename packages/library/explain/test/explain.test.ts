import { verifyCertificate } from '@isolab/verifier';
import { h, printHistory } from '@isolab/testkit';
import { describe, expect, test } from 'vitest';
import { printNotation } from '../src/copies/notation.ts';
import { partsOf } from '../src/shrink/part.ts';
import { casesOf } from '../src/story/argument.ts';
import { explain } from '../src/explain.ts';
import { CERTIFIED, type Certified, certified } from './support/certificates.ts';
import { expectWellFormed } from './support/well-formed.ts';

const storyOf = ({ history, level, certificate }: Certified, options = {}) =>
  explain(history, level, { name: 'G-single', transactions: [], certificate }, options);

const told = (name: string): string[] => storyOf(certified(name)).prose.map(({ text }) => text);

describe('explain', () => {
  test.each(CERTIFIED)('explain describes $name, in a story in which everything has its place', (one) => {
    const { history, level, certificate } = one;
    expect(verifyCertificate(history, level, 'violated', certificate)).toEqual({ ok: true });
    const story = storyOf(one);
    expectWellFormed(story);
    expect(story.verdict).toBe('violated');
    expect(story.copies?.notation).toBe(printNotation(history));
  });

  test('an aborted read', () => {
    expect(told('aborted read')).toEqual([
      'Let T1 be transaction 1 of session 0 (line 1): write x = 1.',
      'Let T2 be transaction 1 of session 1 (line 2): read x = 1.',
      'T2 reads x = 1 (line 2).',
      'T1 writes x = 1 (line 1), but it aborted, so no other transaction may see that value.',
    ]);
    const story = storyOf(certified('aborted read'));
    expect(story.title).toBe('Aborted read');
    expect(story.transactions.map(({ status, role }) => [status, role])).toEqual([
      ['aborted', 'cycle'],
      ['committed', 'cycle'],
    ]);
    expect(story.edges).toMatchObject([
      { kind: 'read-from', part: 'cycle', key: 'x', from: { operation: 'o0' }, to: { operation: 'o1' } },
    ]);
    expect(story.prose[3]!.operations).toEqual(['o1', 'o0']);
  });

  test('a fractured read, through the reader', () => {
    expect(told('fractured read').slice(3)).toEqual([
      'Then T2 comes before T3, because T3 reads y = 2 (line 2), which T2 wrote.',
      'T1 comes before T2, because T2 follows T1 in session 0.',
      'However, T3 comes before T2, because T3 reads x = 1 (line 2) from T1, which T2 overwrites when it writes x = 2 (line 1): a contradiction.',
      'If T2 came before T3, T3 would see x = 2 or a later version, not x = 1.',
    ]);
    const { edges, anomaly, summary, meaning, ruledOut } = storyOf(certified('fractured read'));
    expect(anomaly?.name).toBe('fractured-read');
    expect(summary).toBe('T3 sees T2’s y = 2 but does not see its x = 2 (it reads x = 1).');
    expect(meaning).toMatch(/^Fractured read: .*, which read atomic forbids\.$/);
    expect(ruledOut).toEqual(['read-atomic']);
    expect(edges.filter(({ part }) => part === 'cycle').map(({ kind }) => kind)).toEqual([
      'read-from',
      'anti-dependency',
    ]);
    const anti = edges.find(({ kind }) => kind === 'anti-dependency')!;
    expect(anti.derivation?.because).toHaveLength(2);
    expect(edges.filter(({ id }) => anti.derivation?.refuted?.edges.includes(id)).map(({ part }) => part)).toEqual([
      'refuted',
    ]);
  });

  test('a lost update says that writers exclude each other', () => {
    expect(told('lost update')[3]).toBe(
      'Then T2 comes before T3, because T2 reads x = 1 (line 2) from T1, which T3 overwrites when it writes x = 3 (line 3); both write x, so they must not overlap.',
    );
    const { timelines } = storyOf(certified('lost update'));
    expect(timelines).toMatchObject([
      { key: 'x', versions: [{ value: '1', readers: [{}, {}] }, { value: '3' }, { value: '2' }] },
    ]);
    expect(told('write skew').join()).not.toContain('overlap');
  });

  test('times of a stale read', () => {
    expect(told('stale read')[2]).toBe(
      'Then T1 comes before T2, because T1 returned before T2 was called (at 2 and 3).',
    );
    expect(storyOf(certified('stale read')).transactions[1]!.time).toBe('called at 1, returned at 2');
  });

  test.each(['cases', 'proof'])('%s: the alternative, its refutation, and the remaining case', (name) => {
    const prose = told(name).filter((text) => !text.startsWith('Let'));
    expect(prose[0]).toMatch(
      /^T(\d) and T(\d) both write x, and T\2 cannot come first\. If T\2 came before T\1, there would be a cycle: .*, because .*\.$/,
    );
    expect(prose.at(-2)).toMatch(/^However, .*: a contradiction\.$/);
    const { edges } = storyOf(certified(name));
    const chosen = edges.find(({ kind, derivation }) => kind === 'write-order' && derivation)!;
    const refuting = edges.filter(({ id }) => chosen.derivation?.refuted?.edges.includes(id));
    expect(refuting.length).toBeGreaterThan(1);
    expect(refuting.some(({ part }) => part === 'refuted')).toBe(true);
  });

  test('a proof that needs choices of writers is explained by its shortest cycles', () => {
    const prose = told('proof with reads that are choices').filter((text) => !text.startsWith('Let'));
    expect(prose[0]).toContain(
      'a proof of 4 steps covers 0 pairs of writers of the same key and 2 possible writers of reads',
    );
    expect(prose.at(-1)).toMatch(/^Another cycle: /);
  });

  test('an anomaly without a certificate is explained as far as it goes', () => {
    const { history } = certified('write skew');
    const story = explain(history, 'serializable', { name: 'G2-item', transactions: [0, 1] });
    expectWellFormed(story);
    expect(story.prose.at(-1)!.text).toBe(
      'No order explains T1, T2 together, but the checker gave no certificate that shows why.',
    );
    expect(story.transactions.map(({ role }) => role)).toEqual(['cycle', 'cycle']);
  });

  test('explain speaks of the history that it is a part of', () => {
    const whole = h`w(z,1) | w(z,2) | r(x,0) r(y,0) w(x,1)
w(z,3) | r(x,0) r(y,0) w(y,1) | w(z,4)`;
    const part = partsOf(whole)(Uint8Array.from([0, 0, 1, 0, 1, 0]));
    const { certificate, level } = certified('write skew');
    const options = {
      whole: { history: whole, txnOf: part.txnOf, opOf: part.opOf },
      hiddenBecause: 'they do not matter',
    };
    const story = explain(part.history, level, { name: 'G2-item', transactions: [], certificate }, options);
    expect(story.prose.map(({ text }) => text).join('\n')).toContain('be transaction 3 of session 0 (line 1)');
    expect(story.hidden).toEqual({ transactions: 4, sessions: 0, operations: 4, reason: 'they do not matter' });
  });

  test('explain draws all of a small history, with irrelevant parts as context', () => {
    const story = storyOf(certified('incompatible lists'));
    expect(story.transactions.map(({ label, role }) => [label, role])).toEqual([
      ['T1', 'context'],
      ['T2', 'context'],
      ['T3', 'cycle'],
      ['T4', 'cycle'],
    ]);
    expect(story.prose.filter(({ text }) => text.startsWith('Let'))).toHaveLength(2);
  });

  test('explain takes from a larger history only the transactions of the certificate, and counts the hidden ones', () => {
    const many = Array.from({ length: 20 }, (_, i) => `w(q,${i + 1})`).join(' | ');
    const history = h`r(x,0) r(y,0) w(x,1) | w(z,1)
r(x,0) r(y,0) w(y,1)
${many}`;
    const edges = JSON.parse(
      JSON.stringify((certified('write skew').certificate as { edges: unknown }).edges)
        .replaceAll('"write":5', '"write":6')
        .replaceAll('"read":3', '"read":4')
        .replaceAll('"from":1', '"from":2')
        .replaceAll('"to":1', '"to":2'),
    );
    const story = explain(history, 'serializable', {
      name: 'G2-item',
      transactions: [],
      certificate: { kind: 'cycle', edges },
    });
    expectWellFormed(story);
    expect(story.hidden).toMatchObject({ transactions: 21, sessions: 1 });
    expect(story.sessions[0]).toMatchObject({ hiddenAfter: 1 });
    expect(story.copies?.notation).toBe('r(x,0) r(y,0) w(x,1)\nr(x,0) r(y,0) w(y,1)');
  });

  test('explain shows the stages of an interpretation', () => {
    const d = (from: number, to: number, type: 'WR' | 'WW' | 'RW', certain: boolean) => ({
      from,
      to,
      type,
      key: 0,
      certain,
    });
    const scenario = (...dependencies: ReturnType<typeof d>[]) => ({
      transactions: [...new Set(dependencies.flatMap(({ from, to }) => [from, to]))],
      dependencies,
    });
    const certain = [d(0, 1, 'WR', true), d(1, 2, 'RW', true)];
    const stages = {
      raw: scenario(d(1, 2, 'RW', true), d(2, 1, 'WW', false)),
      restored: scenario(...certain, d(2, 1, 'WW', false)),
      resolved: scenario(...certain),
      finalized: scenario(...certain),
    };
    const story = storyOf(certified('lost update'), { stages });
    expectWellFormed(story);
    expect(story.stages?.map(({ name, edges }) => [name, edges.length])).toEqual([
      ['raw', 2],
      ['restored', 3],
      ['resolved', 2],
      ['finalized', 2],
    ]);
    const gone = story.edges.find(({ id }) => id === story.stages![0]!.edges[1])!;
    expect(gone).toMatchObject({ kind: 'write-order', onlyInStages: true });
    expect(gone.sentence).toContain('impossible');
    expect(story.stages!.map(({ uncertain }) => uncertain)).toEqual([[gone.id], [gone.id], [], []]);
    const cycle = story.edges.filter(({ part }) => part === 'cycle').map(({ id }) => id);
    expect(story.stages![3]!.edges.some((id) => cycle.includes(id))).toBe(true);
  });

  test('explain cuts long transactions down to relevant operations', () => {
    const many = Array.from({ length: 100 }, (_, i) => `w(z${i},1)`).join(' ');
    const history = h`w(x,1)
${many} r(x,1) r(y,9)`;
    const story = explain(history, 'causal', {
      name: 'thin-air-read',
      transactions: [1],
      certificate: { kind: 'internal', anomaly: 'thin-air-read', read: 102, other: -1 },
    });
    expect(story.transactions[1]!.operations.map(({ text }) => text)).toEqual(['read x = 1', 'read y = 9']);
    expect(story.prose[0]!.text).toMatch(/read x = 1, read y = 9, …\.$/);
  });
});

describe('a proof as cases', () => {
  test('a proof as cases splits on choices until each has its cycle, which the verifier accepts', () => {
    const { history, certificate } = certified('proof');
    const cases = casesOf(certificate as never);
    expect(cases?.kind).toBe('cases');
    expect(verifyCertificate(history, 'snapshot-isolation', 'violated', cases!)).toEqual({ ok: true });
  });

  test('a proof as cases gives up if it takes too many', () => {
    const choices = Array.from({ length: 12 }, (_, i) => ({ first: i, second: i + 1, key: 0 }));
    const steps = Array.from({ length: 1 << 12 }, (_, signs) => ({
      kind: 'cycle' as const,
      clause: choices.map((__, i) => ((signs >> i) & 1 ? i + 1 : -i - 1)),
      edges: [],
    }));
    expect(casesOf({ kind: 'proof', choices, steps })).toBe(null);
  });
});

describe('the texts to copy', () => {
  test('the notation reads as the test kit prints it', () => {
    for (const { history } of CERTIFIED) expect(printNotation(history)).toBe(printHistory(history));
  });
});
