import { Controller, Get } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, RequireScope } from '../core/http/access.decorator';
import type { Caller } from '../core/http/lifecycle/request-context';
import { IdParam } from '../core/validation/id-param.decorator';
import { ApiTimeline } from './dto/timeline.dto';
import { TimelineService } from './timeline.service';

@ApiTags('Messages')
@Controller({ path: 'messages', version: '1' })
export class TimelineController {
  constructor(private readonly timelines: TimelineService) {}

  @Get(':message_id/timeline')
  @RequireScope('read:messages')
  @ApiOperation({
    operationId: 'messages.getTimeline',
    summary: 'Read the timeline of a message',
    description: `Returns what happened to an inbound message, its answer, and the deliveries of both, oldest first. Each of
these messages has the same timeline. \`asked\` and \`answered\` require the scope \`read:status\`, \`webhook\` and \`audit\` require
\`admin:settings\`; \`meta.omitted\` names the steps that the key may not see. Steps past their retention are missing.`,
  })
  @ApiTimeline()
  getTimeline(
    @CurrentCaller() { environment, scopes }: Caller,
    @IdParam('message_id', 'message', 'Id of any message of the timeline.') id: string,
  ) {
    return this.timelines.of(environment, id, scopes);
  }
}
