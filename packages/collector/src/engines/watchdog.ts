import { type ChildProcess, spawn } from 'node:child_process';
import process from 'node:process';

/** A small shell that ends the server and removes its folder when the pipe to this process closes. */
export function watchdog(folder: string, data: string): ChildProcess | null {
  if (process.platform === 'win32') return null;
  const child = spawn('sh', ['-c', WATCH, 'isolab-watchdog', folder, data], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  child.on('error', () => {});
  child.stdin!.on('error', () => {});
  child.unref();
  (child.stdin as unknown as { unref(): void }).unref();
  return child;
}

/** Only a process whose command names the folder is the server. What still writes into it makes removing fail for a while. */
const WATCH = `
trap '' TERM INT HUP
read -r word
[ "$word" = done ] && exit
for round in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
  pid=$(head -n 1 "$2/postmaster.pid" 2>/dev/null)
  if [ -n "$pid" ]; then
    command=$(tr '\\0' ' ' 2>/dev/null </proc/"$pid"/cmdline || ps -o args= -p "$pid")
    case $command in *"$2"*) if [ "$round" -lt 10 ]; then kill -QUIT "$pid"; else kill -KILL "$pid"; fi; sleep 0.3; continue ;; esac
  fi
  rm -rf "$1" && [ ! -e "$1" ] && exit
  sleep 0.3
done
`;
