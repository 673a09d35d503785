/** JUnit XML with a suite per history and a test case per level. */
import { JUNIT_FOOT, type JunitCase, junitHead, type JunitSuite, junitSuite, junitXml } from 'isolab/stories';
import type { Failure } from './failure.ts';
import type { Form } from './output-files.ts';

export class Suites {
  readonly #levels: readonly string[];
  readonly #suites: JunitSuite[] = [];

  constructor(levels: readonly string[]) {
    this.#levels = levels;
  }

  add(name: string, cases: readonly JunitCase[]): void {
    this.#suites.push({ name, cases, timestamp: new Date().toISOString() });
  }

  fail(failure: Failure): void {
    this.#suites.push(this.#failed(failure));
  }

  last(): string {
    return junitSuite(this.#suites.at(-1)!);
  }

  whole(): string {
    return junitXml(this.#suites);
  }

  form(): Form {
    return {
      head: junitHead(),
      foot: JUNIT_FOOT,
      failed: (failure) => junitSuite(this.#failed(failure)),
      whole: () => this.whole(),
    };
  }

  /** A history that could not be checked, or not in time, is an error, never a pass. */
  #failed({ path, message, isTimeout }: Failure): JunitSuite {
    const verdict = isTimeout ? 'unknown' : 'error';
    const cases = this.#levels.map((name): JunitCase => ({ name, checker: 'none', verdict, message }));
    return { name: path, cases, timestamp: new Date().toISOString() };
  }
}
