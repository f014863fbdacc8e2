import 'reflect-metadata';
import cluster from 'node:cluster';
import { inspect } from 'node:util';
import { repeat } from './core/clock/repeat';
import { ConfigurationError, type Configuration } from './core/config/configuration';
import type { StartReport } from './core/cluster/cluster-messages';
import { Primary } from './core/cluster/primary';
import { startOfWorker, sendToPrimary } from './core/cluster/siblings.service';
import { loadConfiguration } from './core/config/load-configuration';
import { configurationOfWorker, workersOf } from './core/config/workers';
import { VERSION } from './core/version';
import { PageBuild } from './dashboard/page-build.service';
import { FirstKeysFile } from './first-keys-file';
import { prepareDeployment, startGateway, type Gateway, type Prepared } from './bootstrap';
import { watchStrayFaults } from './integrations/platforms/platform-context';

/** The process ends this long after SHUTDOWN_DELAY_SECONDS, even if the stop has not finished, in milliseconds. */
const STOP_TIMEOUT_MS = 35_000;

/** Ends a start that failed, with its reasons in plain lines. */
function failStart(...lines: readonly string[]): never {
  for (const line of lines) console.error(line);
  process.exit(1);
}

/** Ends a running gateway because of a fault. */
function fail(msg: string, fields?: Readonly<Record<string, unknown>>): never {
  const text = [msg, ...Object.values(fields ?? {}).map(String)].join('\n');
  process.stderr.write(`${process.stderr.isTTY ? text : jsonLine('fatal', msg, fields)}\n`);
  process.exit(1);
}

/** A log line that no level hides. */
function jsonLine(level: string, msg: string, fields: Readonly<Record<string, unknown>> = {}): string {
  return JSON.stringify({ level, time: new Date().toISOString(), context: 'Gateway', ...fields, msg });
}

/** Prints a text on a terminal, else a line of JSON. */
function tell(text: string, msg: string, fields?: Readonly<Record<string, unknown>>): void {
  process.stdout.write(`${process.stdout.isTTY ? text : jsonLine('info', msg, fields)}\n`);
}

const NAMES: Readonly<Record<string, string>> = { dashboard: 'Dashboard', api: 'API', docs: 'Docs', health: 'Health' };

/** Shows the addresses and the new keys. Keys go to a terminal only: logs are kept, and others read them. */
function announce(
  { url, createdKeys, signInCode, areKeysInFile }: StartReport,
  { http: { dashboard }, dataDir }: Configuration,
): void {
  const addresses = {
    ...(dashboard && { dashboard: `${url}/dashboard` }),
    api: `${url}/api/v1`,
    docs: `${url}/docs`,
    health: `${url}/health/ready`,
  };
  const lines = Object.entries(addresses).map(([name, address]) => `  ${NAMES[name]!.padEnd(10)} ${address}`);
  const signIn = dashboard && signInCode !== undefined ? `${url}/dashboard#code=${signInCode}` : undefined;
  tell(['', ...lines].join('\n'), `The gateway is ready: API ${addresses.api}`, { version: VERSION, addresses });
  if (areKeysInFile) {
    const firstKeys = new FirstKeysFile(dataDir);
    if (signIn !== undefined) firstKeys.addSignIn(signIn);
    const link = signIn === undefined ? '' : '. It also has a dashboard sign-in link that works once within 10 minutes';
    const notice = `The first API keys are in ${firstKeys.path}: copy the keys, then delete the file${link}`;
    tell(`\n  ${notice}\n`, notice);
    return;
  }
  if (!process.stdout.isTTY) return;
  const keys = ['', '  API keys, shown only once:', ...createdKeys.map((key) => `    ${key}`)];
  if (signIn !== undefined) keys.push('', '  Sign in, once and within 10 minutes:', `    ${signIn}`);
  const text = createdKeys.length > 0 ? keys : ['', '  API keys: unchanged (BOOTSTRAP_API_KEY adds one)'];
  process.stdout.write(`${text.join('\n')}\n\n`);
}

/** SIGTERM and SIGINT stop the gateway; so does the end of the npm that started it: npm's child would outlive it. */
function stopOnSignal(gateway: Pick<Gateway, 'close'>, delaySeconds: number): void {
  let stopping = false;
  const stop = (reason: string) => {
    if (stopping) return;
    stopping = true;
    const startedAt = performance.now();
    tell(`Stopping (${reason}) …`, `Stopping (${reason})`, { signal: reason });
    setTimeout(() => fail('The shutdown took too long; exiting now'), delaySeconds * 1_000 + STOP_TIMEOUT_MS).unref();
    gateway.close().then(
      () => {
        const ms = Math.round(performance.now() - startedAt);
        tell(`Stopped after ${ms} ms`, 'The gateway has stopped', { signal: reason, duration_ms: ms });
        process.exit(0);
      },
      (error: unknown) => fail(`The shutdown failed: ${String(error)}`),
    );
  };
  process.on('SIGTERM', () => stop('SIGTERM'));
  process.on('SIGINT', () => stop('SIGINT'));
  if (process.env.npm_lifecycle_event) {
    const parent = process.ppid;
    repeat(1_000, () => process.ppid !== parent && stop('npm has ended'));
  }
}

async function main(): Promise<void> {
  watchStrayFaults((error) => fail('Unexpected error; shutting down', { error: inspect(error) }));
  const configuration = loadConfiguration(process.env);
  const { shutdownDelaySeconds } = configuration.http;
  if (cluster.isWorker) {
    const databaseUrl = await startOfWorker();
    const prepared = { databaseUrl, leave: () => Promise.resolve() };
    const { gateway, report } = await serve(configurationOfWorker(configuration), prepared);
    stopOnSignal(gateway, shutdownDelaySeconds);
    sendToPrimary({ kind: 'started', report });
    return;
  }
  const workers = workersOf(configuration);
  if (workers === 1) {
    const { gateway, report } = await serve(configuration);
    stopOnSignal(gateway, shutdownDelaySeconds);
    announce(report, configuration);
    return;
  }
  const prepared = await prepareDeployment(configuration);
  const primary = new Primary(prepared.databaseUrl, workers, (level, msg, fields) => {
    process.stderr.write(`${jsonLine(level, msg, fields)}\n`);
  });
  const close = async () => {
    await primary.stop();
    await prepared.leave();
  };
  stopOnSignal({ close }, shutdownDelaySeconds);
  const report = await primary.start().catch(async (error: unknown) => {
    await close();
    throw error;
  });
  announce(report, configuration);
}

/** Starts the application in this process. */
async function serve(
  configuration: Configuration,
  prepared?: Prepared,
): Promise<{ gateway: Gateway; report: StartReport }> {
  const firstKeys = new FirstKeysFile(configuration.dataDir);
  const keep = (keys: readonly string[]) => (process.stdout.isTTY ? undefined : firstKeys.write(keys));
  const gateway = await startGateway(configuration, keep, prepared);
  if (configuration.http.dashboard) gateway.app.get(PageBuild).start();
  const { url, createdKeys, signInCode } = gateway;
  return { gateway, report: { url, createdKeys, signInCode, areKeysInFile: firstKeys.isWritten } };
}

main().catch((error: unknown) => {
  if (error instanceof ConfigurationError)
    failStart('The configuration is not valid:', ...error.faults.map((fault) => `  ${fault}`));
  failStart(`The gateway could not start: ${error instanceof Error ? error.message : String(error)}`);
});
