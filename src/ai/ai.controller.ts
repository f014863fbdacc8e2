import { Body, Controller, Get, HttpCode, Post, Req } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { CurrentCaller, RequireScope } from '../core/http/access.decorator';
import { ApiEnvelope } from '../core/http/api-envelope.decorator';
import type { Caller } from '../core/http/request-context';
import { AiService } from './ai.service';
import { AiStatusDto, GeneratedDto } from './dto/ai.dto';
import { GenerateDto } from './dto/generate.dto';

@ApiTags('AI')
@Controller({ path: 'ai', version: '1' })
export class AiController {
  constructor(private readonly ai: AiService) {}

  @Get('status')
  @RequireScope('read:status')
  @ApiOperation({ summary: "Read the AI provider's status and usage" })
  @ApiEnvelope(AiStatusDto)
  status(@CurrentCaller() { environment }: Caller) {
    return this.ai.status(environment);
  }

  @Post('generate')
  @HttpCode(200)
  @RequireScope('write:messages')
  @ApiOperation({ summary: 'Generate an answer without sending it' })
  @ApiEnvelope(GeneratedDto)
  generate(@CurrentCaller() { environment }: Caller, @Req() request: FastifyRequest, @Body() body: GenerateDto) {
    return this.ai.generate(environment, request.gateway.id, body);
  }
}
