import { type Account, expectedText, headOf, observedText } from './account.ts';

/** Writes a specification for PostgreSQL's isolation tester (src/test/isolation). */
export function isolationSpec(account: Account): string {
  const { schedule, script } = account;
  const sessions = Array.from({ length: schedule.terminals }, (_, terminal) => [
    `session t${terminal + 1}`,
    ...(script.session.length > 0 ? [`setup { ${script.session.map(ended).join(' ')} }`] : []),
    ...schedule.steps.flatMap((step, i) =>
      step.terminal === terminal
        ? [
            `# expected: ${comment(expectedText(account, i))}`,
            `# observed: ${comment(observedText(account, i))}`,
            ...(step.rushes
              ? ['# isolab sent the next step without waiting for this one, which this tester cannot do.']
              : []),
            `step ${step.name} { ${script.steps[i]!.map(ended).join(' ')} }`,
          ]
        : [],
    ),
    '',
  ]);
  return `${[
    ...headOf(account).map((line) => `# ${comment(line)}`),
    '',
    'setup',
    '{',
    ...script.before.map((sql) => `  ${ended(sql)}`),
    '}',
    '',
    'teardown',
    '{',
    ...script.after.map((sql) => `  ${ended(sql)}`),
    '}',
    '',
    ...sessions.flat(),
    `permutation ${schedule.steps.map(({ name }) => name).join(' ')}`,
  ].join('\n')}\n`;
}

const ended = (sql: string): string => `${sql.trim()};`;
const comment = (text: string): string => text.replaceAll(/\s+/g, ' ');
