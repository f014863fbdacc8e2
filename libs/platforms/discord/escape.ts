/**
 * What Discord would read as markup; addresses are passed over, because inside them it reads none and a backslash would
 * break them. https://support.discord.com/hc/en-us/articles/210298617
 */
const MARKUP = /https?:\/\/[^\s<>]+|[\\*_~`|[\]]|<(?=[@#:/]|(?:a|t|id):)|(?<=^[ \t]*)[#>-]|(?<=^[ \t]*\d+)\./gm;

/** The text such that Discord shows exactly its characters. */
export function escapeMarkup(text: string): string {
  return text.replace(MARKUP, (found) => (found.startsWith('http') ? found : `\\${found}`));
}
