/** Globals that packages for Node expect and browsers lack. Imported before those packages. */
import { Buffer } from './buffer.ts';

const scope = globalThis as { Buffer?: unknown; SharedArrayBuffer?: unknown };

scope.Buffer ??= Buffer;
// The runner's shared state is not shared here; browsers allow shared memory only to pages from servers.
scope.SharedArrayBuffer ??= ArrayBuffer;
