import 'reflect-metadata';
import { playConversation } from './conversation';
import { stayUp } from './encore';
import { Printer } from './printer';
import { openStage, type Stage } from './stage';

const USAGE = `npm run demo             the gateway with fake platforms and a fake AI: plays a conversation, then stays up
npm run demo -- --once   ends after the conversation; the exit code is 0 only if every step happened`;

/** How long a stop may take before the process ends anyway, in milliseconds. */
const STOP_TIMEOUT_MS = 30_000;

class Demonstration {
  private readonly printer = new Printer((line) => console.log(line), process.stdout.isTTY && !process.env.NO_COLOR);
  private stage?: Promise<Stage>;
  private ending = false;

  /** Resolves at the end of the conversation. */
  async play(): Promise<void> {
    this.printer.title('Starting the gateway, with servers that play Telegram and Anthropic …');
    this.stage = openStage(process.env.LOG_LEVEL ?? 'warn');
    await playConversation(await this.stage, this.printer);
  }

  async stay(): Promise<void> {
    stayUp(await this.stage!, this.printer);
  }

  /** Stops everything, also during the start, and ends the process. */
  async end(code: number): Promise<void> {
    // Under npm, Ctrl-C arrives twice: from the terminal and from npm.
    if (this.ending) return;
    this.ending = true;
    setTimeout(() => process.exit(code || 1), STOP_TIMEOUT_MS).unref();
    const stage = await this.stage?.catch(() => undefined);
    await stage?.close().catch((error: unknown) => console.error(`The shutdown failed: ${String(error)}`));
    process.exit(code);
  }

  fail(reason: unknown): void {
    if (this.ending) return;
    console.error(`\nThe demonstration failed: ${reason instanceof Error ? reason.message : String(reason)}`);
    void this.end(1);
  }
}

async function main(args: readonly string[]): Promise<void> {
  if (args.some((arg) => arg !== '--once')) {
    console.log(USAGE);
    process.exit(args.some((arg) => arg === '--help' || arg === '-h') ? 0 : 2);
  }
  const demonstration = new Demonstration();
  let played = false;
  // 130: the user stopped it before every step was played.
  const stop = () => void demonstration.end(played && !args.includes('--once') ? 0 : 130);
  process.on('SIGINT', stop).on('SIGTERM', stop).on('SIGHUP', stop);
  if (process.env.npm_lifecycle_event) {
    // A killed npm leaves its child running: this process has to notice.
    const parent = process.ppid;
    setInterval(() => process.ppid !== parent && stop(), 1_000).unref();
  }
  try {
    await demonstration.play();
    played = true;
    if (args.includes('--once')) await demonstration.end(0);
    else await demonstration.stay();
  } catch (error) {
    demonstration.fail(error);
  }
}

void main(process.argv.slice(2));
