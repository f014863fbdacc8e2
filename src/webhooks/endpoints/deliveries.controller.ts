import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, RequireScope } from '../../core/http/access.decorator';
import { ApiEnvelope, ApiPage } from '../../core/openapi/api-envelope.decorator';
import { PublicId } from '../../core/validation/public-id.pipe';
import type { Caller } from '../../core/http/lifecycle/request-context';
import { Deliveries } from './deliveries.service';
import { DeliveryDto, DeliveryListQuery, RedeliveryDto, ReplayedDto } from '../dto/delivery.dto';
import { ReplayDto } from '../dto/webhook-requests.dto';
import { Redelivery } from './redelivery.service';
import { WebhooksService } from './webhooks.service';

@ApiTags('Webhooks')
@Controller({ path: 'webhooks/:webhook_id', version: '1' })
export class DeliveriesController {
  constructor(
    private readonly webhooks: WebhooksService,
    private readonly deliveries: Deliveries,
    private readonly redelivery: Redelivery,
  ) {}

  @Get('deliveries')
  @RequireScope('admin:settings')
  @ApiOperation({ summary: 'List the deliveries of a webhook' })
  @ApiPage(DeliveryDto)
  async list(
    @CurrentCaller() { environment }: Caller,
    @Param('webhook_id', PublicId('webhook')) id: string,
    @Query() query: DeliveryListQuery,
  ) {
    await this.webhooks.mustExist(environment, id);
    return this.deliveries.list(id, query);
  }

  @Post('deliveries/:delivery_id/redeliver')
  @HttpCode(200)
  @RequireScope('admin:settings')
  @ApiOperation({ summary: 'Send the event of a delivery again' })
  @ApiEnvelope(RedeliveryDto)
  redeliver(
    @CurrentCaller() { environment }: Caller,
    @Param('webhook_id', PublicId('webhook')) id: string,
    @Param('delivery_id', PublicId('delivery')) deliveryId: string,
  ) {
    return this.redelivery.redeliver(environment, id, deliveryId);
  }

  @Post('replay')
  @HttpCode(200)
  @RequireScope('admin:settings')
  @ApiOperation({ summary: 'Send again what a webhook has missed' })
  @ApiEnvelope(ReplayedDto)
  replay(
    @CurrentCaller() { environment }: Caller,
    @Param('webhook_id', PublicId('webhook')) id: string,
    @Body() { since }: ReplayDto,
  ) {
    return this.redelivery.replay(environment, id, new Date(since));
  }
}
