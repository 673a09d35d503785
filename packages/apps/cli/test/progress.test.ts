import process from 'node:process';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { progressLine } from '../src/terminal/progress.ts';

let said: string[] = [];
const wasTTY = process.stderr.isTTY;
const look = (isTTY: boolean): void =>
  void Object.defineProperty(process.stderr, 'isTTY', { value: isTTY, configurable: true });
beforeEach(() => {
  said = [];
  vi.useFakeTimers();
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => said.push(String(text)) > 0);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  look(wasTTY);
});
const reading = () => progressLine((done, total) => `reading: ${done} of ${total}`);

test('a log gets a plain line every ten seconds, with an estimate', () => {
  look(false);
  const line = reading();
  for (let second = 0; second <= 25; second++) {
    line.show(second, 100);
    vi.advanceTimersByTime(1000);
  }
  line.clear();
  expect(said).toEqual(['reading: 9 of 100; about 102 s left\n', 'reading: 19 of 100; about 86 s left\n']);
});

test('a log gets one also where nothing new is heard, and none after the end', () => {
  look(false);
  const line = reading();
  line.show(0, 0);
  vi.advanceTimersByTime(21_000);
  line.clear();
  vi.advanceTimersByTime(60_000);
  expect(said).toEqual(['reading: 0 of 0; 10 s so far\n', 'reading: 0 of 0; 20 s so far\n']);
});

test('a short stage has no progress line', () => {
  look(false);
  const line = reading();
  line.show(1, 2);
  vi.advanceTimersByTime(9000);
  line.show(2, 2);
  line.clear();
  expect(said).toEqual([]);
});

test('an estimate starts over with a new stage', () => {
  look(false);
  const line = reading();
  line.show(9, 10);
  vi.advanceTimersByTime(8000);
  line.show(1, 10, true);
  vi.advanceTimersByTime(4000);
  expect(said).toEqual(['reading: 1 of 10; about 18 s left\n']);
  line.clear();
});

test('a person sees one line, which goes away', () => {
  look(true);
  const line = reading();
  line.show(1, 10);
  vi.advanceTimersByTime(3000);
  line.show(5, 10);
  line.clear();
  expect(said).toEqual(['\r\u001B[Kreading: 5 of 10; about 3 s left', '\r\u001B[K']);
});
