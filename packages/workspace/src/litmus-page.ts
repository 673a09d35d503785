/** docs/litmus.md: of every level its file, and the smallest histories at its borders with the levels next to it. */
import { type BuiltInLevel, KNOWN_LEVELS, type Level } from '@isolab/contract';
import { UNSEPARATED, WITNESSES, nextStronger, nextWeaker } from '@isolab/lattice';
import { builtInText } from '@isolab/levels';

export const litmusPage = (): string =>
  [
    '# Litmus',
    '',
    'The definition of every level, and the smallest known histories at its borders: what it allows and the next stronger level forbids, and what it forbids and the next weaker level allows. One line is a session, `|` stands between transactions ([docs/formats.md](formats.md)). `npm run generate` writes this page; the oracle decided the histories, and a test decides them again. [docs/levels.md](levels.md) explains the language.',
    '',
    ...KNOWN_LEVELS.flatMap(section),
    '## Pairs without a history',
    '',
    `No history was found that satisfies the first of these levels and violates the second one, and no file states that it implies it: ${UNSEPARATED.map(([strong, weak]) => `\`${strong}\` and \`${weak}\``).join(', ')}. Each of them does imply the other one; linearizability and what is by single keys is kept apart from the levels of transactions.`,
    '',
  ].join('\n');

function section({ name, title }: Level): string[] {
  const allowed = nextStronger(name).map((strong) => border(name, strong, `\`${strong}\` forbids`));
  const weaker = nextWeaker(name);
  const forbidden =
    weaker.length === 0 ? [smallestForbidden(name)] : weaker.map((weak) => border(weak, name, `\`${weak}\` allows`));
  return [
    `## ${title} (\`${name}\`)`,
    '',
    block(builtInText(name as BuiltInLevel)),
    '',
    ...(allowed.length === 0 ? [] : ['Allowed:', '', ...merged(allowed), '']),
    'Forbidden:',
    '',
    ...merged(forbidden),
    '',
  ];
}

interface Border {
  readonly text: string;
  readonly says: string;
}

/** The smallest history that satisfies one level and violates another one. */
function border(satisfied: string, violated: string, says: string): Border | null {
  const found = WITNESSES.find((each) => each.satisfied.includes(satisfied) && !each.satisfied.includes(violated));
  return found ? { text: found.text, says } : null;
}

function smallestForbidden(name: string): Border | null {
  const found = WITNESSES.find(({ satisfied }) => !satisfied.includes(name));
  return found ? { text: found.text, says: 'the smallest one' } : null;
}

/** A history once, with all that is said of it. */
function merged(borders: readonly (Border | null)[]): string[] {
  const byText = new Map<string, string[]>();
  for (const each of borders) if (each) byText.set(each.text, [...(byText.get(each.text) ?? []), each.says]);
  return [...byText].flatMap(([text, says]) => [`${says.join(', ')}:`, '', block(text), '']).slice(0, -1);
}

const block = (text: string): string => `\`\`\`text\n${text.trimEnd()}\n\`\`\``;
