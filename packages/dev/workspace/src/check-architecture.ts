/** Prints what breaks the architecture, or a guard, and exits with 1 if anything does. */
import path from 'node:path';
import { checkArchitecture, describeViolation } from './architecture.ts';
import { checkGuards } from './guards.ts';

const root = path.resolve(import.meta.dirname, '../../../..');
const violations = [...checkArchitecture(root), ...checkGuards(root)];
for (const violation of violations) console.error(describeViolation(violation));
console.log(
  `architecture: ${violations.length === 0 ? 'every arrow points downwards' : `${violations.length} violations`}`,
);
process.exitCode = violations.length === 0 ? 0 : 1;
