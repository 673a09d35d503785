/**
 * What packages written for Node expect of the global scope, where a browser does not have it. Imported before them.
 */
import { Buffer } from './buffer.ts';

const scope = globalThis as { Buffer?: unknown; SharedArrayBuffer?: unknown };

scope.Buffer ??= Buffer;
// The runner's board is not shared here, and browsers give shared memory to pages of servers alone.
scope.SharedArrayBuffer ??= ArrayBuffer;
