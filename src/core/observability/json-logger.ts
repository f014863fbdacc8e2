import type { LoggerService } from '@nestjs/common';
import { pino, type Level, type Logger } from 'pino';

/** Fields that logs never contain, at any depth of a logged object. */
const SECRETS = ['api_key', 'authorization', 'token', 'secret', 'password', 'url'].flatMap((name) => [
  name,
  `*.${name}`,
  `*.*.${name}`,
]);

/** Nest logs a line per module and route at the start, which helps only to debug the wiring. */
const CHATTER = new Set(['InstanceLoader', 'RoutesResolver', 'RouterExplorer', 'NestFactory', 'NestApplication']);

/** Nest's logger on pino: structured JSON on stdout, pretty on a terminal. */
export class JsonLogger implements LoggerService {
  private readonly pino: Logger;

  constructor({ level }: { level: string }) {
    this.pino = pino({
      level,
      base: undefined,
      redact: { paths: SECRETS, censor: '…' },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      ...(process.stdout.isTTY && {
        transport: {
          target: 'pino-pretty',
          options: { translateTime: 'SYS:HH:MM:ss', ignore: 'context', messageFormat: '[{context}] {msg}' },
        },
        formatters: {},
      }),
    });
  }

  log(message: unknown, ...rest: unknown[]): void {
    this.write('info', message, rest);
  }
  error(message: unknown, ...rest: unknown[]): void {
    this.write('error', message, rest);
  }
  warn(message: unknown, ...rest: unknown[]): void {
    this.write('warn', message, rest);
  }
  debug(message: unknown, ...rest: unknown[]): void {
    this.write('debug', message, rest);
  }
  verbose(message: unknown, ...rest: unknown[]): void {
    this.write('trace', message, rest);
  }
  fatal(message: unknown, ...rest: unknown[]): void {
    this.write('fatal', message, rest);
  }

  /** Nest passes `(message, …, context)`; we also call it with `({err, …}, message)`. */
  private write(level: Level, message: unknown, rest: unknown[]): void {
    const strings = rest.filter((value) => typeof value === 'string');
    const context = strings.at(-1);
    if (level === 'info' && context !== undefined && CHATTER.has(context)) level = 'debug';
    if (message instanceof Error) return this.pino[level]({ context, err: message }, message.message);
    if (typeof message === 'object' && message !== null) {
      return this.pino[level]({ context, ...message }, strings.length > 1 ? strings[0] : undefined);
    }
    const stack = strings.length > 1 ? strings[0] : undefined;
    this.pino[level]({ context, ...(stack !== undefined && { stack }) }, String(message));
  }
}
