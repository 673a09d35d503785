import { parse, textOf } from '@isolab/needs/browser';
import { grouped, visibleText } from '@isolab/history';
import { describe, expect, test } from 'vitest';
import {
  codeMarkdown,
  csvField,
  elided,
  escapeMarkdown,
  escapeXml,
  fencedMarkdown,
  jsonForScript,
} from '../../src/markup/text.ts';

/** Tries to break out of its surroundings. */
const HOSTILE = `<script>alert("1")</script> & ' ]]> </svg> \u0000 \uD800 \u202E \u200B \u009B31m \u001B[31m \` | \n ::error::x`;

describe('escaping', () => {
  test('escaping keeps XML readable for any text', () => {
    const element = parse(`<a b="${escapeXml(HOSTILE)}">${escapeXml(HOSTILE)}</a>`);
    const kept = visibleText(HOSTILE);
    expect(element.attributes.b).toBe(kept);
    expect(textOf(element)).toBe(kept);
    expect(escapeXml('😀\u0000\uD800')).toBe(String.raw`😀\u0000\ud800`);
  });

  test('escaping keeps a script element open', () => {
    const json = jsonForScript({ text: '</script><!--\u2028' });
    expect(json).not.toMatch(/<|\u2028/);
    expect(JSON.parse(json)).toEqual({ text: '</script><!--\u2028' });
  });

  test('escaping keeps Markdown lines and cells', () => {
    expect(escapeMarkdown('a|b\n# c <b>')).toBe(String.raw`a\|b \# c \<b\>`);
    expect(escapeMarkdown('https://x and www.x')).toBe(String.raw`https\://x and www\.x`);
    expect(escapeMarkdown('- 1. not a list')).toBe(String.raw`\- 1. not a list`);
    expect(escapeMarkdown('1. not a list')).toBe(String.raw`1\. not a list`);
    expect(escapeMarkdown('-1.5')).toBe('-1.5');
    expect(escapeMarkdown('\u202Ex')).toBe(String.raw`\\u202ex`);
    expect(codeMarkdown('a`b')).toBe('``a`b``');
    expect(codeMarkdown('`')).toBe('`` ` ``');
    expect(fencedMarkdown('```\nx')).toBe('````\n```\nx\n````');
  });

  test('escaping quotes CSV and disarms formulas', () => {
    expect(['a', 'a,b', 'say "x"', '=1+1', 3, -2.5, null].map(csvField)).toEqual([
      'a',
      '"a,b"',
      '"say ""x"""',
      "'=1+1",
      '3',
      '-2.5',
      '',
    ]);
  });

  test('escaping cuts the middle out of long texts', () => {
    expect(elided('abcdefghij', 10)).toBe('abcdefghij');
    expect(elided('abcdefghijk', 7)).toBe('abcd…jk');
    expect([...elided('😀'.repeat(20), 5)]).toHaveLength(5);
    expect(grouped(1_234_567)).toBe('1,234,567');
  });
});
