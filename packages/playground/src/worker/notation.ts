/** The notation of the named histories, read strictly: what testkit would pass over is an error here, with its place. */

import { FormatError } from '@isolab/formats';
import type { History } from '@isolab/history';
import { parseHistory } from '@isolab/testkit';

export const NOTATION = 'notation';

/** Whether a text that no format claims may be meant as notation: it begins with a call, after a line such as `initial nil`. */
export const looksLikeNotation = (text: string): boolean =>
  /^(?:\s*initial [^\n]*\n)?[\s|]*[!?]?\s*[a-z]+!?\(/.test(text.slice(0, HEAD));

export function readNotation(name: string, text: string): History {
  const lines = text.split('\n');
  const first = lines.findIndex((line) => line.trim() !== '');
  const begin = /^\s*initial\b/.test(lines[first] ?? '') ? first + 1 : 0;
  if (begin > 0) checkInitial(name, lines[first]!, begin);
  for (let i = begin; i < lines.length; i++) checkLine(name, lines[i]!, i + 1);
  try {
    return parseHistory(text);
  } catch (error) {
    throw new FormatError(name, null, (error as Error).message);
  }
}

function checkInitial(name: string, line: string, number: number): void {
  if (INITIAL.test(line)) return;
  const expected = 'initial states such as initial nil, or initial 0 x=5';
  throw new FormatError(name, `line ${number}`, `found '${line.trim().slice(0, QUOTED)}', expected ${expected}`);
}

function checkLine(name: string, line: string, number: number): void {
  let at = 0;
  for (const part of line.split('|')) {
    checkTransaction(part, (offset, expected) => {
      const found = part.slice(offset).trim();
      const shown = found === '' ? 'nothing' : `'${found.length > QUOTED ? `${found.slice(0, QUOTED)}…` : found}'`;
      throw new FormatError(name, `line ${number}, column ${at + offset + 1}`, `found ${shown}, expected ${expected}`);
    });
    at += part.length + 1;
  }
}

function checkTransaction(text: string, fail: (offset: number, expected: string) => never): void {
  let at = /^\s*[!?]?\s*/.exec(text)![0].length;
  while (at < text.length && text[at] !== '@') {
    const rest = text.slice(at);
    const matched = OPERATION.exec(rest);
    if (matched === null) {
      const kind = /^[a-z]+!?/.exec(rest)?.[0] ?? '';
      fail(at, FORMS[kind.replace('!', '')] ?? 'an operation: w, r, a, cas, ins, del or range, as in r(x,1)');
    }
    at += matched[0].length;
  }
  if (at < text.length && !TIMES.test(text.slice(at))) fail(at, 'times such as @3-7, and nothing behind them');
}

const KEY = String.raw`\s*[^\s,()|=!]+\s*`;
const ATOM = String.raw`\s*(?:-?\d+|nil|\?)\s*`;
const INITIAL = /^\s*initial (?:-?\d+|nil)(?: [^\s,()|=!]+=(?:-?\d+|nil))*\s*$/;
const LIST = String.raw`\s*\[(?:\?|\s*(?:(?:-?\d+|nil)(?:\s+(?:-?\d+|nil))*)?\s*)\]\s*`;
const ROWS = String.raw`\s*(?:[^\s,()|=!]+=(?:-?\d+|nil|\?)!?\s*)*`;
const OPERATION = new RegExp(
  String.raw`^(?:[wa]\(${KEY},${ATOM}\)|r\(${KEY},(?:${ATOM}|${LIST})\)|(?:cas|ins|del)!?\(${KEY},${ATOM},${ATOM}\)|range\(${KEY},${KEY}(?:,${ROWS})?\))\s*`,
);
const TIMES = /^@(?:-?\d+-(?:-?\d+)?|--?\d+)\s*$/;

const FORMS: Readonly<Record<string, string>> = {
  w: 'a write such as w(x,1): a key, and an integer, nil or ?',
  a: 'an append such as a(x,1): a key and an integer',
  r: 'a read such as r(x,1), r(x,nil) or r(x,[1 2])',
  cas: 'a compare-and-set such as cas(x,1,2)',
  ins: 'an insert such as ins(x,nil,1)',
  del: 'a delete such as del(x,1,9)',
  range: 'a range read such as range(a,c,a=1 b=2)',
};

const HEAD = 1 << 12;
const QUOTED = 40;
