import type { Command } from 'commander';
import type { Configuration } from '../../core/config/configuration';
import { loadConfiguration } from '../../core/config/load-configuration';
import { JsonLogger } from '../../core/observability/json-logger';
import { EXIT, type ExitCode } from './failure';
import { Output } from './output';

/** Context of every command, besides its arguments. */
export interface CommandContext {
  configuration: Configuration;
  /** Logs to stderr. */
  logger: JsonLogger;
  output: Output;
}

/** Loads the configuration from the environment, as the gateway does. @throws ConfigurationError */
export function contextOf(output: Output): CommandContext {
  const configuration = loadConfiguration(process.env);
  return { configuration, logger: loggerOf(process.env, configuration), output };
}

/** Commands print their result, or their error in one line. The log is silent unless LOG_LEVEL asks for it. */
export function loggerOf(env: NodeJS.ProcessEnv, { log }: Configuration): JsonLogger {
  return new JsonLogger({ level: env['LOG_LEVEL']?.trim() ? log.level : 'fatal', stderr: true });
}

type Work<Parameters extends unknown[]> = (context: CommandContext, ...given: Parameters) => Promise<ExitCode | void>;

/**
 * The action of a command whose work needs the configuration.
 * @param work gets the arguments of the command in their order, then its options
 */
export function withContext<Parameters extends unknown[]>(work: Work<Parameters>) {
  return async function (this: Command, ...given: [...Parameters, Command]): Promise<void> {
    const parameters = given.slice(0, -1) as Parameters;
    process.exitCode = (await work(contextOf(outputOf(this)), ...parameters)) ?? EXIT.done;
  };
}

/** For commands that must also run with an invalid configuration. */
export function environment(): NodeJS.ProcessEnv {
  return process.env;
}

export function outputOf(command: Command): Output {
  return new Output(Boolean(command.optsWithGlobals<{ json?: boolean }>().json));
}
