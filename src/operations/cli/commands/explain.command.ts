import type { Command } from 'commander';
import { fromPublicId } from '#contracts';
import { Explain } from '../../../timeline/explain.service';
import { withContext, type CommandContext } from '../command-context';
import { CommandFailure, EXIT } from '../failure';
import { examples } from '../help';
import { table } from '../output';
import { withServices } from '../services';

export function addExplainCommand(program: Command): void {
  program
    .command('explain')
    .argument('<id>', 'msg_…, evt_… or req_…')
    .description(
      'Show the timeline of a message by its id or the id of one of its events or requests: why it failed, and which webhooks received it',
    )
    .addHelpText(
      'after',
      examples('explain msg_01h455vb4pex5vsknk084sn02q', 'explain req_01h455vb4pex5vsknk084sn02q --json'),
    )
    .action(withContext(explain));
}

async function explain(context: CommandContext, id: string): Promise<void> {
  const isKnown = (['message', 'event', 'request'] as const).some((kind) => fromPublicId(kind, id) !== undefined);
  if (!isKnown) throw new CommandFailure(`${id} is not the id of a message, an event or a request`, EXIT.usage);
  const steps = await withServices(context, (services) => services.get(Explain).of(id));
  if (!steps)
    throw new CommandFailure(`${id} was not found: it never existed, or its records have been deleted (retention)`);
  const rows = steps.map(({ at, step, title }) => [at, step, title]);
  context.output.result(steps, table(['AT', 'STEP', 'WHAT'], rows));
}
