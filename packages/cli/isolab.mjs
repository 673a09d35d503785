#!/usr/bin/env node
// npm links a command only if its file is there when it installs, and that is before anything is compiled.
await import('./dist/main.js');
