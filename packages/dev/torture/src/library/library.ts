import type { LevelName } from '@isolab/contract';
import type { History } from '@isolab/history';
import { ALL_LEVELS, levelsSatisfied } from '@isolab/oracle';
import { printHistory } from '@isolab/testkit';
import { Random } from '@isolab/workloads';
import { certificate, check, compare, drawSvg, findAll, shrink, story, storyMarkdown, verify, viewHtml } from 'isolab';
import { AIMS, draw } from '../agreement/draw.ts';
import { type Suite, reportAttempt } from '../suite/suite.ts';
import { problemOfCopy } from './copies.ts';

/** Checks random histories with all features of the model, in all outputs for a user. */
export const library: Suite = {
  name: 'library',
  title:
    'random histories through the library: verdicts are those of the oracle, no comparison of checkers reports a contradiction, certificates are accepted, shrunk histories still violate the level, each violation has a story and a page, copies in other formats satisfy the same levels',
  short: 200,
  long: 1_000_000,
  run: async (count, seed, report) => {
    for (let i = 0; i < count; i++) {
      const random = new Random(`library/${seed}/${i}`);
      const aim = AIMS[i % AIMS.length]!;
      const history = draw(aim, random);
      const share = random.chance(ALL_ASKED) ? 1 : LEVELS_ASKED;
      const levels = ALL_LEVELS.filter(() => random.chance(share));
      const attempt = async (): Promise<string | null> =>
        (await problemOf(history, levels, random)) ?? problemOfCopy(history, levels, random);
      const repeat = (): string => `history ${i} of seed ${seed}, ${levels.join(', ')}:\n${printHistory(history)}`;
      await reportAttempt(report, aim, attempt, repeat);
    }
  },
};

async function problemOf(history: History, levels: readonly LevelName[], random: Random): Promise<string | null> {
  if (levels.length === 0) return null;
  const truths = new Set(levelsSatisfied(history, levels));
  const result = await check(history, { level: levels });
  for (const level of levels) {
    const { verdict: status, unknown } = result.levels[level]!;
    if (unknown?.reason === 'contradiction') return `${level}: ${unknown.detail}`;
    if (status === 'unknown') continue;
    if ((status === 'satisfied') !== truths.has(level)) return `${level} is ${status}, unlike the oracle’s verdict`;
  }
  const compared = random.pick(levels);
  const { agree, reports } = await compare(history, { level: compared });
  if (!agree)
    return `compared at ${compared}: ${reports.map(({ checker, verdict }) => `${checker} ${verdict}`).join(', ')}`;
  const violated = levels.find((level) => result.levels[level]!.verdict === 'violated');
  return violated === undefined ? null : problemOfViolation(history, violated);
}

async function problemOfViolation(history: History, level: LevelName): Promise<string | null> {
  const result = await check(history, { level });
  const file = certificate(history, result);
  const verified = file === null ? null : verify(history, file);
  if (verified?.ok === false) return `the certificate of ${level} is wrong: ${verified.problem}`;
  const told = await story(history, result);
  if (told === null) return `${level} has no story`;
  const texts = [storyMarkdown(told), viewHtml(told), drawSvg(told)];
  const odd = texts.map((text) => /\bundefined\b|\bNaN\b|\[object /.exec(text.replaceAll(SCRIPTS, ''))).find(Boolean);
  if (odd) return `the story of ${level} contains ${odd[0]}`;
  await findAll(history, result);
  const shrunk = await shrink(history, result);
  if (shrunk === null) return null;
  const again = await check(shrunk.history, { level });
  const isSatisfied = levelsSatisfied(shrunk.history, [level]).includes(level);
  return again.verdict === 'violated' && !isSatisfied
    ? null
    : `shrunk, it is ${again.verdict}:\n${printHistory(shrunk.history)}`;
}

const SCRIPTS = /<script[\s\S]*?<\/script>/g;

/** Further levels would follow from these; only if all are checked, all of them may contradict one another. */
const LEVELS_ASKED = 0.3;
const ALL_ASKED = 0.2;
