import { Logger } from '@nestjs/common';
import { TransportError } from '#http-client';
import { connectionError as discordError, refusalOf as discordRefusal } from './discord/discord-errors';
import { UnreadableError, wordsOf } from './fault-words';
import { connectionError as telegramError } from './telegram/connection-faults';
import { connectionError as whatsappError } from './whatsapp/connection-faults';

const exceptions = [
  new TypeError("Cannot read properties of undefined (reading 'id')"),
  new TypeError('fetch failed'),
  new SyntaxError('Unexpected token < in JSON at position 0'),
  new DOMException('The operation was aborted due to timeout', 'TimeoutError'),
  'a string',
  undefined,
];

describe('the error text for operators and events', () => {
  const log = jest.spyOn(Logger.prototype, 'error').mockImplementation();
  afterAll(() => log.mockRestore());

  it.each([new UnreadableError('the message has no date'), new TransportError('cannot connect to x', false)])(
    'is our own text: %p',
    (error) => expect(wordsOf(error)).toBe(error.message),
  );

  it.each(exceptions)('does not contain the message of an exception, which is logged: %p', (exception) => {
    const told = [
      wordsOf(exception),
      telegramError(exception).fault.message,
      discordError(exception).fault.message,
      whatsappError(exception).fault.message,
      discordRefusal(exception).failure.message,
    ];
    for (const words of told) expect(words).toMatch(/unexpected error; see the log/);
    expect(told.join()).not.toMatch(/Error|undefined|fetch|token|aborted/);
    expect(log).toHaveBeenCalledWith({ err: exception }, expect.any(String));
  });
});
