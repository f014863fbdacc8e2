import { ApiError } from '../core/http/lifecycle/api-error';
import { INTERACTIVE_LIMITS, type InteractiveDto } from './dto/interactive.dto';

/** @throws ApiError INVALID_PARAMETER for options that some platform could not show */
export function assertInteractive({ type, options }: InteractiveDto, message: string): void {
  const most = INTERACTIVE_LIMITS[type];
  if (message.trim() === '') throw ApiError.invalidParameter('message', 'must not be blank above options', message);
  if (lengthOf(message) > INTERACTIVE_LIMITS.body)
    throw ApiError.invalidParameter('message', `must have at most ${INTERACTIVE_LIMITS.body} characters above options`);
  if (type === 'choice' && lengthOf(message) + describedLength(options) > INTERACTIVE_LIMITS.body)
    throw ApiError.invalidParameter(
      'interactive.options',
      `must have at most ${INTERACTIVE_LIMITS.body} characters of descriptions and titles together with the message`,
    );
  if (options.length > most.options)
    throw ApiError.invalidParameter('interactive.options', `must have at most ${most.options} items for a ${type}`);
  for (const [index, { id, title, url }] of options.entries()) {
    const at = `interactive.options[${index}]`;
    const [longest, form] = url === undefined ? [most.title, type] : [INTERACTIVE_LIMITS.link, 'link'];
    if (lengthOf(title) > longest)
      throw ApiError.invalidParameter(`${at}.title`, `must have at most ${longest} characters on a ${form}`, title);
    if (options.some((other, before) => before < index && other.id === id))
      throw ApiError.invalidParameter(`${at}.id`, 'must be unique in the message', id);
    if (options.some((other, before) => before < index && other.title === title))
      throw ApiError.invalidParameter(`${at}.title`, 'must be unique in the message', title);
  }
}

/** Buttons have no room for descriptions: platforms show them as lines below the message, after an empty one. */
function describedLength(options: InteractiveDto['options']): number {
  const lines = options.filter(({ description }) => description);
  return lines.length && lines.reduce((sum, { title, description }) => sum + lengthOf(`\n${title}: ${description}`), 1);
}

function lengthOf(text: string): number {
  return [...text].length;
}
