import { EventEmitter } from 'node:events';
import { framed } from '../wire/framer.ts';

/** Place in the binary log. */
export interface LogPlace {
  readonly file: string;
  readonly position: number;
}

interface Packet {
  readonly buffer: Buffer;
  readonly start: number;
  readonly end: number;
}

/** The part of a connection of mysql2 that sends a command of another package. */
export interface RawConnection {
  addCommand(command: unknown): void;
  on(event: 'error' | 'end', listener: (error?: Error) => void): void;
  write(bytes: Buffer): void;
  sequenceId: number;
}

const BINLOG_DUMP = 18;
const NON_BLOCKING = 1;
const WITH_STATEMENTS = 2;
const [OK, END, FAILED] = [0, 0xfe, 0xff];

/** Reads all events of the binary log from a place up to its present end. */
export function dumpLog(connection: RawConnection, from: LogPlace, onEvent: (event: Buffer) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    for (const event of ['error', 'end'] as const)
      connection.on(event, (error) => reject(error ?? new Error('the connection was lost')));
    connection.addCommand(
      new (class extends EventEmitter {
        #isSent = false;
        /** Parts of an event of more than 16 MB are joined by mysql2. */
        execute(packet: Packet | null): boolean {
          if (!this.#isSent) {
            this.#isSent = true;
            const payload = Buffer.alloc(11 + Buffer.byteLength(from.file));
            payload[0] = BINLOG_DUMP;
            payload.writeUInt32LE(from.position, 1);
            payload.writeUInt16LE(NON_BLOCKING | WITH_STATEMENTS, 5);
            payload.writeUInt32LE(0, 7);
            payload.write(from.file, 11);
            connection.write(framed(payload));
            connection.sequenceId = 1;
            return false;
          }
          const { buffer, start, end } = packet!;
          const bytes = buffer.subarray(start + 4, end);
          if (bytes[0] === OK) {
            try {
              onEvent(bytes.subarray(1));
            } catch (error) {
              reject(error);
            }
            return false;
          }
          if (bytes[0] === FAILED) reject(new Error(bytes.subarray(9).toString()));
          else if (bytes[0] === END) resolve();
          return true;
        }
      })(),
    );
  });
}
