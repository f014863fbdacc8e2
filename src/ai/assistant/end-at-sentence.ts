const SENTENCES = new Intl.Segmenter(undefined, { granularity: 'sentence' });
const WORDS = new Intl.Segmenter(undefined, { granularity: 'word' });
/** The end of a sentence, perhaps with brackets, quotation marks or Markdown after it. */
const IS_WHOLE = /[.!?…。！？؟।][^\p{L}.!?…。！？؟।]*$/u;

/**
 * Ends a text that a limit cut at its last whole sentence, and says so by an ellipsis. Without a whole sentence, it ends at the last
 * whole word.
 */
export function endAtSentence(text: string): string {
  const sentences = [...SENTENCES.segment(text)];
  const last = sentences.at(-1);
  if (!last || IS_WHOLE.test(last.segment)) return `${text.trimEnd()} …`;
  if (sentences.length > 1) return `${text.slice(0, last.index).trimEnd()} …`;
  const word = [...WORDS.segment(text)].at(-1)!;
  const whole = text.slice(0, word.index).trimEnd();
  return `${whole === '' ? text.trimEnd() : whole}…`;
}
