/** The numbered steps of CONTRIBUTING.md, as it has them now. */
import { readFileSync } from 'node:fs';
import path from 'node:path';

export const ROOT = path.resolve(import.meta.dirname, '../../../../..');

export interface Step {
  readonly section: string;
  readonly number: number;
  readonly text: string;
}

/** The steps of a section, each of which must have the words that the test knows it by. */
export function stepsOf(section: string, known: readonly string[]): Step[] {
  const page = readFileSync(path.join(ROOT, 'CONTRIBUTING.md'), 'utf8');
  const [, part] = page.split(`\n## ${section}\n`);
  if (part === undefined) throw new Error(`CONTRIBUTING.md has no section “${section}”.`);
  const [body] = part.split('\n## ');
  const steps = [...body!.matchAll(/^(\d+)\. (.*)$/gm)].map(([, number, text]) => ({
    section,
    number: Number(number),
    text: text!,
  }));
  if (steps.length !== known.length)
    throw new Error(
      `“${section}” of CONTRIBUTING.md has ${steps.length} numbered steps, but this test follows ${known.length}.`,
    );
  steps.forEach((step, i) => {
    if (step.number !== i + 1 || !step.text.includes(known[i]!))
      noLongerFits(step, `This test follows a step ${i + 1} that says “${known[i]!}”.`);
  });
  return steps;
}

export function noLongerFits({ section, number }: Step, why: string): never {
  throw new Error(`“${section}”, step ${number}, of CONTRIBUTING.md no longer fits. ${why}`);
}
