import type { Demand, Shown } from '@isolab/contract';
import { printNotation } from '@isolab/formats';
import type { History } from '@isolab/history';
import { type LevelDefinition, builtInLevel, negativeUses } from '@isolab/levels';
import { decideDefinition } from '@isolab/oracle';
import { compareLevels, smallHistories } from './compare.ts';

/**
 * Requirements on every level: it holds for some histories but not for others, and implies the levels that it states.
 */
export function levelDemands(level: LevelDefinition): readonly Demand[] {
  return [
    {
      name: 'some small histories satisfy it and some violate it',
      expected: 'at least one of each',
      show: () => verdicts(level),
    },
    ...level.implies.map((weaker) => ({
      name: `it implies ${weaker}`,
      expected: `no history that satisfies ${level.name} and violates ${weaker}`,
      show: () => implied(level, builtInLevel(weaker)!),
    })),
    {
      name: 'a violated axiom stays violated if more is ordered',
      expected: 'no order to the right of a difference; otherwise only small histories are decided',
      show: () => polarity(level),
    },
  ];
}

function verdicts(level: LevelDefinition): Shown {
  const counts = { satisfied: 0, violated: 0 };
  for (const history of smallHistories())
    counts[decideDefinition(history, level).satisfied ? 'satisfied' : 'violated']++;
  const found = `${counts.satisfied} satisfy it, ${counts.violated} violate it`;
  return { holds: counts.satisfied === 0 ? false : counts.violated === 0 ? null : true, found };
}

function implied(level: LevelDefinition, weaker: LevelDefinition): Shown {
  const { onlyFirst } = compareLevels(level, weaker, { random: 500 });
  return { holds: onlyFirst === null, found: onlyFirst === null ? '' : oneLine(onlyFirst) };
}

const oneLine = (history: History): string => printNotation(history).trim().replaceAll('\n', ' / ');

function polarity(level: LevelDefinition): Shown {
  const [use] = negativeUses(level);
  if (use === undefined) return { holds: true, found: '' };
  const { file, line, column } = use.position;
  return { holds: null, found: `${use.relation} at ${file}:${line}:${column}` };
}
