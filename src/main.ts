import 'reflect-metadata';
import { inspect } from 'node:util';
import { ConfigurationError } from './core/config/configuration';
import { loadConfiguration } from './core/config/load-configuration';
import { startGateway, type Gateway } from './bootstrap';
import { watchStrayFaults } from './integrations/platforms/platform-context';

/** The process ends after this time even if the stop has not finished, in milliseconds. */
const STOP_TIMEOUT_MS = 35_000;

function fail(...lines: readonly string[]): never {
  for (const line of lines) console.error(line);
  process.exit(1);
}

function announce({ url, createdKeys }: Gateway): void {
  const lines = ['', `  API        ${url}/api/v1`, `  Docs       ${url}/docs`, `  Health     ${url}/health/ready`];
  if (createdKeys.length > 0) {
    lines.push('', '  API keys, shown this once:', ...createdKeys.map((key) => `    ${key}`));
  } else {
    lines.push('', '  API keys: those made before (BOOTSTRAP_API_KEY adds one)');
  }
  console.log(`${lines.join('\n')}\n`);
}

/** SIGTERM and SIGINT stop the gateway; so does the end of the npm that started it, whose child it would outlive. */
function stopOnSignal(gateway: Gateway): void {
  let stopping = false;
  const stop = (reason: string) => {
    if (stopping) return;
    stopping = true;
    console.log(`Stopping (${reason}) …`);
    setTimeout(() => fail('The stop took too long; ending now'), STOP_TIMEOUT_MS).unref();
    gateway.close().then(
      () => process.exit(0),
      (error: unknown) => fail(`The stop failed: ${String(error)}`),
    );
  };
  process.on('SIGTERM', () => stop('SIGTERM'));
  process.on('SIGINT', () => stop('SIGINT'));
  if (process.env.npm_lifecycle_event) {
    const parent = process.ppid;
    setInterval(() => process.ppid !== parent && stop('npm has ended'), 1_000).unref();
  }
}

async function main(): Promise<void> {
  watchStrayFaults((error) => fail('An unexpected fault; ending now', inspect(error)));
  const configuration = loadConfiguration(process.env);
  const gateway = await startGateway(configuration);
  stopOnSignal(gateway);
  announce(gateway);
}

main().catch((error: unknown) => {
  if (error instanceof ConfigurationError)
    fail('The configuration is not valid:', ...error.faults.map((fault) => `  ${fault}`));
  fail(`The gateway could not start: ${error instanceof Error ? error.message : String(error)}`);
});
