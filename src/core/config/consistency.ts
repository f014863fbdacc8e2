import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import type { Configuration } from './configuration';

type Settings = Pick<Configuration, 'http' | 'telegram' | 'workers' | 'redisUrl'>;

/** Faults between several variables, or between a variable and the file it names. */
export function consistencyFaults(settings: Settings, env: NodeJS.ProcessEnv): string[] {
  return [...tlsFaults(settings.http.tls), ...telegramFaults(settings.telegram, env), ...workersFaults(settings, env)];
}

function tlsFaults(tls: Settings['http']['tls']): string[] {
  if (!tls?.certFile || !tls.keyFile) return [];
  const faults: string[] = [];
  const cert = readPem('TLS_CERT_FILE', tls.certFile, faults);
  const key = readPem('TLS_KEY_FILE', tls.keyFile, faults);
  if (cert === undefined || key === undefined) return faults;
  try {
    createSecureContext({ cert, key });
  } catch (error) {
    faults.push(
      `TLS_CERT_FILE, TLS_KEY_FILE: ${(error as Error).message}; accepted: a PEM certificate and its PEM private key`,
    );
  }
  return faults;
}

function readPem(name: string, file: string, faults: string[]): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch (error) {
    faults.push(
      `${name}: "${file}" cannot be read (${(error as NodeJS.ErrnoException).code}); accepted: the path of a readable PEM file`,
    );
    return undefined;
  }
}

/** Without the secret anyone who guesses the address could speak as any Telegram user. */
function telegramFaults(telegram: Settings['telegram'], env: NodeJS.ProcessEnv): string[] {
  if (!telegram.webhookUrl || env['TELEGRAM_WEBHOOK_SECRET']?.trim()) return [];
  return ['TELEGRAM_WEBHOOK_SECRET: not set, but TELEGRAM_WEBHOOK_URL is; accepted: 1 to 256 of A-Z a-z 0-9 _ -'];
}

/** Several workers share queues and limits through Redis. A malformed WORKERS or REDIS_URL has its own fault. */
function workersFaults({ workers }: Partial<Settings>, env: NodeJS.ProcessEnv): string[] {
  if (workers === undefined || workers === 'auto' || workers === 1 || env['REDIS_URL']?.trim()) return [];
  return [`WORKERS=${workers} needs REDIS_URL, which is not set; accepted without it: 1 or auto`];
}
