/** The first line that is no JSON object: then it is the sender who should know. */
export function problemInLines(text: string, firstNumber = 1): string | null {
  for (const [i, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    try {
      const value: unknown = JSON.parse(line);
      if (typeof value !== 'object' || value === null)
        return `line ${firstNumber + i}: found ${line.slice(0, 40)}, expected an object`;
    } catch (error) {
      return `line ${firstNumber + i}: ${(error as Error).message}`;
    }
  }
  return null;
}

export const countLines = (bytes: Uint8Array): number =>
  bytes.reduce((all, byte) => all + (byte === LINE_FEED ? 1 : 0), 0);

export const LINE_FEED = 10;
