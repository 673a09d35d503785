import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shellPath, shellWord, visibleLine, visibleText } from '../src/index.ts';

const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

describe('text from outside', () => {
  it.each([
    ['plain text, ünïcödé, 漢字, 🙂 and ❤️', null],
    ['\u001B[31mred', String.raw`\u001b[31mred`],
    ['\u009B31m', String.raw`\u009b31m`],
    ['a\nb\r\tc', String.raw`a\nb\r\tc`],
    ['\u202Egnp.exe', String.raw`\u202egnp.exe`],
    ['zero\u200Bwidth\uFEFF', String.raw`zero\u200bwidth\ufeff`],
    ['\u2028\u2029', String.raw`\u2028\u2029`],
    ['half \uD800 pair', String.raw`half \ud800 pair`],
    ['tag \u{E0041}', String.raw`tag \udb40\udc41`],
    ['\u0000\u0007\u007F', String.raw`\u0000\u0007\u007f`],
    ['\u3164filler', String.raw`\u3164filler`],
  ])('%j is shown on one line', (text, shown) => {
    expect(visibleLine(text)).toBe(shown ?? text);
    expect(visibleLine(visibleLine(text))).toBe(visibleLine(text));
  });

  it('text from outside with several lines keeps only its line breaks and tabs', () => {
    expect(visibleText('a\n\tb\r\u001B')).toBe('a\n\tb\\r\\u001b');
  });

  it.each([
    ['::error::forged', String.raw`\u003a:error::forged`],
    ['first\n  ::set-output::x', 'first\n  \\u003a:set-output::x'],
    ['in the middle ::error::', 'in the middle ::error::'],
    ['##[error]x', String.raw`\u0023#[error]x`],
    ['a ##vso[task.complete result=Succeeded]', String.raw`a \u0023#vso[task.complete result=Succeeded]`],
    ['###TeamCity[x]', String.raw`#\u0023#TeamCity[x]`],
    ['## a heading', '## a heading'],
  ])('%j contains no command to a job', (text, printed) => {
    expect(visibleText(text)).toBe(printed);
  });

  it('text from outside leaves JSON unchanged', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string({ unit: 'binary' }), (value, text) => {
        const data = [value, text, `\u202E##[error]${text}`];
        expect(JSON.parse(visibleText(JSON.stringify(data)))).toEqual(JSON.parse(JSON.stringify(data)));
      }),
    );
  });

  it('text from outside has no invisible characters', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((c) => String.fromCharCode(c)) }),
        (text) => {
          expect(visibleLine(text)).not.toMatch(UNSEEN);
        },
      ),
    );
  });
});

describe('a word for the shell', () => {
  it.each([
    ['history.jsonl', 'history.jsonl'],
    ['a b.jsonl', "'a b.jsonl'"],
    ['$(touch pwned).jsonl', "'$(touch pwned).jsonl'"],
    ["it's", String.raw`'it'\''s'`],
    ['=zsh', "'=zsh'"],
    ['~', "'~'"],
    ['', "''"],
    ['a\nb', String.raw`"$(printf 'a\012b')"`],
  ])('%j is %s', (text, word) => expect(shellWord(text)).toBe(word));

  it('a word for the shell keeps a path from being an option', () => {
    expect(shellPath('-x')).toBe('./-x');
    expect(shellPath('-')).toBe('-');
    expect(shellPath('--output $HOME')).toBe("'./--output $HOME'");
  });

  it('a word for the shell is read by the shell as the same text', () => {
    const texts = [
      '\u001B[2J',
      '\u202E%s\\n',
      '-\u200B',
      "'\u0007'",
      '!!\u009B',
      '\n',
      'a\n\n',
      '-\n-',
      '##[x]',
      '`id`\t"',
      'ü\r漢🙂\u{E0041}',
      ...fc.sample(fc.string({ unit: 'binary', minLength: 1 }), { numRuns: 300, seed: 1 }),
      ...fc.sample(fc.string({ unit: fc.constantFrom(...'\u001B\n\t %\\\'"$`!#-~;&|<>*?(){}[]a1') }), {
        numRuns: 700,
        seed: 2,
      }),
    ].map((text) => Buffer.from(text.replaceAll('\u0000', '')).toString());
    const script = texts.map((text) => `printf '%s\\0' ${shellWord(text)}`).join('\n');
    const read = execFileSync('sh', ['-c', script], { encoding: 'utf8', maxBuffer: 1e8 });
    expect(read.split('\0').slice(0, -1)).toEqual(texts);
    for (const text of texts) expect(shellWord(text).replace(/'\n+'$/, '')).not.toMatch(UNSEEN);
  });
});
