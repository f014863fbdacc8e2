import { AnthropicFake } from '../../fakes/anthropic.fake';
import { ANSWER, PROVIDER_DELAY_MS, PROVIDER_KEY } from './exchange';

/** A fake provider that answers every request after the same delay. */
async function main(): Promise<void> {
  const fake = new AnthropicFake({ apiKey: PROVIDER_KEY });
  fake.replyWith(() => ANSWER);
  fake.delay(PROVIDER_DELAY_MS);
  await fake.start();
  // The fake records each request, and a bench makes too many to keep.
  setInterval(() => fake.requests.splice(0), 1_000).unref();
  console.log(`API ${fake.url}/api/v1`);
}

process.on('SIGTERM', () => process.exit(0));
void main();
