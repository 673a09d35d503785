import { accessSync, constants } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import process from 'node:process';
import type { Engine } from './engine.ts';

/**
 * Returns the reason why an engine cannot run on this machine, or null if it can. Only the download shows whether its
 * registry has it.
 */
export function availability({ needs, clients = [], platforms, glibc }: Engine): string | null {
  const here = `${process.platform}-${process.arch}`;
  if (platforms && !platforms.includes(here)) return `runs only on ${platforms.join(', ')}; this machine is ${here}`;
  const found = glibcHere();
  if (glibc !== undefined && found !== null && isOlder(found, glibc))
    return `needs glibc ${glibc}, but this machine has ${found}`;
  const missing = needs.filter((program) => programOnPath(program) === null);
  if (missing.length > 0)
    return `needs ${missing.join(' and ')}, which ${missing.length > 1 ? 'are' : 'is'} not installed`;
  const client = clients.find((name) => !isPackage(name));
  return client === undefined ? null : `needs the package ${client}, which is not installed: npm install ${client}`;
}

function isPackage(name: string): boolean {
  try {
    createRequire(import.meta.url).resolve(name);
    return true;
  } catch {
    return false;
  }
}

export function programOnPath(program: string): string | null {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  const names = process.platform === 'win32' ? [`${program}.exe`, `${program}.cmd`, `${program}.bat`] : [program];
  return folders.flatMap((folder) => names.map((name) => join(folder, name))).find(isExecutable) ?? null;
}

export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function glibcHere(): string | null {
  const { header } = process.report.getReport() as { header: { glibcVersionRuntime?: string } };
  return header.glibcVersionRuntime ?? null;
}

const isOlder = (found: string, wanted: string): boolean =>
  found.localeCompare(wanted, 'en', { numeric: true, sensitivity: 'base' }) < 0;
