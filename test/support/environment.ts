import { join } from 'node:path';
import type { AnthropicFake } from '../fakes/anthropic.fake';
import type { OpenAiFake } from '../fakes/openai.fake';
import type { TelegramFake } from '../fakes/telegram.fake';

export const ROOT = join(__dirname, '../..');

/** Started fakes: their tokens and addresses become the configuration. */
export interface FakesOfGateway {
  telegram?: TelegramFake;
  anthropic?: AnthropicFake;
  openai?: OpenAiFake;
}

/** The variables that point a gateway at the fakes. */
export function testEnvironment({ telegram, anthropic, openai }: FakesOfGateway): NodeJS.ProcessEnv {
  return {
    HOST: '127.0.0.1',
    PORT: '0',
    LOG_LEVEL: process.env['TEST_LOG_LEVEL'] ?? 'silent',
    API_KEY_PEPPER: 'the pepper of every test deployment',
    ...(telegram && { TELEGRAM_BOT_TOKEN: telegram.token, TELEGRAM_API_ROOT: telegram.url }),
    ...(anthropic && { ANTHROPIC_API_KEY: anthropic.apiKey, ANTHROPIC_BASE_URL: anthropic.url }),
    ...(openai && { OPENAI_API_KEY: openai.apiKey, OPENAI_BASE_URL: openai.baseUrl }),
  };
}

/** The same for a separate process: it finds the project's Node first, and logs warnings. */
export function processEnvironment(fakes: FakesOfGateway = {}): NodeJS.ProcessEnv {
  return {
    PATH: `${join(ROOT, 'node_modules/.bin')}:${process.env['PATH']}`,
    HOME: process.env['HOME'],
    ...testEnvironment(fakes),
    LOG_LEVEL: 'warn',
  };
}
