import { type PlannedContent, planContent, shortCaption, visible } from '../../media/plan';
import type { SendPlan } from '../../platform.port';
import { splitText } from '../../text/split';
import { LONGEST_CAPTION, TELEGRAM_FILES } from './file-forms';

export const MAX_TEXT_LENGTH = 4_096;

/** Leaves out parts of only white space (a long run of blank lines): Telegram refuses them. */
export function texts(text: string): string[] {
  return visible(splitText(text, MAX_TEXT_LENGTH));
}

export function planTelegram(content: PlannedContent): SendPlan {
  const captioned = (text: string): string[] => shortCaption(text, LONGEST_CAPTION, texts);
  return planContent(content, TELEGRAM_FILES, { texts, captioned });
}
