#!/usr/bin/env node
import process from 'node:process';
import { run } from './run.ts';

// A reader that has seen enough, such as `head`, closes the pipe; that is not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 3));
process.exitCode = await run(process.argv.slice(2));
