import { styleText } from 'node:util';
import { Logger } from '@nestjs/common';
import type { Command } from 'commander';
import type { CheckStatus, DoctorFinding } from '#contracts';
import { secretValues } from '../../../core/config/secret-values';
import { tolerantConfiguration } from '../../../core/config/tolerant-configuration';
import { Doctor } from '../../../core/doctor/doctor';
import { environment, loggerOf, outputOf } from '../command-context';
import { openDatabase } from '../database';
import { EXIT, type ExitCode } from '../failure';
import { examples } from '../help';
import { StyledLine, type Output } from '../output';

/** A server that does not stop within this time ends with this process, in milliseconds. */
const CLOSE_TIMEOUT_MS = 5_000;

const COLOURS = { ok: 'green', warning: 'yellow', fault: 'red' } as const satisfies Record<CheckStatus, string>;

export function addDoctorCommand(program: Command): void {
  program
    .command('doctor')
    .description('Check the configuration and all dependencies of the gateway, without changing anything')
    .addHelpText(
      'after',
      `\nExit code 3: problems found. docs/doctor.md explains each.\n${examples('doctor', 'doctor --json')}`,
    )
    .action(async function (this: Command) {
      process.exitCode = await doctor(environment(), outputOf(this));
    });
}

/** Prints the findings. */
export async function doctor(env: NodeJS.ProcessEnv, output: Output): Promise<ExitCode> {
  const findings = await findingsOf(env);
  output.result({ checks: findings }, linesOf(findings));
  return findings.some(({ status }) => status === 'fault') ? EXIT.faultsFound : EXIT.done;
}

/** Also checks an invalid configuration: it reports the faults, and checks the rest. */
async function findingsOf(env: NodeJS.ProcessEnv): Promise<DoctorFinding[]> {
  const tolerant = tolerantConfiguration(env);
  const { configuration, invalid } = tolerant;
  const logger = loggerOf(env, configuration);
  Logger.overrideLogger(logger);
  // Loads the SDK of the AI provider and the mail library, which no other command needs.
  const { doctorChecks, doctorDatabase } = await import('../doctor/doctor-checks.js');
  const { database, close } = doctorDatabase(tolerant, () => openDatabase(configuration, logger));
  try {
    const checks = doctorChecks(tolerant, env, database);
    return await new Doctor(checks, { invalid, secrets: secretValues(env) }).run();
  } finally {
    await Promise.race([close(), new Promise((resolve) => setTimeout(resolve, CLOSE_TIMEOUT_MS).unref())]);
  }
}

/** One line for each finding, and one with their number. Only a terminal that supports colours gets colours. */
function linesOf(findings: readonly DoctorFinding[]): (string | StyledLine)[] {
  const width = Math.max(...findings.map(({ name }) => name.length));
  const lines = findings.map(({ name, status, message, fix }) => {
    const word = styleText(COLOURS[status], status.padEnd(7));
    return new StyledLine(`${word}  ${name.padEnd(width)}  ${message}${fix === null ? '' : ` → ${fix}`}`);
  });
  const count = (status: CheckStatus): number => findings.filter((each) => each.status === status).length;
  const [faults, warnings] = [count('fault'), count('warning')];
  if (faults + warnings === 0) return [...lines, '', 'No problems found.'];
  return [
    ...lines,
    '',
    `${inNumbers(faults, 'fault')}, ${inNumbers(warnings, 'warning')}. docs/doctor.md explains each.`,
  ];
}

function inNumbers(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
