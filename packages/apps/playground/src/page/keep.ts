/** Saves results as files or on the clipboard, without a server. */

export interface Saved {
  readonly fileName: string;
  readonly content: string | Uint8Array<ArrayBuffer>;
}

export function save({ fileName, content }: Saved, type: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([content], { type }));
  link.download = fileName;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), KEPT_MS);
}

/**
 * Copies a text and returns whether that worked. A page from disk may not be allowed to use the clipboard, so the old
 * method is tried, too.
 */
export async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement('textarea');
    area.value = text;
    area.readOnly = true;
    area.style.position = 'fixed';
    document.body.append(area);
    area.select();
    const isDone = document.execCommand('copy');
    area.remove();
    return isDone;
  }
}

const KEPT_MS = 10_000;
