import type { Demand, Shown } from '@isolab/contract';
import { type History, toPlain } from '@isolab/history';
import type { HistoryFormat } from '../format/format.ts';
import { fileNameFor, type Files, HOLDS, onRandomBytes, readOrRefused, shown } from './files.ts';

/**
 * Returns the demands on damaged files: a file may be cut or damaged anywhere, be empty, or be of another kind.
 * Such a file is read, or refused with a message.
 */
export function damageDemands(format: HistoryFormat, samples: readonly Files[]): Demand[] {
  const expected =
    'a history, or a FormatError that states the file, the position, what was found and what was expected';
  return [
    { name: 'its own files and its examples can be read', expected: 'a history', show: () => isRead(format, samples) },
    {
      name: 'a file that is cut at any byte is read, or refused with a message',
      expected,
      show: () => cuts(format, samples),
    },
    {
      name: 'a file that is cut contains nothing that the whole file lacks',
      expected: 'that an unfinished part is refused, such as a last line without its line break',
      show: () => cutsSilently(format, samples),
    },
    {
      name: 'a file with any byte damaged is read, or refused with a message',
      expected,
      show: () => damages(format, samples),
    },
    {
      name: 'random bytes are read, or refused with a message',
      expected,
      show: () => onRandomBytes(format, (files) => readOrRefused(format, files)),
    },
    {
      name: 'an empty file is refused',
      expected: 'a FormatError',
      show: async () => {
        const empty = new Map([[fileNameFor(format), new Uint8Array(0)]]);
        const history = await readOrRefused(format, empty);
        return history === null ? HOLDS : { holds: false, found: 'a history' };
      },
    },
  ];
}

async function isRead(format: HistoryFormat, samples: readonly Files[]): Promise<Shown> {
  for (const files of samples)
    if ((await readOrRefused(format, files)) === null) return { holds: false, found: `it refuses ${shown(files)}` };
  return HOLDS;
}

async function cuts(format: HistoryFormat, samples: readonly Files[]): Promise<Shown> {
  let refused = 0;
  let all = 0;
  for await (const { history } of readCut(format, samples)) {
    all++;
    if (history === null) refused++;
  }
  return {
    holds: refused > 0,
    found: `${refused} of ${all} cuts are refused, the other files are read as shorter histories`,
  };
}

async function cutsSilently(format: HistoryFormat, samples: readonly Files[]): Promise<Shown> {
  const saidBy = new Map<Files, Set<string>>();
  for await (const { history, whole, cut, length } of readCut(format, samples)) {
    if (history === null) continue;
    if (!saidBy.has(whole)) saidBy.set(whole, saidIn((await readOrRefused(format, whole))!));
    const wrong = [...saidIn(history)].find((each) => !saidBy.get(whole)!.has(each));
    if (wrong !== undefined)
      return { holds: null, found: `cut after ${length} bytes, ${shown(cut)} contains ${wrong}` };
  }
  return HOLDS;
}

/** Reads every prefix of every file. */
async function* readCut(format: HistoryFormat, samples: readonly Files[]) {
  for (const whole of samples) {
    for (const [name, bytes] of whole) {
      for (let length = 0; length < bytes.length; length++) {
        const cut = new Map(whole).set(name, bytes.subarray(0, length));
        yield { history: await readOrRefused(format, cut), whole, cut, length };
      }
    }
  }
}

/** Returns all operations of a history, each with its session. */
function saidIn(history: History): Set<string> {
  const said = new Set<string>();
  for (const { name, transactions } of toPlain(history).sessions)
    for (const { operations } of transactions)
      for (const operation of operations) said.add(`${spelled(operation)} in session ${spelled(name)}`);
  return said;
}

const spelled = (value: unknown): string =>
  JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? `${each}` : each));

async function damages(format: HistoryFormat, samples: readonly Files[]): Promise<Shown> {
  let refused = 0;
  for (const files of samples) {
    for (const [name, bytes] of files) {
      for (let i = 0; i < bytes.length; i++) {
        for (const flip of [0x01, 0x80, 0xff]) {
          const damaged = bytes.slice();
          damaged[i]! ^= flip;
          if ((await readOrRefused(format, new Map(files).set(name, damaged))) === null) refused++;
        }
      }
    }
  }
  return refused > 0 ? HOLDS : { holds: false, found: 'no damaged file is refused' };
}
