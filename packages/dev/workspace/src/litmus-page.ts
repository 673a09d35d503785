/** docs/litmus.md: of every level its file, and the smallest histories at its borders with the levels next to it. */
import { type BuiltInLevel, KNOWN_LEVELS, type Level } from '@isolab/contract';
import { UNSEPARATED, WITNESSES, nextStronger, nextWeaker } from '@isolab/lattice';
import { builtInText } from '@isolab/levels';

export const litmusPage = (): string =>
  [
    '# Litmus',
    '',
    'This page has the definition of each level, and the smallest known histories that tell it from its neighbours: histories that it allows and a next stronger level forbids, and histories that it forbids and a next weaker level allows. [docs/levels.md](levels.md) explains the language of the definitions and how the levels are related.',
    '',
    'In the histories, one line is a session, and `|` separates its transactions. `r` reads, `w` writes, `a` appends to a list, `!` marks an aborted transaction, `?` one of unknown outcome, `@1-2` the times of its call and its return, and `@1..2-4..5` also those of its first answer and of its request of COMMIT. Registers are initially 0 ([docs/formats.md](formats.md#the-formats)). To try one, save it in a file: `isolab check FILE --level LEVEL --allow-vacuous`. Levels that `allow` some kind of read cannot be decided for histories with lists.',
    '',
    '`npm run generate` writes this page. The oracle, which tries all orders, decided the histories, and a test decides them again.',
    '',
    ...KNOWN_LEVELS.flatMap(section),
    '## Pairs without a history',
    '',
    `The definitions do not state that the first of these levels implies the second, but no history was found that satisfies the first and violates the second: ${UNSEPARATED.map(([strong, weak]) => `\`${strong}\` and \`${weak}\``).join(', ')}. Each first level does imply the second one. The definitions do not say so because levels that judge each key by itself are kept apart from levels of transactions.`,
    '',
  ].join('\n');

function section({ name, title }: Level): string[] {
  const weaker = nextWeaker(name);
  return [
    `## ${title} (\`${name}\`)`,
    '',
    block(builtInText(name as BuiltInLevel)),
    '',
    ...bordersOf(nextStronger(name), (strong) => textBetween(name, strong), 'Allowed here, but forbidden by'),
    ...bordersOf(weaker, (weak) => textBetween(weak, name), 'Forbidden here, but allowed by'),
    ...(weaker.length === 0 ? ['The smallest history that it forbids:', '', block(textForbiddenBy(name)), ''] : []),
  ];
}

/** The smallest history that satisfies one level and violates another one. */
const textBetween = (satisfied: string, violated: string): string | null =>
  WITNESSES.find((each) => each.satisfied.includes(satisfied) && !each.satisfied.includes(violated))?.text ?? null;

const textForbiddenBy = (name: string): string => WITNESSES.find(({ satisfied }) => !satisfied.includes(name))!.text;

/** Each history once, with the levels from which it distinguishes the level of the section. */
function bordersOf(levels: readonly string[], textOf: (level: string) => string | null, says: string): string[] {
  const byText = new Map<string, string[]>();
  for (const level of levels) {
    const text = textOf(level);
    if (text !== null) byText.set(text, [...(byText.get(text) ?? []), `\`${level}\``]);
  }
  return [...byText].flatMap(([text, names]) => [`${says} ${listed(names)}:`, '', block(text), '']);
}

const listed = (words: readonly string[]): string =>
  words.length === 1 ? words[0]! : `${words.slice(0, -1).join(', ')} and ${words.at(-1)!}`;

const block = (text: string): string => `\`\`\`text\n${text.trimEnd()}\n\`\`\``;
