import { CollectorError, type Question, answerTo, parseReply } from '@isolab/collector';
import type { Random } from '@isolab/workloads';
import { type Sample, textSample } from './samples.ts';

/** Answers of a program that a collector queries, one per line. */
export const REPLIES: readonly Sample[] = [
  '{}',
  '{"value":5}',
  '{"value":null}',
  '{"value":[1,2,3]}',
  '{"value":[{"key":7,"value":3,"dead":false}]}',
  '{"value":true}',
  '{"database":"my database 1.0"}',
  '{"aborted":"could not serialize"}',
  '{"lost":"the connection broke"}',
  '{"error":"there is no such table"}',
].map((line) => textSample('exec-reply', line, line));

/** Finds a problem with reading a line as an answer to a random question; null if it is refused, or read unchanged. */
export function judgeReply(bytes: Uint8Array, random: Random): string | null {
  const line = new TextDecoder().decode(bytes);
  if (line.includes('\n')) return null; // the collector reads lines
  const question = random.pick(QUESTIONS);
  try {
    const reply = parseReply(line);
    const told = JSON.parse(line) as Readonly<Record<string, unknown>>;
    if (reply.kind !== 'answer') return reply.why === told[reply.kind] ? null : `${line} was read as ${reply.why}`;
    if (Object.keys(told).some((name) => name !== 'value' && name !== 'database'))
      return `${line} was read as an answer`;
    const answer = answerTo(question, reply.value);
    if (answer !== undefined && !line.includes('\\') && spelled(told) !== withoutBlanks(line))
      return `${line} was read as ${spelled(told)}`;
    return isRight(question, told['value'], answer)
      ? null
      : `${line} was read as ${JSON.stringify(answer)}, an answer to ${JSON.stringify(question)}`;
  } catch (error) {
    if (error instanceof CollectorError) return null;
    throw error;
  }
}

const spelled = (value: unknown): string => JSON.stringify(value);

/** Returns the text without blanks outside of strings; a zero has no sign here. */
const withoutBlanks = (line: string): string =>
  line.replaceAll(/("[^"]*")|[ \t\r]+|-(?=0\b)/g, (_, text: string | undefined) => text ?? '');

function isRight(question: Question, value: unknown, answer: unknown): boolean {
  switch (question.kind) {
    case 'write':
    case 'append':
      return answer === undefined;
    case 'read':
      return (value === null || Number.isSafeInteger(value)) && Number(answer) === Number(value);
    case 'compare-and-set':
      return typeof value === 'boolean' && answer === value;
    default:
      return Array.isArray(value) && spelled(answer) === inOrder(value);
  }
}

/** Rows with their members in our order, and without additional members that an answer could have lost. */
const inOrder = (rows: readonly unknown[]): string =>
  spelled(
    rows.map((row) => {
      if (typeof row !== 'object' || row === null) return row;
      const { key, value, dead } = row as Record<string, unknown>;
      return { key, value, dead };
    }),
  );

const QUESTIONS: readonly Question[] = [
  { kind: 'read', key: 7 },
  { kind: 'write', key: 7, value: 3 },
  { kind: 'append', key: 7, value: 3 },
  { kind: 'read-list', key: 7 },
  { kind: 'insert', key: 7, value: 3 },
  { kind: 'delete', key: 7, value: 3 },
  { kind: 'range', low: 0, high: 9 },
  { kind: 'compare-and-set', key: 7, expected: 3, value: 4 },
] as Question[];
