import { execFileSync } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { dirname } from 'node:path';
import { EngineError } from '../engine/errors.ts';

export interface User {
  readonly uid: number;
  readonly gid: number;
}

/** Returns a user for a server that refuses to run as root; null for the current user, if that is not root. */
export function unprivileged(title: string): User | null {
  if (userInfo().uid !== 0) return null;
  for (const name of ACCOUNTS) {
    try {
      const id = (flag: string): number =>
        Number(execFileSync('id', [flag, name], { stdio: ['ignore', 'pipe', 'ignore'] }));
      return { uid: id('-u'), gid: id('-g') };
    } catch (error) {
      if (typeof (error as { status?: unknown }).status !== 'number') throw error; // the output does not name the user
    }
  }
  throw new EngineError(
    `${title} refuses to run as root, and there is no user ${ACCOUNTS.join(' or ')} to run it as. Name a server: --db postgres://…`,
  );
}

const ACCOUNTS = ['postgres', 'nobody'];

/** Returns whether every user can enter the folder. */
export async function isOpenToAll(folder: string): Promise<boolean> {
  for (let place = folder; ; place = dirname(place)) {
    if (((await stat(place)).mode & 0o001) === 0) return false;
    if (place === dirname(place)) return true;
  }
}
