/**
 * Reference of levels: the file of each level, and the smallest histories that distinguish it from neighbouring levels.
 */
import { KNOWN_LEVELS, type LevelName } from '@isolab/contract';
import { UNSEPARATED, WITNESSES, nextStronger, nextWeaker } from '@isolab/lattice';
import { type BuiltInLevel, type LevelRecord, builtInText } from '@isolab/levels';

export const litmusReference = (): string =>
  [
    ...KNOWN_LEVELS.flatMap(section),
    '## Pairs without a history',
    `No known history satisfies the first of these levels and violates the second: ${UNSEPARATED.map(([strong, weak]) => `\`${strong}\` and \`${weak}\``).join(', ')}. Each first level implies the second. The definitions omit that, because levels of single keys are kept apart from levels of transactions.`,
  ].join('\n\n');

function section({ name, title }: LevelRecord<BuiltInLevel>): string[] {
  const weaker = nextWeaker(name);
  return [
    `## ${title} (\`${name}\`)`,
    block(builtInText(name)),
    ...bordersOf(nextStronger(name), (strong) => textBetween(name, strong), 'Allowed here, but forbidden by'),
    ...bordersOf(weaker, (weak) => textBetween(weak, name), 'Forbidden here, but allowed by'),
    ...(weaker.length === 0 ? ['The smallest forbidden history:', block(textForbiddenBy(name))] : []),
  ];
}

/** Smallest history that satisfies one level and violates another. */
const textBetween = (satisfied: LevelName, violated: LevelName): string | null =>
  WITNESSES.find((each) => each.satisfied.includes(satisfied) && !each.satisfied.includes(violated))?.text ?? null;

const textForbiddenBy = (name: LevelName): string => WITNESSES.find(({ satisfied }) => !satisfied.includes(name))!.text;

/** Each history once, with the levels from which it distinguishes the section's level. */
function bordersOf(levels: readonly LevelName[], textOf: (level: LevelName) => string | null, says: string): string[] {
  const byText = new Map<string, string[]>();
  for (const level of levels) {
    const text = textOf(level);
    if (text !== null) byText.set(text, [...(byText.get(text) ?? []), `\`${level}\``]);
  }
  return [...byText].flatMap(([text, names]) => [`${says} ${names.join(', ')}:`, block(text)]);
}

const block = (text: string): string => `\`\`\`text\n${text.trimEnd()}\n\`\`\``;
