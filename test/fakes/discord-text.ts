/** Where escaped characters wait while the marks around them are read: a private-use area of Unicode. */
const SHELTER = 0xe000;

const MARKS = [/\*\*(.+?)\*\*/gs, /__(.+?)__/gs, /\*(\S.*?)\*/gs, /~~(.+?)~~/gs, /\|\|(.+?)\|\|/gs];

/** The text as Discord shows it, and whether any of it is marked up. A small part of its markdown; addresses are not read. */
export function showText(source: string): { text: string; formatted: boolean } {
  const shelter = (text: string): string =>
    [...text].map((character) => String.fromCharCode(SHELTER + character.charCodeAt(0))).join('');
  let text = source.replace(/https?:\/\/\S+/g, shelter);
  text = text.replace(/\\([^0-9A-Za-z\s])/g, (_found, character: string) => shelter(character));
  const before = text;
  text = text.replace(/```(?:\w*\n)?(.*?)```|`([^`]+)`/gs, (_found, block?: string, span?: string) =>
    shelter(block ?? span ?? ''),
  );
  text = text.replace(/\[([^\]]+)\]\([^)]+\)/g, '$1');
  for (const mark of MARKS) text = text.replace(mark, '$1');
  const formatted = text !== before;
  const shown = text.replace(/[\ue000-\ue0ff]/g, (character) => String.fromCharCode(character.charCodeAt(0) - SHELTER));
  return { text: shown.trim(), formatted };
}
