import type { Command } from 'commander';
import type { Environment } from '#contracts';
import { HeldWork } from '../../../webhooks/held-work.service';
import { ReplayDto } from '../../../webhooks/dto/webhook-requests.dto';
import { WebhookListQuery } from '../../../webhooks/dto/webhook-query.dto';
import { Replays } from '../../../webhooks/endpoints/replays.service';
import { TestDelivery } from '../../../webhooks/endpoints/test-delivery.service';
import { WebhooksService } from '../../../webhooks/endpoints/webhooks.service';
import { allPages } from '../all-pages';
import { idOf, validated } from '../arguments';
import { withContext, type CommandContext } from '../command-context';
import { EXIT, type ExitCode } from '../failure';
import { environmentOption, examples } from '../help';
import { table } from '../output';
import { withServices } from '../services';

interface EnvironmentOption {
  environment: Environment;
}

const AN_ID = ['<id>', 'wh_…'] as const;
const SAMPLE = 'wh_01h455vb4pex5vsknk084sn02q';

export function addWebhooksCommands(program: Command): void {
  const webhooks = program
    .command('webhooks')
    .description('List, test and replay webhooks; resume deliveries held by a restore');
  webhooks
    .command('list')
    .addOption(environmentOption())
    .description('List the webhooks')
    .addHelpText('after', examples('webhooks list', 'webhooks list --environment test --json'))
    .action(withContext(listWebhooks));
  webhooks
    .command('test')
    .argument(...AN_ID)
    .addOption(environmentOption())
    .description('Send a test event and print the response of the receiver; exit code 1 if the delivery failed')
    .addHelpText('after', examples(`webhooks test ${SAMPLE}`))
    .action(withContext(testWebhook));
  webhooks
    .command('replay')
    .argument(...AN_ID)
    .requiredOption('--since <time>', 'ISO 8601')
    .addOption(environmentOption())
    .description('Queue all undelivered events since a time; a running gateway sends them')
    .addHelpText('after', examples(`webhooks replay ${SAMPLE} --since 2026-01-31T06:00:00Z`))
    .action(withContext(replayWebhook));
  webhooks
    .command('resume')
    .description('Release webhook deliveries and mails held by a restore')
    .addHelpText('after', examples('webhooks resume'))
    .action(withContext(resume));
}

async function listWebhooks(context: CommandContext, { environment }: EnvironmentOption): Promise<void> {
  const webhooks = await withServices(context, (services) =>
    allPages((page) => services.get(WebhooksService).list(environment, Object.assign(new WebhookListQuery(), page))),
  );
  const rows = webhooks.map(({ id, status, events, url }) => [id, status, events.join(','), url]);
  context.output.result(webhooks, table(['ID', 'STATUS', 'EVENTS', 'URL'], rows));
}

async function testWebhook(context: CommandContext, id: string, { environment }: EnvironmentOption): Promise<ExitCode> {
  const webhook = idOf('webhook', id);
  const delivery = await withServices(context, (services) => services.get(TestDelivery).send(environment, webhook));
  const { status, response_code, response_time_ms, error } = delivery;
  const answer = error ?? `the receiver answered ${response_code} in ${response_time_ms} ms`;
  context.output.result(delivery, [`${delivery.id}  ${status}: ${answer}`]);
  return status === 'success' ? EXIT.done : EXIT.failed;
}

async function replayWebhook(
  context: CommandContext,
  id: string,
  { environment, since }: EnvironmentOption & { since: string },
): Promise<void> {
  const webhook = idOf('webhook', id);
  const replayed = await withServices(context, async (services) => {
    const valid = await validated(services, ReplayDto, { since });
    return services.get(Replays).replay({ environment }, webhook, new Date(valid.since));
  });
  context.output.result(replayed, [`${replayed.events_queued} events are due for ${id}`]);
}

async function resume(context: CommandContext): Promise<void> {
  const resumed = await withServices(context, (services) => services.get(HeldWork).resume());
  const { deliveries, mails } = resumed;
  context.output.result(resumed, [
    deliveries + mails === 0
      ? 'Nothing was held'
      : `${deliveries} webhook deliveries and ${mails} mails are released: the gateway sends them now or after its next start`,
  ]);
}
