/** Prints each violation of the architecture, the guards and the language, and exits with 1 if there is one. */
import path from 'node:path';
import { checkArchitecture } from './architecture.ts';
import { describeViolation } from './violation.ts';
import { checkGuards } from './guards.ts';
import { checkTypeNames } from './type-names.ts';
import { checkSubjects, checkWords } from './words.ts';

const root = path.resolve(import.meta.dirname, '../../../..');
const checks = [checkArchitecture, checkGuards, checkTypeNames, checkWords, checkSubjects];
const violations = checks.flatMap((check) => check(root));
for (const violation of violations) console.error(describeViolation(violation));
console.log(
  `architecture: ${violations.length === 0 ? 'every arrow points downwards' : `${violations.length} violations`}`,
);
process.exitCode = violations.length === 0 ? 0 : 1;
