import { Body, Controller, Delete, Get, HttpCode, Patch, Post, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, RequireScope } from '../../core/http/access.decorator';
import { ApiEnvelope, ApiPage } from '../../core/openapi/api-envelope.decorator';
import { ApiExamples } from '../../core/openapi/api-examples.decorator';
import type { Caller } from '../../core/http/lifecycle/request-context';
import { DeliveryDto } from '../dto/delivery.dto';
import { WebhookId } from '../dto/webhook-parameters';
import { WebhookListQuery } from '../dto/webhook-query.dto';
import { CreateWebhookDto, UpdateWebhookDto } from '../dto/webhook-requests.dto';
import { CreatedWebhookDto, DeletedWebhookDto, WebhookDetailDto, WebhookDto } from '../dto/webhook.dto';
import { TestDelivery } from './test-delivery.service';
import { WebhooksService } from './webhooks.service';

@ApiTags('Webhooks')
@Controller({ path: 'webhooks', version: '1' })
export class WebhooksController {
  constructor(
    private readonly webhooks: WebhooksService,
    private readonly testDelivery: TestDelivery,
  ) {}

  @Post()
  @RequireScope('admin:settings')
  @ApiOperation({
    summary: 'Register a webhook',
    description:
      'Registers a URL to which the gateway posts events, signed with the secret. The URL must resolve to a public address.',
  })
  @ApiExamples({
    some: {
      summary: 'Some events, with a generated secret',
      value: { url: 'https://example.com/hooks/gateway', events: ['message.received', 'message.failed'] },
    },
    all: {
      summary: 'All events, with a secret of your own',
      value: { url: 'https://example.com/hooks/all', events: ['*'], secret: 'correct horse battery staple' },
    },
  })
  @ApiEnvelope(CreatedWebhookDto, { status: 201 })
  create(@CurrentCaller() { environment }: Caller, @Body() request: CreateWebhookDto) {
    return this.webhooks.create(environment, request);
  }

  @Get()
  @RequireScope('admin:settings')
  @ApiOperation({
    summary: 'List webhooks',
    description: 'Returns the webhooks of the key’s environment, without their secrets.',
  })
  @ApiPage(WebhookDto)
  list(@CurrentCaller() { environment }: Caller, @Query() query: WebhookListQuery) {
    return this.webhooks.list(environment, query);
  }

  @Get(':webhook_id')
  @RequireScope('admin:settings')
  @ApiOperation({
    summary: 'Read a webhook and its newest deliveries',
    description: 'Returns a webhook with its latest deliveries.',
  })
  @ApiEnvelope(WebhookDetailDto)
  get(@CurrentCaller() { environment }: Caller, @WebhookId() id: string) {
    return this.webhooks.read(environment, id);
  }

  @Patch(':webhook_id')
  @RequireScope('admin:settings')
  @ApiOperation({
    summary: 'Change a webhook',
    description:
      'Changes the fields in the body. `enabled: true` makes the webhook active again, even after it has failed.',
  })
  @ApiExamples({
    enable: { summary: 'Enable it again', value: { enabled: true } },
    events: { summary: 'Other events', value: { events: ['message.received'] } },
    secret: { summary: 'A new secret', value: { secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' } },
  })
  @ApiEnvelope(WebhookDto)
  update(@CurrentCaller() { environment }: Caller, @WebhookId() id: string, @Body() request: UpdateWebhookDto) {
    return this.webhooks.update(environment, id, request);
  }

  @Delete(':webhook_id')
  @RequireScope('admin:settings')
  @ApiOperation({
    summary: 'Delete a webhook',
    description: 'Deletes a webhook. It gets no more events, and due deliveries are dropped.',
  })
  @ApiEnvelope(DeletedWebhookDto)
  delete(@CurrentCaller() { environment }: Caller, @WebhookId() id: string) {
    return this.webhooks.delete(environment, id);
  }

  @Post(':webhook_id/test')
  @HttpCode(200)
  @RequireScope('admin:settings')
  @ApiOperation({
    summary: 'Send a test event at once',
    description:
      'Posts a `system.health` event with `data.test: true` and returns its delivery, whatever the receiver answers. The event is not retried.',
  })
  @ApiEnvelope(DeliveryDto)
  test(@CurrentCaller() { environment }: Caller, @WebhookId() id: string) {
    return this.testDelivery.send(environment, id);
  }
}
