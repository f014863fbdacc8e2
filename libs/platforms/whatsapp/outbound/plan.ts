import { type PlannedContent, planContent, visible } from '../../media/plan';
import type { SendPlan } from '../../platform.port';
import { splitFewest, type TextPart } from '../../text/split';
import { LONGEST_CAPTION, WHATSAPP_FILES } from './file-forms';

/** Longest body of a text message, in UTF-16 code units. */
export const MAX_TEXT_LENGTH = 4_096;

const joined = ({ prefix, body, suffix }: TextPart): string => prefix + body + suffix;

/**
 * As few messages as possible: each is billed. Leaves out parts of only white space (a long run of blank lines): WhatsApp
 * refuses them.
 */
export function texts(text: string): string[] {
  return visible(splitFewest(text, MAX_TEXT_LENGTH).map(joined));
}

function captioned(text: string): string[] {
  const [caption = '', ...rest] = splitFewest(text, MAX_TEXT_LENGTH, LONGEST_CAPTION).map(joined);
  return [caption, ...rest.filter((part) => part.trim() !== '')];
}

export function planWhatsApp(content: PlannedContent): SendPlan {
  return planContent(content, WHATSAPP_FILES, { texts, captioned });
}
