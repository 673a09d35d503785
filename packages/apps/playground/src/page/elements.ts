export function element<Type extends HTMLElement = HTMLElement>(id: string): Type {
  const found = document.getElementById(id);
  if (!found) throw new Error(`The page has no element ${id}.`);
  return found as Type;
}

export const show = (id: string, isShown: boolean): void => void (element(id).hidden = !isShown);

export const write = (id: string, text: string): void => void (element(id).textContent = text);

/** Announces a text to screen readers. */
export const announce = (text: string): void => write('announced', text);

/** Scrolls to an element unless it is visible. */
export function bringIntoSight(id: string): void {
  const { top, bottom } = element(id).getBoundingClientRect();
  if (top < 0 || bottom > window.innerHeight) element(id).scrollIntoView({ block: 'start' });
}

/** Reads data that the page contains as JSON. */
export const data = <Type>(id: string): Type => JSON.parse(element(id).textContent) as Type;

/** Creates an element with a text or child elements. */
export function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  content: string | readonly Node[],
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  made.append(...(typeof content === 'string' ? [content] : content));
  return made;
}
