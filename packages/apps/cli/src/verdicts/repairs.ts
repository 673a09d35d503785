/** States the repairs of predictions in one sentence, with the programs that it names. */
import type { ProgramUse, Repair, Repairs } from '@isolab/predict';
import { levelInWords, visibleLine } from 'isolab/skin';
import { count } from '../terminal/print.ts';

/** Returns the lines of the text; none if nothing is to be repaired. */
export function repairText({ repairs, robust, why }: Repairs, programs: readonly ProgramUse[]): string[] {
  if (repairs.length === 0) return why === null ? [] : [`No repair is known: ${WHY[why]}.`];
  const nameOf = (of: string): string => programs.find(({ program }) => program === of)!.name;
  const ways = repairs.map((repair) => [...lockTexts(repair, nameOf), ...levelTexts(repair, nameOf)].join(' and '));
  return [
    `Repair: ${ways.join(', or ')}; all else may stay.`,
    ...(robust === null ? [] : [robustText(repairs, robust, nameOf)]),
    ...(why === null ? [] : [`  There may be another repair: ${WHY[why]}.`]),
  ];
}

/** Returns the programs that the text names. */
export function programsText({ repairs, robust }: Repairs, programs: readonly ProgramUse[]): string[] {
  const raises = robust === null || robust === 'conditions' || repairs.length === 0 ? [] : robust;
  const named = new Set(
    [...repairs.flatMap((each) => [...each.raises, ...each.locks]), ...raises].map((each) => each.program),
  );
  return programs
    .filter(({ program }) => named.has(program))
    .map(({ name, place, program }) => `${name}  ${place}  ${visibleLine(program)}`);
}

/** Compares the levels of the criterion with those of the last repair without locks. */
function robustText(
  repairs: readonly Repair[],
  robust: NonNullable<Repairs['robust']>,
  nameOf: (program: string) => string,
): string {
  if (robust === 'conditions')
    return '  The criterion of robust allocations does not apply, because a program reads rows by a condition.';
  const levelsIn = (raises: Repair['raises']): string =>
    JSON.stringify(raises.map(({ program, level }) => [program, level]).toSorted());
  const alone = repairs.find(({ locks }) => locks.length === 0);
  const isSame = alone !== undefined && levelsIn(alone.raises) === levelsIn(robust);
  const texts = levelTexts({ raises: robust, locks: [] }, nameOf);
  const levels = isSame ? 'gives the same levels' : texts.length === 0 ? 'raises none' : `says: ${texts.join(' and ')}`;
  return `  For any number of transactions of these programs, the criterion of robust allocations ${levels}.`;
}

const WHY: Readonly<Record<NonNullable<Repairs['why']>, string>> = {
  time: 'the search ended first',
  undecided: 'some executions stayed undecided',
  recorded: 'the recorded execution is forbidden itself',
  level: 'no level of the database and no lock prevents all predictions',
};

function lockTexts({ locks }: Repair, nameOf: (program: string) => string): string[] {
  const programs = [...new Set(locks.map(({ program }) => program))];
  return programs.map((program) => {
    const reads = locks.filter((lock) => lock.program === program).map(({ read }) => lockedText(read));
    return `lock ${count(reads.length, 'read')} of ${nameOf(program)} (${reads.join('; ')})`;
  });
}

const lockedText = (read: string): string =>
  read.startsWith('r(') ? read : `${visibleLine(read.replace(/\s*;\s*$/, ''))} FOR UPDATE`;

function levelTexts({ raises }: Repair, nameOf: (program: string) => string): string[] {
  const levels = [...new Set(raises.map(({ level }) => level))];
  return levels.map((level) => {
    const programs = raises.filter((raise) => raise.level === level).map(({ program }) => nameOf(program));
    const named = /[A-Z]/.test(level) ? level : levelInWords(level as never);
    return `run ${listed(programs)} at ${named}`;
  });
}

const listed = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
