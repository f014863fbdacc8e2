import type { ParseMode } from '#contracts';
import { type PlannedContent, planContent, visible } from '../../media/plan';
import type { SendPlan } from '../../platform.port';
import { fileRules } from './file-rules';
import { partsOf } from './rendering';

/** Leaves out parts of only white space (a long run of blank lines): Discord refuses them. */
export function texts(text: string, parseMode: ParseMode): string[] {
  return visible(partsOf(text, parseMode));
}

/** @param largest file that the channel takes, in bytes */
export function planDiscord(content: PlannedContent, parseMode: ParseMode, largest: number): SendPlan {
  const cut = (text: string): string[] => texts(text, parseMode);
  return planContent(content, fileRules(largest), { texts: cut, captioned: cut });
}
