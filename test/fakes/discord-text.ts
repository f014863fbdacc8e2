/** A piece of markdown as the recipient sees it, and whether Discord formatted it. */
interface Shown {
  text: string;
  formatted: boolean;
}

type Rule = readonly [pattern: RegExp, show: (found: RegExpExecArray) => Shown];

const asIs = (text = ''): Shown => ({ text, formatted: false });
const marked = (text = ''): Shown => ({ text, formatted: true });
const inside = (text = ''): Shown => marked(read(text, false).text);

/** Apply only at the start of a line. */
const LINE_RULES: readonly Rule[] = [
  [/^ *#{1,3}\s+/, () => marked()],
  [/^ *-# +/, () => marked()],
  [/^ *>(?:>>)? +/, () => marked()],
  [/^ *(?:[*-]|\d+\.) +/, ([list]) => marked(list)],
];

/**
 * Discord’s clients use the rules of simple-markdown with changes: github.com/discord/SimpleAST. If several rules match, the
 * longest match wins.
 */
const EMPHASIS: readonly Rule[] = [
  [
    /^(?:\b_((?:__|\\[^]|[^\\_])+?)_\b|\*(?=\S)((?:\*\*|\\[^]|\s+(?:\\[^]|[^\s*\\]|\*\*)|[^\s*\\])+?)\*(?!\*))/,
    ([, underscored, starred]) => inside(underscored ?? starred),
  ],
  // As in the phone apps, where an escaped mark ends the bold text too.
  [/^\*\*([^]+?)\*\*(?!\*)/, ([, text]) => inside(text)],
  [/^__([^]+?)__(?!_)/, ([, text]) => inside(text)],
];

const RULES: readonly Rule[] = [
  [/^\\([^0-9A-Za-z\s])/, ([, character]) => asIs(character)],
  [/^```(?:[\w+.#-]+\n)?\n*([^\n][^]*?)\n*```/, ([, code]) => marked(code)],
  [/^(`+)([^]*?[^`])\1(?!`)/, ([, , code]) => marked(code)],
  [/^<(?:@[!&]?|#)\d+>|^<a?:\w+:\d+>|^<t:-?\d+(?::\w)?>|^<id:\w+>|^<\/[^>]+:\d+>/, ([mention]) => marked(mention)],
  [/^<(https?:\/\/[^\s>]+)>/, ([, address]) => marked(address)],
  [/^https?:\/\/[^\s<]+[^<.,:;"'\]\s]/, ([address]) => asIs(address)],
  [/^\[((?:\[[^\]]*\]|[^[\]]|\](?=[^[]*\]))*)\]\([^)]+\)/, ([, text]) => inside(text)],
  [/^~~(?=\S)([^]*?\S)~~/, ([, text]) => inside(text)],
  [/^\|\|([^]+?)\|\|/, ([, text]) => inside(text)],
];

/** The text as Discord shows it, and whether any part is formatted. */
export function showText(source: string): Shown {
  const { text, formatted } = read(source, true);
  return { text: text.trim(), formatted };
}

function read(source: string, hasLines: boolean): Shown {
  let text = '';
  let formatted = false;
  for (let at = 0; at < source.length;) {
    const rest = source.slice(at);
    const beginsLine = hasLines && (at === 0 || source[at - 1] === '\n');
    const [taken, shown] = (beginsLine ? first(LINE_RULES, rest) : undefined) ??
      first(RULES, rest) ??
      longest(EMPHASIS, rest) ?? [1, asIs(rest[0])];
    text += shown.text;
    formatted ||= shown.formatted;
    at += taken;
  }
  return { text, formatted };
}

type Taken = [length: number, shown: Shown];

function first(rules: readonly Rule[], text: string): Taken | undefined {
  for (const [pattern, show] of rules) {
    const found = pattern.exec(text);
    if (found) return [found[0].length, show(found)];
  }
  return undefined;
}

function longest(rules: readonly Rule[], text: string): Taken | undefined {
  const found = rules.map((rule) => first([rule], text)).filter((taken) => taken !== undefined);
  return found.toSorted(([one], [other]) => other - one)[0];
}
