/** JUnit's XML of operations on objects: a suite a history, a test case a level. */
import { JUNIT_FOOT, type JunitCase, junitHead, junitSuite, type JunitSuite, junitXml } from 'isolab/stories';
import type { OperationLevel, OperationResult } from 'isolab/objects';
import { failedSuite } from '../outputs.ts';
import type { Failure } from './failure.ts';
import type { Form } from './files.ts';

export class ObjectSuites {
  readonly #levels: readonly OperationLevel[];
  readonly #suites: JunitSuite[] = [];

  constructor(levels: readonly OperationLevel[]) {
    this.#levels = levels;
  }

  add(path: string, results: readonly OperationResult[]): void {
    this.#suites.push({ name: path, cases: results.map(caseOf), timestamp: new Date().toISOString() });
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

  #failed(failure: Failure): JunitSuite {
    return failedSuite(failure, this.#levels);
  }
}

/** An unknown verdict is an error, never a pass. */
function caseOf({ model, level, verdict, ms, summary, detail, story, uncertified }: OperationResult): JunitCase {
  const told = [...(story?.prose.map(({ text }) => text) ?? []), ...(uncertified === null ? [] : [uncertified])];
  return {
    name: level,
    checker: model,
    verdict,
    ms,
    ...(verdict === 'violated' && { message: summary ?? `not ${level}`, text: told.join('\n') }),
    ...(verdict === 'unknown' && { message: detail ?? 'no verdict' }),
  };
}
