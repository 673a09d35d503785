import { existsSync } from 'node:fs';
import { delimiter } from 'node:path';
import { fileURLToPath } from 'node:url';
import { templates } from './own-package.ts';

/**
 * Returns environment variables with which Node and pytest load a file that adds the caller's file and line to each
 * statement, as a comment.
 */
export function callersIn({ NODE_OPTIONS, PYTHONPATH, PYTEST_PLUGINS }: NodeJS.ProcessEnv): Record<string, string> {
  const folder = callersFolder();
  const hook = fileURLToPath(new URL('node.cjs', folder)).replaceAll('\\', '/');
  return {
    NODE_OPTIONS: joined(' ', NODE_OPTIONS, `--require="${hook}"`),
    PYTHONPATH: joined(delimiter, fileURLToPath(new URL('python', folder)), PYTHONPATH),
    PYTEST_PLUGINS: joined(',', PYTEST_PLUGINS, 'isolab_callers'),
  };
}

const joined = (separator: string, ...parts: readonly (string | undefined)[]): string =>
  parts.filter((part) => part !== undefined && part !== '').join(separator);

/** Finds the files in the package of an installed isolab, or in the clone. */
function callersFolder(): URL {
  const brought = new URL('callers/', templates());
  return existsSync(brought) ? brought : new URL('../../../field/record/callers/', templates());
}
