import { LEVELS } from '@isolab/contract';
import { expect, test } from 'vitest';
import { RULES, consistencyModels } from '../src/index.ts';

test.each([
  [[], []],
  [['internal'], ['read-atomic']],
  [['G1a'], ['read-committed']],
  [['dirty-update'], ['read-committed']],
  [['incompatible-order'], ['read-committed']],
  [['future-read'], ['read-committed']],
  [['G0'], ['read-uncommitted']],
  [['duplicate-elements'], ['read-uncommitted']],
  [['G1c-process'], ['strong-session-read-committed']],
  [['G1c-realtime'], ['strong-read-committed']],
  [['lost-update'], ['cursor-stability', 'update-atomic']],
  [['G-single'], ['consistent-view']],
  [['G-single-item'], ['consistent-view', 'repeatable-read']],
  [['G-single-item-process'], ['strong-session-snapshot-isolation']],
  [['G-single-realtime'], ['strong-snapshot-isolation']],
  [['G-nonadjacent'], ['snapshot-isolation']],
  [['G2-item'], ['repeatable-read']],
  [['G2'], ['serializable']],
  [['G2-item-process'], ['strong-session-serializable']],
  [['G2-item-realtime'], ['strong-serializable']],
  [['internal', 'G2'], ['read-atomic']],
])('%j rules out %j first', (anomalies, not) => expect(consistencyModels(anomalies).not).toEqual(not));

test('a violated model rules out all stronger ones', () => {
  expect(consistencyModels(['G-single']).alsoNot).toEqual([
    'forward-consistent-view',
    'serializable',
    'snapshot-isolation',
    'strong-serializable',
    'strong-session-serializable',
    'strong-session-snapshot-isolation',
    'strong-snapshot-isolation',
    'update-serializable',
  ]);
  expect(consistencyModels(['G-single-realtime']).alsoNot).toEqual(['strong-serializable']);
  expect(consistencyModels(['cyclic-versions']).alsoNot).toHaveLength(24);
});

test('names of our own and aliases are understood', () => {
  expect(consistencyModels(['not-my-own-write'])).toEqual(consistencyModels(['internal']));
  expect(consistencyModels(['thin-air-read'])).toEqual(consistencyModels(['G1a']));
  expect(consistencyModels(['TAP-b'])).toEqual(consistencyModels(['G1a']));
  expect(consistencyModels(['write-skew'])).toEqual(consistencyModels(['G2-item']));
  expect(consistencyModels(['no such anomaly'])).toEqual({ not: [], alsoNot: [] });
});

test('every level is one of Elle’s models, and its forbidden anomalies rule it out', () => {
  const everything = new Set(Object.values(consistencyModels(['G0', 'internal', 'G1a'])).flat());
  for (const { name } of LEVELS) {
    const rule = RULES[name];
    if (rule) expect(everything).toContain(rule.model);
  }
  const ruledOutBy = (anomaly: string): Set<string> => new Set(Object.values(consistencyModels([anomaly])).flat());
  for (const rule of Object.values(RULES).filter((each) => each !== undefined)) {
    const suffix = rule.realTime ? '-realtime' : rule.process && rule.cycles !== 'dependencies' ? '-process' : '';
    const worst = { dependencies: 'G1c', nonadjacent: 'G-nonadjacent', all: 'G2-item' }[rule.cycles];
    expect(ruledOutBy(worst + suffix)).toContain(rule.model);
    if (rule.lostUpdate) expect(ruledOutBy('lost-update')).toContain(rule.model);
  }
});
