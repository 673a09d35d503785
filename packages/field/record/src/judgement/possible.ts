import { type Danger, type UniqueColumns, dangersOf } from './dangers.ts';
import type { Trouble } from './judge.ts';
import { type Programs, programsIn } from './programs.ts';

/** The kinds of transactions of a recording, and the anomalies that they did not meet, but could meet. */
export interface Possible {
  readonly programs: Programs;
  readonly dangers: readonly Danger[];
}

export async function possibleIn(
  { path, unique }: { readonly path: string; readonly unique: UniqueColumns },
  troubles: readonly Trouble[],
): Promise<Possible> {
  const programs = await programsIn(path);
  return { programs, dangers: dangersOf(programs.programs, unique).filter((danger) => !isMet(danger, troubles)) };
}

/** Returns whether a danger has actually happened: its programs' statements are in the example of a trouble. */
const isMet = ({ parties }: Danger, troubles: readonly Trouble[]): boolean =>
  troubles.some(({ example }) =>
    parties.every(({ statements }) =>
      example.some((each) => statements.every((statement) => each.statements.includes(statement))),
    ),
  );
