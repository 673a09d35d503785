import { write } from './elements.ts';
import { copy } from './keep.ts';
import { LinkError, MOST_CHARACTERS, fragmentOf } from './link.ts';
import { settingsForLink } from './settings.ts';

/** Copies a link to a history with all settings, or writes the reason why there is none into the note. */
export async function copyLink(textOf: () => Promise<string | null>, noteId: string): Promise<void> {
  try {
    const text = await textOf();
    if (text === null) throw new LinkError('A link can contain only one file; there are several.');
    if (text.trim() === '') throw new LinkError('There is no history yet.');
    const address = `${window.location.href.replace(/#.*/s, '')}${await fragmentOf({ text, settings: settingsForLink() })}`;
    const isDone = await copy(address);
    if (!isDone) window.history.replaceState(null, '', address);
    const where = isDone ? 'Copied' : 'The link is in the address bar';
    const from =
      window.location.protocol === 'file:'
        ? ' It opens this file on this machine; on other machines, append the part from # to the address of a playground there.'
        : '';
    write(noteId, `${where}: ${address.length} of at most ${MOST_CHARACTERS} characters.${from}`);
  } catch (error) {
    if (!(error instanceof LinkError)) throw error;
    write(noteId, error.message);
  }
}
