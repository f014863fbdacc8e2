import { Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, RequireScope } from '../../core/http/access.decorator';
import { ApiEnvelope, ApiPage } from '../../core/openapi/api-envelope.decorator';
import { ApiExamples } from '../../core/openapi/api-examples.decorator';
import type { Caller } from '../../core/http/lifecycle/request-context';
import { Deliveries } from './deliveries.service';
import { DeliveryDetailDto, DeliveryDto, DeliveryListQuery, RedeliveryDto, ReplayedDto } from '../dto/delivery.dto';
import { ReplayDto } from '../dto/webhook-requests.dto';
import { DeliveryId, WebhookId } from '../dto/webhook-parameters';
import { Redelivery } from './redelivery.service';
import { Replays } from './replays.service';
import { WebhooksService } from './webhooks.service';

@ApiTags('Webhooks')
@Controller({ path: 'webhooks/:webhook_id', version: '1' })
export class DeliveriesController {
  constructor(
    private readonly webhooks: WebhooksService,
    private readonly deliveries: Deliveries,
    private readonly redelivery: Redelivery,
    private readonly replays: Replays,
  ) {}

  @Get('deliveries')
  @RequireScope('admin:settings')
  @ApiOperation({
    operationId: 'webhooks.listDeliveries',
    summary: 'List the deliveries of a webhook',
    description: 'Returns each attempt to deliver an event, newest first.',
  })
  @ApiPage(DeliveryDto)
  async list(@CurrentCaller() { environment }: Caller, @WebhookId() id: string, @Query() query: DeliveryListQuery) {
    await this.webhooks.mustExist(environment, id);
    return this.deliveries.list(id, query);
  }

  @Get('deliveries/:delivery_id')
  @RequireScope('admin:settings')
  @ApiOperation({
    operationId: 'webhooks.getDelivery',
    summary: 'Read a delivery with its request and response',
    description: 'Returns the request of the attempt, with masked signatures, and the first 4 KiB of the response.',
  })
  @ApiEnvelope(DeliveryDetailDto)
  async read(@CurrentCaller() { environment }: Caller, @WebhookId() id: string, @DeliveryId() deliveryId: string) {
    await this.webhooks.mustExist(environment, id);
    return this.deliveries.read(id, deliveryId);
  }

  @Post('deliveries/:delivery_id/redeliver')
  @HttpCode(200)
  @RequireScope('admin:settings')
  @ApiOperation({
    operationId: 'webhooks.redeliver',
    summary: 'Send the event of a delivery again',
    description: 'Sends the event again immediately, with its own id and a new series of retries.',
  })
  @ApiEnvelope(RedeliveryDto)
  redeliver(@CurrentCaller() { environment }: Caller, @WebhookId() id: string, @DeliveryId() deliveryId: string) {
    return this.redelivery.redeliver(environment, id, deliveryId);
  }

  @Post('replay')
  @HttpCode(200)
  @RequireScope('admin:settings')
  @ApiOperation({
    operationId: 'webhooks.replay',
    summary: 'Send missed events again',
    description:
      'Sends every subscribed event since `since` that has no successful delivery again, immediately and with its own id. Events from before the webhook was created are not sent. ' +
      'The response is sent when all events are queued, in batches of 1,000. Disabling or deleting the webhook stops the replay; repeating the request queues the rest. ' +
      'An environment may run two replays at a time, and a key may start ten per minute.',
  })
  @ApiExamples({ since: { summary: 'Events missed this year', value: { since: '2026-01-01T00:00:00Z' } } })
  @ApiEnvelope(ReplayedDto)
  replay(@CurrentCaller() caller: Caller, @WebhookId() id: string, @Body() { since }: ReplayDto) {
    return this.replays.replay(caller, id, new Date(since));
  }
}
