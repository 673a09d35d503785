import { type Atoms, atomOf, countAtoms } from '@isolab/history';
import { unexpected } from './errors.ts';
import { ANY_LOG, type Directory } from './input.ts';

/** A log in a directory that has one file per session: `T7.log` is the log of session 7. */
export interface NumberedLog {
  readonly file: string;
  readonly session: bigint;
}

/** Lists the logs `<letter><n>.log` of a directory by number. Refuses any other file whose name ends in `.log`. */
export function numberedLogs({ name, files }: Directory, letter: string): NumberedLog[] {
  const fileOfSession = new Map<bigint, string>();
  for (const file of files) {
    if (!ANY_LOG.test(file)) continue;
    const number = numberIn(file, letter);
    if (number === null) {
      throw unexpected(name, null, `the log '${file}'`, `only logs called ${letter}<number>.log`);
    }
    const other = fileOfSession.get(number);
    if (other !== undefined) {
      throw unexpected(name, null, `both '${other}' and '${file}'`, 'one log per session');
    }
    fileOfSession.set(number, file);
  }
  if (fileOfSession.size === 0) {
    throw unexpected(name, null, 'no log', `a file ${letter}<number>.log for each session`);
  }
  return Array.from(fileOfSession, ([session, file]) => ({ file, session })).toSorted((a, b) =>
    a.session < b.session ? -1 : 1,
  );
}

/** Returns whether a directory has logs with this letter and no logs with the other letter. */
export const hasNumberedLogs = ({ files }: Directory, letter: string, notLetter: string): boolean =>
  files.some((file) => numberIn(file, letter) !== null) && !files.some((file) => numberIn(file, notLetter) !== null);

/** Returns whether sessions with these names keep their order when written as logs and read back. */
export function areLogNumbers(names: Atoms): boolean {
  let previous = -1n;
  for (let session = 0; session < countAtoms(names); session++) {
    const name = atomOf(names, session);
    if (typeof name !== 'bigint' || name <= previous || name >= FIRST_TOO_LONG) return false;
    previous = name;
  }
  return true;
}

function numberIn(file: string, letter: string): bigint | null {
  const digits = file.startsWith(letter) ? LOG_NUMBER.exec(file)?.[1] : undefined;
  return digits === undefined ? null : BigInt(digits);
}

const FIRST_TOO_LONG = 10n ** 18n; // a number with more digits than LOG_NUMBER accepts
const LOG_NUMBER = /^[A-Z](\d{1,18})\.log(?:\.gz)?$/;
