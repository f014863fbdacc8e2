/** A sentence that continues another one after a colon. */
export function inSentence(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1);
}
