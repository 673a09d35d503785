import { verifyCertificate } from '@isolab/verifier';
import { parseHistory } from '@isolab/testkit';
import { describe, expect, test } from 'vitest';
import { certificateOf, check } from './support/check.ts';

const LEVEL = 'snapshot-isolation';

function expectVerdict(text: string, status: string): void {
  const { verdict, input } = check(parseHistory(`initial nil\n${text}`), LEVEL);
  expect(verdict.status).toBe(status);
  if (verdict.status === 'unknown') return;
  expect(verifyCertificate(input.history, LEVEL, verdict.status, certificateOf(verdict)!)).toEqual({ ok: true });
}

describe('range reads, inserts and deletes', () => {
  test.each([
    ['a row and the key that was not there yet', 'ins(b,nil,1) | ins(c,nil,2)\nrange(a,z,b=1)', 'satisfied'],
    [
      'a key that is missing although it was there before another one',
      'ins(b,nil,1) | ins(c,nil,2)\nrange(a,z,c=2)',
      'violated',
    ],
    ['a key outside the bounds', 'ins(b,nil,1) | ins(c,nil,2)\nrange(c,z,c=2)', 'satisfied'],
    ['a tombstone', 'ins(b,nil,1) | del(b,1,2)\nrange(a,z,b=2!)', 'satisfied'],
    ['a row after it was deleted', 'ins(b,nil,1) | del(b,1,2) w(x,1)\nr(x,1) range(a,z,b=1)', 'violated'],
    [
      'Figure 6, before the first insert',
      'ins(y,nil,1) | del(y,1,2) | ins!(y,2,3) | del(y,3,4)\nrange(x,z)',
      'satisfied',
    ],
    ['Figure 6, between', 'ins(y,nil,1) | del(y,1,2) | ins!(y,2,3) | del(y,3,4)\nrange(x,z,y=2!)', 'satisfied'],
    [
      'Figure 6, at the end and then between',
      'ins(y,nil,1) | del(y,1,2) | ins!(y,2,3) | del(y,3,4)\nrange(x,z,y=4!) | range(x,z,y=2!)',
      'violated',
    ],
    ['two inserts over one tombstone', 'ins(y,nil,1) | del(y,1,2)\nins!(y,2,3)\nins!(y,2,4)', 'violated'],
    ['a phantom between two ranges', 'ins(b,nil,1)\nrange(a,z) range(a,z,b=1)', 'violated'],
    ['two ranges that miss each other’s insert', 'range(a,z) ins(b,nil,1)\nrange(a,z) ins(c,nil,2)', 'satisfied'],
    [
      'two ranges that see the inserts in different orders',
      'ins(b,nil,1)\nins(c,nil,2)\nrange(a,z,b=1)\nrange(a,z,c=2)',
      'violated',
    ],
  ])('%s', (_, text, status) => expectVerdict(text, status));
});

describe('lists of appends', () => {
  test.each([
    ['prefixes', 'a(x,1) | a(x,2)\nr(x,[]) | r(x,[1]) | r(x,[1 2])', 'satisfied'],
    ['appends that nobody read', 'a(x,1) a(y,1)\na(x,2) a(y,2)\na(x,3) | a(y,3)', 'satisfied'],
    ['two appends to what was read last', 'a(x,1)\nr(x,[1]) a(x,2)\nr(x,[1]) a(x,3)', 'violated'],
    ['lists against each other', 'a(x,1)\na(x,2)\nr(x,[1])\nr(x,[2])', 'violated'],
    ['an element twice', 'a(x,1)\nr(x,[1 1])', 'violated'],
    ['a transaction torn apart', 'a(x,1) a(x,2)\na(x,3)\nr(x,[1 3 2])', 'violated'],
    ['a transaction whose first append is missing', 'a(x,1) a(x,2)\nr(x,[2])', 'violated'],
    ['a list against its session', 'a(x,1) | a(x,2)\nr(x,[2 1])', 'violated'],
    ['a write skew', 'r(x,[]) r(y,[]) a(x,1)\nr(x,[]) r(y,[]) a(y,1)', 'satisfied'],
    ['an unread append before one that was read', 'a(x,1) a(y,1)\nr(y,[1]) a(x,2)\nr(x,[2])', 'violated'],
  ])('%s', (_, text, status) => expectVerdict(text, status));

  test('lists of appends make no constraint where every append was read', () => {
    const { counters, stages } = check(parseHistory('a(x,1) a(y,1)\na(x,2)\na(y,2)\nr(x,[1 2]) r(y,[1 2])'), LEVEL);
    expect(counters['constraints']).toBe(0);
    expect(stages).not.toContain('solve');
  });
});
