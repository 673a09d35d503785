import {
  ReadFrom,
  type TransactionId,
  TxnStatus,
  buildReadFrom,
  locateOperation,
  locateTransaction,
  toPlain,
} from '@isolab/history';
import { describe, expect, test } from 'vitest';
import { dbcopYaml } from '../src/dbcop/dbcop-yaml.ts';
import { inputOfBytes } from '../src/files/input.ts';
import { describeFormat, readText, writeFiles } from './support/describe-format.ts';
import { DBCOP_HISTORIES } from './support/dbcop-shape.ts';

await describeFormat(dbcopYaml, DBCOP_HISTORIES);

const EVENT = '{write: true, variable: 7, value: 1, success: true}';

/** Styles of one history. */
const STYLES = {
  'as dbcop writes it': `- - events:
    - write:    true
      variable: 7
      value:    1
      success:  true
    success:    true
  - events: []
    success: false
- []
`,
  'with a marker, comments and indented sequences': `# a history
---
-
  - events: # of the first transaction
      -
        success: true

        value:
          1
        variable: 7 # the only one
        write: true
    success: true
# in between
  -
    success: false
    events:
      []
- []
...
# the end`,
  'with carriage returns': `- - events:\r\n    - ${EVENT}\r\n    success: true\r\n  - {success: false, events: []}\r\n- []\r\n`,
  'in flow style': `[[{events: [${EVENT}], success: true}, {events: [], success: false}], []]`,
  'in flow style over lines': `[\n[{events: [\n${EVENT},\n],\nsuccess: true},\n{events: [ ] , success: false , }\n,],[ ],\n]\n`,
};

describe('dbcop-yaml', () => {
  test.each(Object.entries(STYLES))('dbcop-yaml reads a history %s', async (_, text) => {
    const { sessions } = toPlain(await readText(dbcopYaml, text));
    expect(sessions).toEqual([
      {
        name: 1n,
        transactions: [
          { status: 'committed', operations: [{ kind: 'write', key: 7n, value: 1n }] },
          { status: 'aborted', operations: [] },
        ],
      },
      { name: 2n, transactions: [] },
    ]);
  });

  test.each(Object.entries(STYLES))('dbcop-yaml claims a history %s', (_, text) => {
    expect(dbcopYaml.matches(inputOfBytes('test', text))).toBe(true);
  });

  test('dbcop-yaml treats a read of 0 as a read of the initial state, and leaves out failed statements', async () => {
    const read = '{write: false, variable: 18446744073709551615, value: 0, success: true}';
    const failed = '{write: true, variable: 1, value: 1, success: false}';
    const text = `- - events: [${read}, ${failed}, ${read}]\n    success: true\n`;
    const history = await readText(dbcopYaml, text);
    expect([...buildReadFrom(history).readFrom]).toEqual([ReadFrom.Initial, ReadFrom.Initial]);
    expect(history.source.notes).toEqual({ failedStatements: 1 });
    const rollback = await dbcopYaml.read(inputOfBytes('test', text), { failedStatements: 'rollback' });
    expect([...rollback.txnStatus]).toEqual([TxnStatus.Aborted, TxnStatus.Committed]);
  });

  test('dbcop-yaml knows the line of every transaction and operation', async () => {
    const history = await readText(dbcopYaml, STYLES['as dbcop writes it']);
    expect(locateOperation(history, 0)).toBe('test, line 2');
    expect([0, 1].map((t) => locateTransaction(history, t as TransactionId))).toEqual(['test, line 1', 'test, line 7']);
  });

  test('dbcop-yaml writes block style', async () => {
    const files = await writeFiles(dbcopYaml, await readText(dbcopYaml, STYLES['in flow style']));
    expect(Buffer.from(files.get('')!).toString()).toBe(STYLES['as dbcop writes it'].replaceAll(/: +/g, ': '));
  });

  const transaction = "a transaction with 'events' and 'success'";
  const event = "an event with 'write', 'variable', 'value' and 'success'";
  const events = (text: string): string => `- - success: true\n    events:\n    - ${text}\n`;
  test.each<[string | Uint8Array, string]>([
    ['', 'test: found an empty file, expected a sequence of sessions'],
    ['# nothing\n', 'line 2, column 1: found the end of the input, expected a sequence of sessions'],
    ['events: []', "line 1, column 1: found 'events:', expected a sequence of sessions"],
    ['- events: []', "line 1, column 3: found 'events:', expected a session, a sequence of transactions"],
    ['- - - events: []', `line 1, column 5: found '-', expected ${transaction}`],
    ['-\n- []', "line 2, column 1: found '-', expected a session, a sequence of transactions"],
    ['- - events: []\n', `line 1, column 5: found a mapping without 'success', expected ${transaction}`],
    [
      '- - success: true\n    events: []\n    success: true',
      "line 3, column 5: found 'success:', expected a key that is not in the mapping yet",
    ],
    ['- - success: true\n    error: 1\n', `line 2, column 5: found 'error:', expected ${transaction}`],
    ['- - success: yes\n', "line 1, column 14: found 'yes', expected true or false"],
    ['- - success: truely\n', "line 1, column 14: found 'truely', expected true or false"],
    ['- - success:true\n', "line 1, column 13: found 'true', expected a space after ':'"],
    [
      '- - success: true events: []\n',
      "line 1, column 19: found 'events:', expected a key in column 5, or less indentation",
    ],
    [
      '- - success: true\n     events: []\n',
      "line 2, column 6: found 'events:', expected a key in column 5, or less indentation",
    ],
    [
      '- - success: true\n   events: []\n',
      `line 1, column 5: found a mapping without 'events', expected ${transaction}`,
    ],
    ['- - success: true\n    events: {}\n', "line 2, column 13: found '{', expected a sequence of events"],
    [
      '- - success: true\n    events: - write: true\n',
      "line 2, column 13: found '-', expected a line break before the first item",
    ],
    ['- - success: true\n    events:\n  - write: true\n', "line 3, column 3: found '-', expected a sequence of events"],
    [
      '- - success: true\n    events:\n\t- write: true\n',
      'line 3, column 1: found a tab, expected spaces for indentation',
    ],
    ['- []\n  - []\n', "line 2, column 3: found '-', expected '-' in column 1, or less indentation"],
    ['- []\n--- \n- []\n', "line 2, column 1: found '---', expected the end of the document"],
    ['- []\n...\n- []\n', "line 3, column 1: found '-', expected the end of the document"],
    ['[[],,]', "line 1, column 5: found ',', expected a session, a sequence of transactions"],
    ['[[] []]', "line 1, column 5: found '[', expected a comma or ']'"],
    ['[[]', "line 1, column 4: found the end of the input, expected a comma or ']'"],
    ['[[\n- events: []\n]]', `line 2, column 1: found '-', expected ${transaction}`],
    ['[[{success: true events: []}]]', "line 1, column 18: found 'events:', expected a comma or '}'"],
    ['[[{"success": true}]]', `line 1, column 4: found "success", expected ${transaction}`],
    [
      events('{write: true}'),
      `line 3, column 7: found a mapping without 'variable' and 'value' and 'success', expected ${event}`,
    ],
    [events('{variable: -1}'), "line 3, column 18: found '-1', expected a natural number below 2^64"],
    [events('{variable: 0x10}'), "line 3, column 18: found '0x10', expected a natural number below 2^64"],
    [events('{variable: 1.5}'), "line 3, column 18: found '1.5', expected a natural number below 2^64"],
    [
      events('{value: 18446744073709551616}'),
      "line 3, column 15: found '18446744073709551616', expected a natural number below 2^64",
    ],
    [events('&a {write: true}'), `line 3, column 7: found '&', expected ${event}`],
    [events('*a'), `line 3, column 7: found '*', expected ${event}`],
    [events('value: 1, variable: 2'), "line 3, column 14: found '1', expected a natural number below 2^64"],
    ['['.repeat(100_000), `line 1, column 3: found '[', expected ${transaction}`],
    [Buffer.from('# \xff\n- []', 'latin1'), 'line 1, column 3: found byte 0xff, expected valid UTF-8'],
  ])('dbcop-yaml names the mistake in %.80j', async (text, message) => {
    await expect(dbcopYaml.read(inputOfBytes('test', text), {})).rejects.toThrow(message);
  });

  test.each([
    ['- []\n- []\n', true],
    ['# events: \n- name: x', false],
    ['---\n[events:=1]\n', false],
    ['[[{"events": []}]]', false],
    ['---\nw 0 0\n', false],
    ['events:=1', false],
  ])('dbcop-yaml claims %j: %s', (text, expected) => {
    expect(dbcopYaml.matches(inputOfBytes('test', text))).toBe(expected);
  });
});
