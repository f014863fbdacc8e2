import { Controller, Get } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, RequireScope } from '../../core/http/access.decorator';
import { ApiEnvelope } from '../../core/openapi/api-envelope.decorator';
import type { Caller } from '../../core/http/lifecycle/request-context';
import { DeliveryDetailDto } from '../dto/delivery.dto';
import { DeliveryId } from '../dto/webhook-parameters';
import { Deliveries } from './deliveries.service';

@ApiTags('Webhooks')
@Controller({ path: 'deliveries', version: '1' })
export class DeliveryController {
  constructor(private readonly deliveries: Deliveries) {}

  @Get(':delivery_id')
  @RequireScope('admin:settings')
  @ApiOperation({
    operationId: 'deliveries.get',
    summary: 'Read a delivery by its id alone',
    description: 'Returns a delivery without the id of its webhook. The response is the same.',
  })
  @ApiEnvelope(DeliveryDetailDto)
  find(@CurrentCaller() { environment }: Caller, @DeliveryId() id: string) {
    return this.deliveries.find(environment, id);
  }
}
