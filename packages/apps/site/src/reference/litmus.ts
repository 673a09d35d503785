/** Definition of a level, and the smallest histories that distinguish it from neighbouring levels. */
import type { LevelName } from '@isolab/contract';
import { UNSEPARATED, WITNESSES, nextStronger, nextWeaker } from '@isolab/lattice';
import { type BuiltInLevel, builtInText } from '@isolab/levels';

/** Sections of a level's page. */
export function bordersOfLevel(name: LevelName): string[] {
  const weaker = nextWeaker(name);
  const unseparated = UNSEPARATED.filter(([strong]) => strong === name).map(([, weak]) => `\`${weak}\``);
  return [
    '## Definition',
    block(builtInText(name as BuiltInLevel)),
    '## Borders',
    ...bordersOf(nextStronger(name), (strong) => textBetween(name, strong), 'Allowed here, but forbidden by'),
    ...bordersOf(weaker, (weak) => textBetween(weak, name), 'Forbidden here, but allowed by'),
    ...(weaker.length === 0 ? ['The smallest forbidden history:', block(textForbiddenBy(name))] : []),
    ...(unseparated.length === 0
      ? []
      : [
          `No known history satisfies this level and violates ${unseparated.join(' or ')}, which it implies. The definitions omit that, because levels of single keys are kept apart from levels of transactions.`,
        ]),
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
