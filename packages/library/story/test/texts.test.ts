import { describe, expect, test } from 'vitest';
import { visibleText } from '@isolab/history';
import { type JunitSuite, junitXml } from '../src/junit.ts';
import { storyMarkdown } from '../src/story-markdown.ts';
import { viewHtml } from '../src/view/view-html.ts';
import { HOSTILE, hostile, longFork, lostUpdate, staged } from './stories.ts';
import { all, parse, textOf } from '@isolab/needs/browser';

describe('a story as Markdown', () => {
  test('a story as Markdown says what went wrong, by which steps, with the places and the history', () => {
    const text = storyMarkdown(lostUpdate);
    expect(text).toMatch(/^## Lost update: snapshot-isolation is violated\n/);
    expect(text).toContain('- **Anomaly:** `lost-update`, `P4`, `divergence`');
    expect(text).toContain(
      '2. Say T423 overwrites it first.\n   - One of the two writes comes first.\n   - If T830 came first',
    );
    expect(text).toContain('| T949 | session 2 | `object2 := 4` `object7 := 1` | bug.txt:949 |');
    expect(text).toContain(`\`\`\`\n${lostUpdate.copies!.notation}\n\`\`\``);
    expect(text).not.toContain('T951');
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

  test('a story as Markdown lists the stages, with what is uncertain', () => {
    const text = storyMarkdown(staged);
    expect(text).toContain('- The cycle that the solver found. `T423 →WW object2→ T830`');
    expect(text).toMatch(/What it stems from is brought back\. .*`T949 →WW object2→ T423 \?`/);
    expect(storyMarkdown(longFork)).not.toContain('How it was interpreted');
  });

  test('a story as Markdown has the heading that is asked for, and no empty parts', () => {
    const text = storyMarkdown(longFork, { heading: 4 });
    expect(text).toMatch(/^#### Long fork/);
    expect(text).not.toContain('Rules out');
    expect(text).not.toMatch(/\n{3}/);
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

  test('JUnit counts what failed, and what is unknown as an error', () => {
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

  test('JUnit skips what nothing demands, unless it is satisfied', () => {
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
