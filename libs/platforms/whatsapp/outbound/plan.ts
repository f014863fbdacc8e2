import { type PlannedContent, planContent, shortCaption, visible } from '../../media/plan';
import type { SendPlan } from '../../platform.port';
import { splitText } from '../../text/split';
import { LONGEST_CAPTION, WHATSAPP_FILES } from './file-forms';

/** Longest body of a text message, in UTF-16 code units. */
export const MAX_TEXT_LENGTH = 4_096;

/** Leaves out parts of only white space (a long run of blank lines): WhatsApp refuses them. */
export function texts(text: string): string[] {
  return visible(splitText(text, MAX_TEXT_LENGTH));
}

/** As few messages as possible: each is billed. */
export function planWhatsApp(content: PlannedContent): SendPlan {
  const captioned = (text: string): string[] => shortCaption(text, LONGEST_CAPTION, texts);
  return planContent(content, WHATSAPP_FILES, { texts, captioned });
}
