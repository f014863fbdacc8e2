import { ApiError } from '../core/http/lifecycle/api-error';
import { INTERACTIVE_LIMITS, type InteractiveDto } from './dto/interactive.dto';

/** @throws ApiError INVALID_PARAMETER for options that some platform could not show */
export function assertInteractive({ type, options }: InteractiveDto, message: string): void {
  const most = INTERACTIVE_LIMITS[type];
  if ([...message].length > INTERACTIVE_LIMITS.body)
    throw ApiError.invalidParameter('message', `must have at most ${INTERACTIVE_LIMITS.body} characters above options`);
  if (options.length > most.options)
    throw ApiError.invalidParameter('interactive.options', `must have at most ${most.options} items for a ${type}`);
  for (const [index, { id, title }] of options.entries()) {
    const at = `interactive.options[${index}]`;
    if ([...title].length > most.title)
      throw ApiError.invalidParameter(`${at}.title`, `must have at most ${most.title} characters on a ${type}`, title);
    if (options.some((other, before) => before < index && other.id === id))
      throw ApiError.invalidParameter(`${at}.id`, 'must be unique in the message', id);
    if (options.some((other, before) => before < index && other.title === title))
      throw ApiError.invalidParameter(`${at}.title`, 'must be unique in the message', title);
  }
}
