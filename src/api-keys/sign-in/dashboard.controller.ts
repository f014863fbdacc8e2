import { Body, Controller, HttpCode, Post, Req } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { Public } from '../../core/http/access.decorator';
import { ApiEnvelope } from '../../core/openapi/api-envelope.decorator';
import { ApiErrors } from '../../core/openapi/api-errors.decorator';
import { ApiExamples } from '../../core/openapi/api-examples.decorator';
import { SignInCode } from './sign-in-code.service';
import { ExchangeCodeDto, FirstKeysDto } from './sign-in.dto';

@ApiTags('Dashboard')
@Controller({ path: 'dashboard', version: '1' })
export class DashboardController {
  constructor(private readonly codes: SignInCode) {}

  @Post('exchange')
  @HttpCode(200)
  @Public()
  @ApiOperation({
    summary: 'Exchange the code of the first start for its keys',
    description:
      'The first start prints a dashboard link with a code that works once within ten minutes. After five wrong codes in a minute, further codes from the same address get 429.',
  })
  @ApiExamples({ code: { summary: 'The code of the link', value: { code: 'code_01h455vb4pex5vsknk084sn02q' } } })
  @ApiEnvelope(FirstKeysDto)
  @ApiErrors('INVALID_PARAMETER', 'MISSING_PARAMETER', 'INVALID_API_KEY', 'RATE_LIMIT_EXCEEDED', 'INTERNAL_ERROR')
  exchange(@Body() { code }: ExchangeCodeDto, @Req() { gateway }: FastifyRequest) {
    return this.codes.redeem(code, gateway.clientIp);
  }
}
