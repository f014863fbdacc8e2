import { Body, Controller, HttpCode, Post, UseGuards } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, RequireScope } from '../../core/http/access.decorator';
import { BodyLimit } from '../../core/http/body-limit.decorator';
import { EnvironmentGuard } from '../../core/http/environment.guard';
import { ApiEnvelope } from '../../core/openapi/api-envelope.decorator';
import { ApiErrors } from '../../core/openapi/api-errors.decorator';
import { ApiExamples } from '../../core/openapi/api-examples.decorator';
import type { Caller } from '../../core/http/lifecycle/request-context';
import { SandboxInboundDto, SandboxInboundResultDto } from './sandbox-inbound.dto';
import { Sandbox } from './sandbox.service';

@ApiTags('Sandbox')
@Controller({ path: 'sandbox', version: '1' })
export class SandboxController {
  constructor(private readonly sandbox: Sandbox) {}

  @Post('inbound')
  @HttpCode(200)
  @BodyLimit(204)
  @RequireScope('write:messages')
  @UseGuards(new EnvironmentGuard('test'))
  @ApiOperation({
    summary: 'Simulate an inbound message',
    description:
      'Simulates a message of a person, which the assistant answers, or a change to an earlier message. Only for test keys: live keys get 404.',
  })
  @ApiExamples({
    text: {
      summary: 'A person says hello',
      value: {
        platform: 'telegram',
        sender: { id: '48213907', name: 'Ada Lovelace', username: 'ada' },
        content: 'Hello!',
      },
    },
  })
  @ApiEnvelope(SandboxInboundResultDto)
  @ApiErrors('RESOURCE_NOT_FOUND', 'PLATFORM_NOT_CONNECTED')
  play(@CurrentCaller() caller: Caller, @Body() inbound: SandboxInboundDto): Promise<SandboxInboundResultDto> {
    return this.sandbox.play(caller, inbound);
  }
}
