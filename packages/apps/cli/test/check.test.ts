import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { CLEAN, FORK, folderOf, transfer } from './support/histories.ts';
import { isolab, shown } from './support/isolab.ts';

const { folder, file } = folderOf('check');
const clean = file('clean.txt', CLEAN);
const twice = file('twice.txt', 'w(1,1,0,0)\nr(1,1,1,1)\nr(1,1,1,1)\n');
const thinAir = file('thin-air.txt', 'r(1,7,0,0)\n');
const fork = file('fork.txt', FORK);

/** Each of two transactions misses the write of the other. */
const SKEW = `{"session":1,"ops":[["r","x",null],["w","y",1]]}
{"session":2,"ops":[["r","y",null],["w","x",1]]}
`;

/** A least or greatest value that no row ever held, read by a transaction that nothing shows to have happened. */
const UNEXPLAINED = {
  'pl-2': `{"isolab":"history","version":2}
{"session":"s0","ops":[["max","p",true,"a",1]],"status":"unknown"}
{"session":"s0","ops":[["put","p",2,{"a":2}]]}
{"session":"s0","ops":[["scan","p",["=","a",2],[]]]}
`,
  'cut-isolation': `{"isolab":"history","version":2}
{"session":"s1","ops":[["max","p",true,"a",4]],"status":"unknown"}
{"session":"s1","ops":[["get","p",1,null],["get","p",1,null],["put","p",1,null]]}
`,
};

describe('isolab check', () => {
  test.each(Object.entries(UNEXPLAINED))(
    'isolab check takes no aggregate of an unknown outcome for evidence at %s',
    async (level, text) => {
      const path = file(`unexplained-${level}.jsonl`, text);
      expect(await isolab('check', path, '--level', level)).toMatchObject({ code: 0 });
      const { code, out } = await isolab('check', path, '--level', 'all');
      expect(code).not.toBe(3);
      expect(out).not.toContain('contradiction');
      expect(out).not.toContain('aggregate');
    },
  );

  test('isolab check exits with 1 on a violation and explains it with places in the source', async () => {
    expect(shown(await isolab('check', transfer, '--level', 'si'), folder)).toMatchInlineSnapshot(`
      "violated   snapshot-isolation  ROOT/datasets/histories/aborted-transfer.jsonl  by weave in N ms

      Aborted read: T2 reads alice = 70, which was never committed: T1 wrote it and aborted.

        T1  session teller 1, transaction transfer 30, line 3  │ <write alice = 70>  aborted
        T2  session teller 2, transaction statement, line 4    │ [read alice = 70]

        Also called G1a, aborted-read, AbortedRead, TAP-b, dirty-read, P1.
        This part alone rules out read-committed-pl2.
        This part alone is consistent with cut-isolation.
        --shrink explains it step by step; isolab explain draws it, and isolab explain G1a shows how to prevent it.
      exit code 1"
    `);
  });

  test('isolab check explains a violation in a few lines, by the smallest part of the history', async () => {
    expect(shown(await isolab('check', fork, '--level', 'causal'), folder)).toMatchInlineSnapshot(`
      "violated   causal  FOLDER/fork.txt  by weave in N ms

      Causality violation: T2 sees T1’s write of 1 to key 1, and T3 sees T2’s write of 1 to key 2 but does not see T1’s write of 1 to key 1 (it reads key 1 = 0).

        T1  session 0, transaction 0, line 1  │ <write key 1 = 1>
        T2  session 1, transaction 1, line 2  │ read key 1 = 1  write key 2 = 1
        T3  session 2, transaction 2, line 4  │ read key 2 = 1  [read key 1 = 0]

        Also called causality-violation, COConflictCM, COConflictAO, ConflictCM, ConflictAO, TAP-m, TAP-n, CausalityViolation.
        Rules out causal, adya-snapshot-isolation.
        Is consistent with read-atomic.
        --shrink explains it step by step; isolab explain draws it, and isolab explain causality-violation shows how to prevent it.
      exit code 1"
    `);
  });

  test('isolab check explains each kind of violation edge by edge', async () => {
    expect(shown(await isolab('check', fork, '--level', 'causal', '--find-all'), folder)).toMatchInlineSnapshot(`
      "violated   causal  FOLDER/fork.txt  by weave in N ms

      1 × causality-violation (COConflictCM, COConflictAO, ConflictCM, ConflictAO, TAP-m, TAP-n, CausalityViolation)
      Causality violation: T2 sees T1’s write of 1 to key 1, and T3 sees T2’s write of 1 to key 2 but does not see T1’s write of 1 to key 1 (it reads key 1 = 0).
        Causality violation: a transaction misses a write that causally precedes it, which causal consistency forbids.
        Also called causality-violation, COConflictCM, COConflictAO, ConflictCM, ConflictAO, TAP-m, TAP-n, CausalityViolation.
        Rules out causal, adya-snapshot-isolation.
        Is consistent with read-atomic.

         1. Let T1 be transaction 0 (line 1): write key 1 = 1.
         2. Let T2 be transaction 1 (line 2): read key 1 = 1, write key 2 = 1.
         3. Let T3 be transaction 2 (line 4): read key 2 = 1, read key 1 = 0.
         4. Then T1 comes before T2, because T2 reads key 1 = 1 (line 2), which T1 wrote.
         5. T2 comes before T3, because T3 reads key 2 = 1 (line 4), which T2 wrote.
         6. However, T3 comes before T1, because T3 reads key 1 = 0 (line 5), the initial state, which T1 overwrites when it writes key 1 = 1 (line 1): a contradiction.
         7. If T1 came before T3, T3 would see key 1 = 1 or a later version, not key 1 = 0.

      Without the 2 transactions of these anomalies, the history satisfies causal.
      exit code 1"
    `);
  });

  test('isolab check exits with 0 when the level holds, and with 2 when it cannot decide', async () => {
    expect(shown(await isolab('check', clean, '--level', 'causal'), folder)).toMatchInlineSnapshot(`
      "satisfied  causal  FOLDER/clean.txt  by weave in N ms
        rests on 1 read with a known writer, 1 pair of transactions that met, 2 sessions, no times
      exit code 0"
    `);
    expect(shown(await isolab('check', clean, '--level', 'causal', '--checker', 'polysi'), folder))
      .toMatchInlineSnapshot(`
      "unknown    causal  FOLDER/clean.txt  by polysi in N ms
        polysi does not check causal; it checks snapshot-isolation.
      exit code 2"
    `);
  });

  test('isolab check prints one JSON object a line and nothing else', async () => {
    const { code, out, err } = await isolab('check', clean, thinAir, '--level', 'causal', '--output', 'json');
    expect(code).toBe(1);
    expect(err).toBe('');
    const [first, second] = out.split('\n').map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(first).toMatchObject({
      verdict: 'satisfied',
      level: 'causal',
      checker: 'weave',
      variant: null,
      history: { sessions: 2, transactions: 2, operations: 2, keys: 1 },
      anomalies: [],
      reason: null,
    });
    expect(first!['peakRssBytes']).toBeGreaterThan(1e6);
    expect(second).toMatchObject({
      verdict: 'violated',
      anomalies: [
        { name: 'thin-air-read', aliases: expect.arrayContaining(['TAP-a']), transactions: ['transaction 0'] },
      ],
      reason: null,
    });
    expect((second!['stages'] as { name: string }[]).map(({ name }) => name)).toContain('parse');
  });

  test('isolab check says for --level all, or for none, which levels hold and which do not, and explains one violation', async () => {
    const { code, out } = await isolab('check', fork, '--level', 'all', '--output', 'json');
    expect(code).toBe(0);
    const kept = 'read atomic and everything weaker';
    const notKept =
      'causal consistency, snapshot isolation (Adya) and everything stronger (causal, adya-snapshot-isolation)';
    expect(JSON.parse(out)).toMatchObject({
      level: 'all',
      named: [],
      answer: { kept, notKept, notDecided: [expect.stringContaining('linearizability needs ')] },
      strongest: ['read-atomic'],
      weakestViolated: ['causal', 'adya-snapshot-isolation'],
      levels: { 'read-committed': 'satisfied', causal: 'violated', serializable: 'violated' },
    });
    const text = await isolab('check', fork, '--level', 'all');
    expect(shown(text, folder)).toMatchInlineSnapshot(`
      "FOLDER/fork.txt
      kept         read atomic and everything weaker
                   rests on 3 reads with a known writer, 3 pairs of transactions that met, 3 sessions, no times
      not kept     causal consistency, snapshot isolation (Adya) and everything stronger (causal, adya-snapshot-isolation)
      not decided  linearizability needs transactions of one key each

      Causality violation: T2 sees T1’s write of 1 to key 1, and T3 sees T2’s write of 1 to key 2 but does not see T1’s write of 1 to key 1 (it reads key 1 = 0).

        T1  session 0, transaction 0, line 1  │ <write key 1 = 1>
        T2  session 1, transaction 1, line 2  │ read key 1 = 1  write key 2 = 1
        T3  session 2, transaction 2, line 4  │ read key 2 = 1  [read key 1 = 0]

        Also called causality-violation, COConflictCM, COConflictAO, ConflictCM, ConflictAO, TAP-m, TAP-n, CausalityViolation.
        Rules out causal, adya-snapshot-isolation.
        Is consistent with read-atomic.
        --shrink explains it step by step; isolab explain draws it, and isolab explain causality-violation shows how to prevent it.
      exit code 0"
    `);
    expect(await isolab('check', fork)).toEqual(text);
  });

  test('isolab check --level all exits by the levels named beside it', async () => {
    const named = await isolab('check', fork, '--level', 'all,read-atomic');
    expect(named.code).toBe(0);
    expect(named.out).toMatch(/^satisfied {2}read-atomic[^]*^All levels, for information:\nkept /m);
    const violated = await isolab('check', fork, '--level', 'si,all', '--output', 'json');
    expect(violated.code).toBe(1);
    expect(JSON.parse(violated.out)).toMatchObject({ level: 'snapshot-isolation,all', named: ['snapshot-isolation'] });
  });

  test('isolab check reports in every form that unrequested levels are information', async () => {
    const { code, out: junit } = await isolab('check', fork, '--output', 'junit');
    expect(code).toBe(0);
    expect(junit).toMatch(/<testsuite name="[^"]*" tests="16" failures="0" errors="0" skipped="\d+"/);
    expect(junit).toContain('<skipped message="violated: ');
    expect(junit.match(/Let T1 be/g)).toHaveLength(1);
    const markdown = await isolab('check', fork, '--output', 'markdown');
    expect(markdown).toMatchObject({ code: 0, out: expect.stringContaining('| kept | read atomic and everything') });
    expect(markdown.out).not.toMatch(/❌|✅/u);
    expect((await isolab('check', fork, '--output', 'html')).code).toBe(0);
    const demanded = await isolab('check', fork, '--level', 'si,all', '--output', 'junit');
    expect(demanded).toMatchObject({ code: 1, out: expect.stringContaining('failures="1" errors="0"') });
  });

  test('isolab check judges by name the claimed level that the history states', async () => {
    const lines = '{"session":1,"ops":[["r","x",0],["w","x",1]]}\n{"session":2,"ops":[["r","x",0],["w","x",2]]}\n';
    const claiming = (claims: string): string =>
      file(
        'claiming.jsonl',
        `{"isolab":"history","version":1,"initial":0,"collected":{"claims":"${claims}"}}\n${lines}{"isolab":"end"}\n`,
      );
    const demanded = await isolab('check', claiming('snapshot-isolation'));
    expect(demanded).toMatchObject({ code: 1, out: expect.stringMatching(/^violated {3}snapshot-isolation /) });
    expect((await isolab('check', claiming('read-committed'))).code).toBe(0);
    expect((await isolab('check', claiming('snapshot-isolation'), '--level', 'all')).code).toBe(0);
    // A later version may know another level.
    const unknown = await isolab('check', claiming('some-level'));
    expect(unknown).toMatchObject({ code: 0, out: expect.stringContaining('\nkept ') });
  });

  test('isolab check ends with 2 where --level all decides nothing, or is cut short', async () => {
    expect((await isolab('check', fork, '--steps', '1')).code).toBe(2);
  });

  test('isolab check takes several levels by name, each once under any of its names', async () => {
    const { code, out } = await isolab('check', fork, '--level', 'ser,ra,serializable', '--output', 'json');
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({
      path: fork,
      level: 'serializable,read-atomic',
      levels: { serializable: 'violated', 'read-atomic': 'satisfied' },
    });
    expect((await isolab('check', fork, '--level', 'ra,rc')).code).toBe(0);
    expect(await isolab('check', fork, '--level', 'ra,')).toMatchObject({
      code: 3,
      err: "isolab: There is an empty name in --level 'ra,'; isolab list levels lists the names.",
    });
  });

  test('isolab check takes a checker, a variant and options, and says which there are', async () => {
    expect((await isolab('check', clean, '-l', 'causal', '-c', 'plume:no-vectors', '--output', 'json')).out).toContain(
      '"variant":"no-vectors"',
    );
    expect(await isolab('check', clean, '-l', 'causal', '-c', 'plume:x')).toMatchObject({
      code: 3,
      err: expect.stringContaining('no-tree-clocks'),
    });
    expect(await isolab('check', clean, '-l', 'causal', '-c', 'plume', '--option', 'x=1')).toMatchObject({
      code: 3,
      err: expect.stringContaining("no option 'x'"),
    });
    expect(await isolab('check', clean, '-l', 'causal', '-c', './no-such-checker.js')).toMatchObject({ code: 3 });
    expect(await isolab('check', clean, '-l', 'causal', '--option', 'x=1')).toMatchObject({
      code: 3,
      err: expect.stringContaining('--checker'),
    });
  });

  test('isolab check refuses a history whose values repeat where a read has a choice and the checker takes none, and names the read', async () => {
    const ambiguous = file('ambiguous.txt', 'w(1,1,0,0)\nw(1,1,1,1)\nr(1,1,2,2)\n');
    const { code, out } = await isolab('check', ambiguous, '--level', 'causal', '--checker', 'plume');
    expect(code).toBe(2);
    expect(out).toContain('line 3');
  });

  test('isolab check keeps to a time limit in a worker and to a step limit', async () => {
    expect((await isolab('check', clean, '-l', 'causal', '--time', '20s')).code).toBe(0);
    expect(await isolab('check', fork, '-l', 'causal', '--steps', '1')).toMatchObject({
      code: 2,
      out: expect.stringContaining('steps'),
    });
    expect(await isolab('check', clean, '-l', 'causal', '--time', 'soon')).toMatchObject({
      code: 3,
      err: expect.stringContaining('500ms'),
    });
  });

  test.each([
    [clean, 'causal'],
    [fork, 'causal'],
    [thinAir, 'read-committed'],
    [twice, 'cut-isolation'],
  ])(
    'isolab check writes a certificate for %s at %s that verify accepts, and another history’s it rejects',
    async (path, level) => {
      const certificate = join(folder, 'certificate.json');
      await isolab('check', path, '--level', level, '--certificate', certificate);
      expect(await isolab('verify', path, certificate)).toMatchObject({
        code: 0,
        out: expect.stringContaining('accepted'),
      });
      expect(await isolab('verify', transfer, certificate)).toMatchObject({
        code: 2,
        out: expect.stringContaining('rejected'),
      });
    },
  );

  test.each([
    ['no operations', '{"session":1,"ops":[]}'],
    ['only aborted transactions', '{"session":1,"status":"aborted","ops":[["w","x",1],["r","x",1]]}'],
    ['only unknown outcomes', '{"session":1,"status":"unknown","ops":[["w","x",1],["r","x",1]]}'],
    ['no reads', '{"session":1,"ops":[["w","x",1]]}\n{"session":2,"ops":[["w","x",2]]}'],
    [
      'no reads with a result',
      '{"session":1,"ops":[["w","x",1]]}\n{"session":2,"ops":[["r","x",{"unknown":"value"}]]}',
    ],
    ['reads of what nothing writes', '{"session":1,"ops":[["w","x",1]]}\n{"session":2,"ops":[["r","y",null]]}'],
  ])('a history with %s is unknown unless that is allowed', async (_, lines) => {
    const path = file('vacuous.jsonl', `{"isolab":"history","version":1}\n${lines}\n`);
    for (const level of ['si', 'strict-serializable', 'all']) {
      const { code, out } = await isolab('check', path, '--level', level);
      expect({ code, out }).toMatchObject({ code: 2, out: expect.stringContaining('nothing to judge: ') });
      expect(out).toContain('--allow-vacuous');
      const { code: second, out: allowed } = await isolab('check', path, '--level', level, '--allow-vacuous');
      expect({ second, allowed }).toMatchObject({ second: 0, allowed: expect.stringContaining('rests on 0 reads') });
    }
    const { code, out } = await isolab('check', path, '--level', 'si', '--output', 'json');
    expect({ code, ...JSON.parse(out) }).toMatchObject({
      code: 2,
      verdict: 'unknown',
      evidence: { reads: 0 },
      unknown: { 'snapshot-isolation': { reason: 'nothing-to-judge' } },
    });
  });

  test('a level of real time is unknown without times, and violated where a weaker one is', async () => {
    const header = '{"isolab":"history","version":1}';
    const fine = file(
      'timeless.jsonl',
      `${header}\n{"session":1,"ops":[["w","x",1]]}\n{"session":2,"ops":[["r","x",1]]}\n`,
    );
    const { code, out } = await isolab('check', fine, '--level', 'strict-serializable');
    expect({ code, out }).toMatchObject({ code: 2, out: expect.stringContaining('needs times: ') });
    expect((await isolab('check', fine, '--level', 'serializable')).code).toBe(0);
    const all = await isolab('check', fine, '--level', 'all');
    expect(all).toMatchObject({
      code: 0,
      out: expect.stringContaining('kept         serializability and everything weaker (serializable)'),
    });
    // All levels that need times are one line.
    expect(all.out.split('\n').filter((line) => line.includes(' need'))).toEqual([
      'not decided  generalized snapshot isolation, strict serializability, linearizability and everything stronger need times that can be compared',
    ]);
    expect(all.out).toContain(
      'rests on 1 read with a known writer, 1 pair of transactions that met, 2 sessions, no times',
    );
    const skewed = file('timeless-skew.jsonl', `${header}\n${SKEW}`);
    expect((await isolab('check', skewed, '--level', 'strict-serializable')).code).toBe(1);
  });

  test('isolab check names in every form the evidence of a satisfied verdict', async () => {
    const line = /rests on \d+ reads? with a known writer, \d+ pairs? of transactions that met, \d+ sessions/;
    for (const form of ['text', 'json', 'junit', 'markdown', 'html'])
      expect((await isolab('check', clean, '--level', 'serializable', '--output', form)).out).toMatch(line);
    const { out: svg } = await isolab('check', clean, '--level', 'serializable', '--output', 'svg');
    expect(svg).toContain('The verdict rests on 1 read with a known writer'); // in lines of the width of the picture
    expect((await isolab('check', clean, '--level', 'serializable', '--checker', 'weave,cobra')).out).toMatch(line);
  });

  test('isolab check refuses operations that isolab does not model, under every flag', async () => {
    const bank = fileURLToPath(new URL('../../../../datasets/examples/jepsen-edn/bank.edn', import.meta.url));
    for (const more of [[], ['--allow-vacuous']]) {
      expect(await isolab('check', bank, '--level', 'si', ...more)).toMatchObject({
        code: 3,
        err: expect.stringContaining('of a kind that isolab does not model'),
      });
    }
  });

  test('isolab check warns on standard error where a level’s name misleads', async () => {
    const { err, out } = await isolab('check', clean, '--level', 'rr', '--output', 'json');
    expect(err).toContain('Adya’s repeatable read (PL-2.99)');
    expect(JSON.parse(out)).toMatchObject({ level: 'snapshot-isolation' });
  });
});
