import type { LoggerService } from '@nestjs/common';
import { pino, type Level, type Logger, type LoggerOptions } from 'pino';
import { currentWork } from './tracing/work-context';

/** Fields that logs never contain, at any depth of a logged object. */
const SECRETS = ['api_key', 'authorization', 'token', 'secret', 'password', 'url'].flatMap((name) => [
  name,
  `*.${name}`,
  `*.*.${name}`,
]);

/** Nest logs a line per module and route at the start, which helps only to debug the wiring. */
const STARTUP_CONTEXTS = new Set([
  'InstanceLoader',
  'RoutesResolver',
  'RouterExplorer',
  'NestFactory',
  'NestApplication',
]);

/** Nest logs a fault of the start with its stack, and then throws it: `main` logs it once. */
const START_FAULTS = new Set(['ExceptionHandler', 'NestApplication']);

/** Nest's logger on pino: structured JSON on stdout, readable text on a terminal. Commands log to stderr. */
export class JsonLogger implements LoggerService {
  private readonly pino: Logger;

  /** @param stderr keeps stdout free for the output of a command */
  constructor({ level, stderr = false }: { level: string; stderr?: boolean }) {
    const { isTTY, fd } = stderr ? process.stderr : process.stdout;
    const options: LoggerOptions = {
      level,
      base: undefined,
      redact: { paths: SECRETS, censor: '…' },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      ...(isTTY && {
        transport: {
          target: 'pino-pretty',
          options: {
            translateTime: 'SYS:HH:MM:ss',
            ignore: 'context',
            messageFormat: '[{context}] {msg}',
            destination: fd,
          },
        },
        formatters: {},
      }),
    };
    // A command ends as soon as it is done: its log lines must be written by then.
    this.pino = stderr && !isTTY ? pino(options, pino.destination({ dest: fd, sync: true })) : pino(options);
  }

  /** Logs nothing more: the start has failed, and its caller reports the fault. */
  mute(): void {
    this.pino.level = 'silent';
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
    if (level === 'info' && context !== undefined && STARTUP_CONTEXTS.has(context)) level = 'debug';
    if (context !== undefined && START_FAULTS.has(context)) level = 'debug';
    const work = currentWork();
    const about = { context, ...(work?.traceId !== undefined && { trace_id: work.traceId }), ...work?.ids };
    if (message instanceof Error) return this.pino[level]({ ...about, err: message }, message.message);
    if (typeof message === 'object' && message !== null) {
      return this.pino[level]({ ...about, ...message }, strings.length > 1 ? strings[0] : undefined);
    }
    const stack = strings.length > 1 ? strings[0] : undefined;
    this.pino[level]({ ...about, ...(stack !== undefined && { stack }) }, String(message));
  }
}
