import { describe, expect, test } from 'vitest';
import { visibleText } from '@isolab/history';
import { type JunitSuite, junitXml } from '../src/junit.ts';
import { storyMarkdown } from '../src/view/story-markdown.ts';
import { viewHtml } from '../src/view/view-html.ts';
import { HOSTILE, hostile, longFork, lostUpdate, staged } from './stories.ts';
import { all, parse, textOf } from '@isolab/needs/browser';

describe('a story as Markdown', () => {
  test('a story as Markdown explains the violation by steps, with the places and the history', () => {
    expect(storyMarkdown(lostUpdate)).toMatchInlineSnapshot(`
      "## Lost update: snapshot-isolation is violated

      T423 and T830 both read object 2 = 4 from T949 and both overwrite it: the update of one of them is lost.

      - **Anomaly:** \`lost-update\`, \`P4\`, \`divergence\`
      - **Rules out:** \`snapshot-isolation\`, \`serializable\`
      - **Is consistent with:** \`causal\`, \`prefix\`
      - **Source:** \`galera.txt\`
      - **Checker:** \`polysi\`
      - **Not shown:** 1,234 transactions of 10 sessions with 12,340 operations hidden: the violation does not need them

      1. T949 wrote object2 = 4; both T423 and T830 read it.
      2. Say T423 overwrites it first.
         - One of the two writes comes first.
         - If T830 came first, T423 would have read what T830 had overwritten by then: again a cycle.
      3. Then T830 has read a version that was overwritten before it committed.
         - T949 wrote what T830 read, and T423 comes after T949.
      4. T830 would have to come both before and after T423: a contradiction.
         - why T423 →WW object2→ T830: see 2
         - why T830 →RW object2→ T423: see 3

      | transaction | session | operations | place |
      | --- | --- | --- | --- |
      | T423 | session 1 | \`object2 → 4\` \`object2 := 5\` | bug.txt:1 |
      | T949 | session 2 | \`object2 := 4\` \`object7 := 1\` | bug.txt:949 |
      | T830 | session 5 | \`object2 → 4\` \`object2 := 13\` | bug.txt:1 |

      The stages of the interpretation; \`?\` marks edges that are still uncertain:

      - The cycle that the solver found. \`T423 →WW object2→ T830\`, \`T830 →RW object2→ T423\`
      - What it stems from is brought back. \`T949 →WR object2→ T423\`, \`T949 →WR object2→ T830\`, \`T423 →WW object2→ T830\`, \`T830 →RW object2→ T423\`, \`T830 →WW object2→ T423\`, \`T423 →RW object2→ T830\`
      - Only what is certain. \`T949 →WR object2→ T423\`, \`T949 →WR object2→ T830\`, \`T423 →WW object2→ T830\`, \`T830 →RW object2→ T423\`

      The history:

      \`\`\`
      w(object2,4) w(object7,1)
      r(object2,4) w(object2,5)
      r(object2,4) w(object2,13)
      \`\`\`

      To reproduce it:

      \`\`\`sh
      isolab explain galera.txt --level snapshot-isolation
      \`\`\`
      "
    `);
  });

  test('a story as Markdown gives each reason once, and later says where it stands', () => {
    const [first] = lostUpdate.prose.filter(({ edges }) => edges.includes('ww'));
    const again = { text: 'So it was the other one.', edges: ['ww'] };
    const text = storyMarkdown({ ...lostUpdate, prose: [first!, again] });
    expect(text.match(/One of the two writes comes first/g)).toHaveLength(1);
    expect(text).toContain('2. So it was the other one.\n   - why T423 →WW object2→ T830: see 1');
    const { derivation } = lostUpdate.edges.find(({ id }) => id === 'ww')!;
    const said = { text: `${derivation!.text} ${derivation!.refuted!.text}`, edges: ['ww'] };
    expect(storyMarkdown({ ...lostUpdate, prose: [said] })).not.toContain('   - ');
  });

  test('a story as Markdown says which levels are left standing where that was decided', () => {
    expect(storyMarkdown(lostUpdate)).toContain('- **Is consistent with:** `causal`, `prefix`');
    expect(storyMarkdown({ ...lostUpdate, leftStanding: [] })).toContain('- **Is consistent with:** `nothing`');
    const { leftStanding: _, ...undecided } = lostUpdate;
    expect(storyMarkdown(undecided)).not.toContain('consistent with');
  });

  test('a story as Markdown says which levels the whole history keeps, where several were checked, on the page as well', () => {
    const answer = { kept: 'prefix <consistency>', notKept: 'snapshot isolation', notDecided: ['one', 'another'] };
    const text = storyMarkdown({ ...lostUpdate, answer });
    expect(text).toContain('- **Not kept:** snapshot isolation\n- **Not decided:** one\n- **Not decided:** another');
    const page = viewHtml({ ...lostUpdate, answer });
    expect(page).toContain('<span class="faint">kept</span> prefix &lt;consistency&gt;</li>');
    expect(page).toContain('<span class="faint">not kept</span> snapshot isolation</li>');
    expect(storyMarkdown(lostUpdate)).not.toContain('Kept');
  });

  test('a story as Markdown lists the stages, with uncertain parts', () => {
    expect(storyMarkdown(staged)).toMatchInlineSnapshot(`
      "## Lost update: snapshot-isolation is violated

      T423 and T830 both read object 2 = 4 from T949 and both overwrite it: the update of one of them is lost.

      - **Anomaly:** \`lost-update\`, \`P4\`, \`divergence\`
      - **Rules out:** \`snapshot-isolation\`, \`serializable\`
      - **Is consistent with:** \`causal\`, \`prefix\`
      - **Source:** \`galera.txt\`
      - **Checker:** \`polysi\`
      - **Not shown:** 1,234 transactions of 10 sessions with 12,340 operations hidden: the violation does not need them

      1. T949 wrote object2 = 4; both T423 and T830 read it.
      2. Say T423 overwrites it first.
         - One of the two writes comes first.
         - If T830 came first, T423 would have read what T830 had overwritten by then: again a cycle.
      3. Then T830 has read a version that was overwritten before it committed.
         - T949 wrote what T830 read, and T423 comes after T949.
      4. T830 would have to come both before and after T423: a contradiction.
         - why T423 →WW object2→ T830: see 2
         - why T830 →RW object2→ T423: see 3

      | transaction | session | operations | place |
      | --- | --- | --- | --- |
      | T423 | session 1 | \`object2 → 4\` \`object2 := 5\` | bug.txt:1 |
      | T949 | session 2 | \`object2 := 4\` \`object7 := 1\` | bug.txt:949 |
      | T830 | session 5 | \`object2 → 4\` \`object2 := 13\` | bug.txt:1 |

      The stages of the interpretation; \`?\` marks edges that are still uncertain:

      - The cycle that the solver found. \`T423 →WW object2→ T830\`, \`T830 →RW object2→ T423\`
      - What it stems from is brought back. \`T949 →WR object2→ T423\`, \`T949 →WR object2→ T830\`, \`T423 →WW object2→ T830 ?\`, \`T830 →RW object2→ T423\`, \`T830 →WW object2→ T423\`, \`T423 →RW object2→ T830\`, \`T949 →WW object2→ T423 ?\`
      - Only what is certain. \`T949 →WR object2→ T423\`, \`T949 →WR object2→ T830\`, \`T423 →WW object2→ T830\`, \`T830 →RW object2→ T423\`

      The history:

      \`\`\`
      w(object2,4) w(object7,1)
      r(object2,4) w(object2,5)
      r(object2,4) w(object2,13)
      \`\`\`

      To reproduce it:

      \`\`\`sh
      isolab explain galera.txt --level snapshot-isolation
      \`\`\`
      "
    `);
    expect(storyMarkdown(longFork)).not.toContain('How it was interpreted');
  });

  test('a story as Markdown has the heading that is asked for, and no empty parts', () => {
    expect(storyMarkdown(longFork, { heading: 4 })).toMatchInlineSnapshot(`
      "#### Long fork: snapshot-isolation is violated

      T3 sees x = 1 and not y = 1, T4 sees y = 1 and not x = 1: no order of T1 and T2 explains both.

      - **Anomaly:** \`G-nonadjacent\`, \`long-fork\`

      1. T3 sees T1 and not T2.
      2. T4 sees T2 and not T1.

      | transaction | session | operations | place |
      | --- | --- | --- | --- |
      | T1 | session 1 | \`x := 1\` | bug.txt:1 |
      | T3 | session 2 | \`x → 1\` \`y → 0\` | bug.txt:2 |
      | T4 | session 3 | \`y → 1\` \`x → 0\` | bug.txt:4 |
      | T2 | session 4 | \`y := 1\` | bug.txt:6 |
      "
    `);
  });

  test('a story as Markdown cannot be broken out of', () => {
    const lines = storyMarkdown(hostile(longFork)).split('\n');
    for (const line of lines.filter((one) => !one.includes('`')))
      expect(line.replaceAll(/\\./g, '')).not.toMatch(/<script>/);
    for (const row of lines.filter((line) => line.startsWith('|'))) {
      expect(row.replaceAll(String.raw`\|`, '').match(/\|/g)).toHaveLength(5);
    }
  });
});

describe('JUnit', () => {
  const suites: JunitSuite[] = [
    {
      name: `history ${HOSTILE}.txt`,
      cases: [
        { name: 'causal', checker: 'weave', verdict: 'satisfied', ms: 12 },
        {
          name: 'snapshot-isolation',
          checker: 'weave',
          verdict: 'violated',
          ms: 1500,
          message: HOSTILE,
          text: `${HOSTILE}\nsecond line`,
        },
        { name: 'serializable', checker: 'weave', verdict: 'unknown', message: 'timeout' },
      ],
    },
    { name: 'other', cases: [{ name: 'causal', checker: 'weave', verdict: 'error', message: 'no such file' }] },
  ];
  const root = parse(junitXml(suites));

  test('JUnit counts violations as failures, and unknown verdicts as errors', () => {
    expect(root.attributes).toEqual({
      name: 'isolab',
      tests: '4',
      failures: '1',
      errors: '2',
      skipped: '0',
      time: '1.512',
    });
    expect(root.children[0]!.attributes).toMatchObject({ tests: '3', failures: '1', errors: '1', skipped: '0' });
    const outcomes = all(root, ({ name }) => name === 'testcase').map(({ children }) => children[0]?.name ?? 'passed');
    expect(outcomes).toEqual(['passed', 'failure', 'error', 'error']);
  });

  test('JUnit skips a level without a demand, unless it is satisfied', () => {
    const verdicts = ['satisfied', 'violated', 'unknown', 'error'] as const;
    const cases = verdicts.map((verdict) => ({ name: verdict, checker: 'weave', verdict, isInformation: true }));
    const information = parse(junitXml([{ name: 'a history', cases }]));
    expect(information.attributes).toMatchObject({ tests: '4', failures: '0', errors: '0', skipped: '3' });
    const skipped = all(information, ({ name }) => name === 'skipped');
    expect(skipped.map(({ attributes }) => attributes.message)).toEqual(['violated: ', 'unknown: ', 'error: ']);
  });

  test('JUnit keeps messages as they are', () => {
    const failure = all(root, ({ name }) => name === 'failure')[0]!;
    const kept = visibleText(HOSTILE);
    expect(failure.attributes.message).toBe(kept);
    expect(textOf(failure)).toBe(`${kept}\nsecond line`);
  });
});
