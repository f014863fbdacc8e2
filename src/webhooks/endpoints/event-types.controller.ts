import { Controller, Get } from '@nestjs/common';
import { ApiExtraModels, ApiOperation, ApiTags } from '@nestjs/swagger';
import { EVENT_TYPES, EVENTS } from '#contracts';
import { RequireScope } from '../../core/http/access.decorator';
import { ApiEnvelope } from '../../core/openapi/api-envelope.decorator';
import { EventTypeDto, FieldSchemaDto } from '../dto/event-type.dto';

@ApiTags('Webhooks')
@ApiExtraModels(FieldSchemaDto)
@Controller({ path: 'event-types', version: '1' })
export class EventTypesController {
  @Get()
  @RequireScope('admin:settings')
  @ApiOperation({
    summary: 'List the event types',
    description: 'Returns all event types, each with a description and the JSON Schema of its `data`.',
  })
  @ApiEnvelope(EventTypeDto, { array: true })
  list(): EventTypeDto[] {
    return EVENT_TYPES.map((type) => ({ type, ...EVENTS[type] }));
  }
}
