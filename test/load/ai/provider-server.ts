import { AnthropicFake } from '../../fakes/anthropic.fake';
import { ANSWER, PROVIDER_DELAY_MS, PROVIDER_KEY } from './exchange';

/** The provider, which takes the same time for every answer. */
async function main(): Promise<void> {
  const fake = new AnthropicFake({ apiKey: PROVIDER_KEY });
  fake.replyWith(() => ANSWER);
  fake.delay(PROVIDER_DELAY_MS);
  await fake.start();
  // The fake remembers what it was asked; a bench asks more than is worth keeping.
  setInterval(() => fake.requests.splice(0), 1_000).unref();
  console.log(`API ${fake.url}/api/v1`);
}

process.on('SIGTERM', () => process.exit(0));
void main();
