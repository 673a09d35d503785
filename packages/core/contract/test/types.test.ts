import { expect, expectTypeOf, test } from 'vitest';
import {
  ALL_ANOMALIES,
  type AnomalyName,
  type CheckerVerdict,
  type FoundAnomaly,
  type InputOf,
  type LevelName,
  NAMES_OVER_PREDICATES,
  type UserLevel,
  type Verdict,
  defineChecker,
} from '../src/index.ts';

test('a checker may give only the reasons of checkers', () => {
  expectTypeOf<{ status: 'unknown'; reason: 'timeout' }>().toExtend<CheckerVerdict>();
  expectTypeOf<{ status: 'unknown'; reason: 'nothing-to-judge' }>().not.toExtend<CheckerVerdict>();
  expectTypeOf<{ status: 'unknown'; reason: 'nothing-to-judge' }>().toExtend<Verdict>();
});

test('a checker is given the kinds of input that it accepts', () => {
  expectTypeOf(defineChecker<object>)
    .parameter(0)
    .toHaveProperty('check')
    .parameter(0)
    .toEqualTypeOf<InputOf<'history'>>();
  expectTypeOf<InputOf<'history'>>().not.toHaveProperty('withScans');
  expectTypeOf<InputOf<'polygraph'>>().not.toHaveProperty('history');
});

test('the name of a level is built-in or user-defined', () => {
  expectTypeOf<'serializable' | UserLevel>().toExtend<LevelName>();
  expectTypeOf<'serialisable'>().not.toExtend<LevelName>();
  expectTypeOf<string>().not.toExtend<LevelName>();
});

test('the name of an anomaly is in the registry', () => {
  expectTypeOf<FoundAnomaly['name']>().toEqualTypeOf<AnomalyName>();
  expectTypeOf<'G2-predicate'>().not.toExtend<AnomalyName>();
  expectTypeOf(ALL_ANOMALIES).items.toHaveProperty('name').toEqualTypeOf<AnomalyName>();
});

test('every name over predicates is registered', () => {
  const names = ALL_ANOMALIES.map(({ name }) => name);
  for (const name of NAMES_OVER_PREDICATES.values()) expect(names).toContain(name);
});
