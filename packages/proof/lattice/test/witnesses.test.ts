import { implies } from '@isolab/contract';
import { parseNotation } from '@isolab/formats';
import { LEVEL_RECORDS, builtInLevel, readLevel } from '@isolab/levels';
import { decideDefinition } from '@isolab/oracle';
import { describe, expect, test } from 'vitest';
import { UNSEPARATED, WITNESSES, compareLevels, sizeOf, smallHistories } from '../src/index.ts';

const names = LEVEL_RECORDS.map(({ name }) => name);

describe('the histories that distinguish levels', () => {
  test.each(WITNESSES)(
    'the histories that distinguish levels satisfy their stated levels: $text',
    ({ text, satisfied }) => {
      const history = parseNotation(text);
      expect(names.filter((name) => decideDefinition(history, builtInLevel(name)!).satisfied)).toEqual(satisfied);
    },
  );

  test('the histories that distinguish levels show that no level implies another one beyond those in the files, except the listed pairs', () => {
    const left = names.flatMap((strong) =>
      names
        .filter((weak) => !implies(strong, weak))
        .filter((weak) => !WITNESSES.some(({ satisfied }) => satisfied.includes(strong) && !satisfied.includes(weak)))
        .map((weak) => [strong, weak]),
    );
    expect(left).toEqual(UNSEPARATED);
  });

  test('the histories that distinguish levels contradict no statement of the files', () => {
    const missing = WITNESSES.flatMap(({ satisfied }) =>
      satisfied.flatMap((strong) => names.filter((weak) => implies(strong, weak) && !satisfied.includes(weak))),
    );
    expect(missing).toEqual([]);
  });

  test('the histories that distinguish levels are listed with small ones first', () => {
    const sizes = WITNESSES.map(({ text }) => sizeOf(parseNotation(text)));
    expect(sizes).toEqual(sizes.toSorted((a, b) => a - b));
  });
});

describe('two levels are compared', () => {
  const levelOf = (text: string) => builtInLevel(text) ?? readLevel(text, 'mine.lvl');
  const shown = (first: string, second: string): (number | null)[] => {
    const { onlyFirst, onlySecond } = compareLevels(levelOf(first), levelOf(second), { random: 50 });
    return [onlyFirst, onlySecond].map((history) => history && history.txnStatus.length);
  };

  test('a smallest history refutes the converse of an implication', () => {
    expect(shown('serializable', 'snapshot-isolation')).toEqual([null, 2]);
    expect(shown('causal', 'prefix')).toEqual([4, null]);
  });

  test('two smallest histories distinguish levels that do not imply each other', () => {
    expect(shown('prefix', 'parallel-snapshot-isolation')).toEqual([2, 4]);
  });

  test('no history distinguishes a built-in level from its copy', () => {
    const mine = `level mine
      acyclic so | wr | ww
      irreflexive (so | wr | ww)+ ; rw`;
    expect(shown(mine, 'parallel-snapshot-isolation')).toEqual([null, null]);
    expect(shown(mine, 'consistent-view')[0]).toBeNull();
    expect(shown(mine, 'consistent-view')[1]).toBe(2);
  });

  test('the small histories are fewer than 3,000', () => {
    expect([...smallHistories()].length).toBeLessThan(3000);
  });
});
