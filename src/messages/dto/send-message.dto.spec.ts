import 'reflect-metadata';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { MAX_RECIPIENT_LENGTH, SendMessageDto } from './send-message.dto';

const BODY = { platform: 'telegram', recipient: '48213907', message: 'Hello' };

/** What the decorators make of a body, or undefined where they refuse it. */
function decorated(body: object): SendMessageDto | undefined {
  const instance = plainToInstance(SendMessageDto, body);
  const faults = validateSync(instance, { whitelist: true, forbidNonWhitelisted: true, forbidUnknownValues: false });
  return faults.length === 0 ? instance : undefined;
}

describe('SendMessageDto.fromValid', () => {
  it.each([
    BODY,
    { ...BODY, platform: 'the service' },
    { ...BODY, platform: 'whatsapp' },
    { ...BODY, recipient: 'x'.repeat(MAX_RECIPIENT_LENGTH) },
    { ...BODY, message: '\u{1F600}'.repeat(16_384) },
  ])('makes what the decorators make', (body) => {
    const accepted = SendMessageDto.fromValid(body);
    expect(accepted).toBeInstanceOf(SendMessageDto);
    expect(accepted).toEqual(decorated(body));
  });

  it.each([
    {},
    { ...BODY, platform: 'signal' },
    { ...BODY, platform: 'constructor' },
    { ...BODY, platform: 7 },
    { ...BODY, recipient: '' },
    { ...BODY, recipient: 48_213_907 },
    { ...BODY, recipient: 'x'.repeat(MAX_RECIPIENT_LENGTH + 1) },
    { ...BODY, message: null },
    { ...BODY, message: 'a\u0000b' },
    { ...BODY, message: '\ud800' },
    { ...BODY, message: 'x'.repeat(16_385) },
    { ...BODY, surprise: true },
    { platform: 'telegram', recipient: '48213907', surprise: 'Hello' },
  ])('accepts nothing that they refuse: %j', (body) => {
    expect(decorated(body)).toBeUndefined();
    expect(SendMessageDto.fromValid(body)).toBeUndefined();
  });

  it('leaves options to the decorators', () => {
    const body = { ...BODY, options: { parse_mode: 'html' } };
    expect(SendMessageDto.fromValid(body)).toBeUndefined();
    expect(decorated(body)).toMatchObject(body);
  });
});
