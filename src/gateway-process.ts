import 'reflect-metadata';
import { inspect } from 'node:util';
import { ConfigurationError, type Configuration } from './core/config/configuration';
import { loadConfiguration } from './core/config/load-configuration';
import { PageBuild } from './dashboard/page-build.service';
import { FirstKeysFile } from './first-keys-file';
import { startGateway, type Gateway } from './bootstrap';
import { settleAfterStart } from './after-start';
import { watchStrayFaults } from './integrations/platforms/platform-context';

/** The process ends this long after SHUTDOWN_DELAY_SECONDS even if the stop has not finished, in milliseconds. */
const STOP_TIMEOUT_MS = 35_000;

function fail(...lines: readonly string[]): never {
  for (const line of lines) console.error(line);
  process.exit(1);
}

/** Keys go to a terminal only: what is written elsewhere is kept, and read by others. */
function announce(
  { url, createdKeys, signInCode }: Gateway,
  { http: { dashboard } }: Configuration,
  firstKeys: FirstKeysFile,
): void {
  const lines = [''];
  if (dashboard) lines.push(`  Dashboard  ${url}/dashboard`);
  lines.push(`  API        ${url}/api/v1`, `  Docs       ${url}/docs`, `  Health     ${url}/health/ready`);
  const signIn = dashboard && signInCode !== undefined ? `${url}/dashboard#code=${signInCode}` : undefined;
  if (firstKeys.isWritten) {
    lines.push('', `  The first API keys are in ${firstKeys.path}: take them out and delete it`);
    if (signIn !== undefined) {
      firstKeys.addSignIn(signIn);
      lines.push('  It also has a link that signs in to the dashboard, once and within 10 minutes');
    }
  } else if (createdKeys.length > 0) {
    lines.push('', '  API keys, shown this once:', ...createdKeys.map((key) => `    ${key}`));
    if (signIn !== undefined) lines.push('', '  Sign in, once and within 10 minutes:', `    ${signIn}`);
  } else {
    lines.push('', '  API keys: those made before (BOOTSTRAP_API_KEY adds one)');
  }
  console.log(`${lines.join('\n')}\n`);
}

/** SIGTERM and SIGINT stop the gateway; so does the end of the npm that started it, whose child it would outlive. */
function stopOnSignal(gateway: Gateway, delaySeconds: number): void {
  let stopping = false;
  const stop = (reason: string) => {
    if (stopping) return;
    stopping = true;
    console.log(`Stopping (${reason}) …`);
    setTimeout(() => fail('The stop took too long; ending now'), delaySeconds * 1_000 + STOP_TIMEOUT_MS).unref();
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
  const firstKeys = new FirstKeysFile(configuration.dataDir);
  const keep = (keys: readonly string[]) => (process.stdout.isTTY ? undefined : firstKeys.write(keys));
  const gateway = await startGateway(configuration, keep);
  stopOnSignal(gateway, configuration.http.shutdownDelaySeconds);
  announce(gateway, configuration, firstKeys);
  if (configuration.http.dashboard) gateway.app.get(PageBuild).start();
  settleAfterStart();
}

main().catch((error: unknown) => {
  if (error instanceof ConfigurationError)
    fail('The configuration is not valid:', ...error.faults.map((fault) => `  ${fault}`));
  fail(`The gateway could not start: ${error instanceof Error ? error.message : String(error)}`);
});
