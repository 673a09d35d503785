import { started } from '@isolab/history';
import { spawn } from 'node:child_process';
import process from 'node:process';
import type { Child } from '../engine/processes.ts';

/** Starts a shell that ends the servers of a folder and removes the folder when the pipe to this process closes. */
export function watchdog(folder: string): Child | null {
  if (process.platform === 'win32') return null;
  const asked = spawn('sh', ['-c', WATCH, 'isolab-watchdog', folder], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const child = started(asked, () => {}); // without the watchdog, the next start removes the remains
  child.stdin!.on('error', () => {});
  child.unref();
  (child.stdin as unknown as { unref(): void }).unref();
  return child;
}

/**
 * A process is a server only if its command line names the folder. Removal fails for a while if a process still writes
 * to the folder.
 */
const WATCH = `
trap '' TERM INT HUP
read -r word
[ "$word" = done ] && exit
for round in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
  found=
  for pid in $(cat "$1/processes" 2>/dev/null); do
    command=$(tr '\\0' ' ' 2>/dev/null </proc/"$pid"/cmdline || ps -o args= -p "$pid")
    case $command in *"$1"*) ;; *) continue ;; esac
    found=yes
    # A server that is paused has stopped children, which would outlast it.
    children=$(ps -A -o pid= -o ppid= 2>/dev/null | while read -r one parent; do [ "$parent" = "$pid" ] && echo "$one"; done)
    kill -CONT "$pid" $children 2>/dev/null
    if [ "$round" -lt 8 ]; then kill -QUIT "$pid"; else kill -KILL "-$pid" "$pid"; fi
  done
  if [ -z "$found" ]; then rm -rf "$1" && [ ! -e "$1" ] && exit; fi
  sleep 0.3
done
`;
