/** Globals that packages written for Node expect, where a browser lacks them. Imported before them. */
import { Buffer } from './buffer.ts';

const scope = globalThis as { Buffer?: unknown; SharedArrayBuffer?: unknown };

scope.Buffer ??= Buffer;
// The runner's board is not shared here, and browsers give shared memory to pages of servers alone.
scope.SharedArrayBuffer ??= ArrayBuffer;
