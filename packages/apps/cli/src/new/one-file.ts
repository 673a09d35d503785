import { mkdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, resolve, sep } from 'node:path';
import process from 'node:process';
import { PUBLIC, writeFileTo } from 'isolab/formats';
import { shellPath, visibleLine } from 'isolab/skin';
import { ExitCode } from '../terminal/exit.ts';
import { templates } from '../terminal/own-package.ts';
import { type Printer, toJson } from '../terminal/print.ts';
import { insistOnTarget } from '../terminal/targets.ts';
import type { PluginKind } from './kinds.ts';
import { insistOnName } from './names.ts';

/** `isolab new KIND NAME`: creates one commented file that works, in the working directory or another folder. */
export async function newFile(
  kind: PluginKind,
  name: string,
  { out: folder = '.', output }: { readonly out?: string; readonly output: string },
  printer: Printer,
): Promise<number> {
  insistOnName(kind.name, name, await kind.taken());
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${name}${extname(kind.template)}`);
  insistOnTarget(path, { inputs: [] });
  const template = readFileSync(new URL(`${kind.name}/${kind.template}`, templates()), 'utf8');
  await writeFileTo(path, template.replaceAll(`my-${kind.name}`, name), { mode: PUBLIC });
  const steps = kind.steps(shellPath(wordOf(path)), name);
  if (output === 'json') printer.out(toJson({ kind: kind.name, name, file: resolve(path), steps }));
  else {
    printer.out(`${visibleLine(path)}: ${kind.title} to start from\n`);
    for (const step of steps) printer.out(`  npx ${step}`);
  }
  return ExitCode.Satisfied;
}

/** Makes a path begin with ./ so that it cannot be the name of a package. */
function wordOf(path: string): string {
  const word = relative(process.cwd(), path).split(sep).join('/');
  return word.startsWith('../') ? word : `./${word}`;
}
