import { Body, Controller, Delete, Get, HttpCode, Patch, Post, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, RequireScope } from '../../core/http/access.decorator';
import type { Caller } from '../../core/http/lifecycle/request-context';
import { ApiEnvelope, ApiPage } from '../../core/openapi/api-envelope.decorator';
import { ApiExamples } from '../../core/openapi/api-examples.decorator';
import { ToolCalls } from './calls/tool-calls.service';
import { CreatedToolDto, DeletedToolDto, TestedToolDto, ToolCallDto, ToolDto } from './dto/tool.dto';
import {
  CreateToolDto,
  TestToolDto,
  ToolCallListQuery,
  ToolId,
  ToolListQuery,
  UpdateToolDto,
} from './dto/tool-requests.dto';
import { assertMayChangeTools, assertMayReadCalls } from './may-change-tools';
import { ToolsService } from './tools.service';

@ApiTags('Tools')
@Controller({ path: 'tools', version: '1' })
export class ToolsController {
  constructor(
    private readonly tools: ToolsService,
    private readonly calls: ToolCalls,
  ) {}

  @Post()
  @RequireScope('admin:settings')
  @ApiOperation({
    summary: 'Create a tool',
    description:
      'Creates a tool that the assistant may call while it answers. A call is a POST to the URL, signed with the secret. The URL must resolve to a public address. A key with an `ai_budget` cannot change tools.',
  })
  @ApiExamples({
    lookup: {
      summary: 'Look up an order',
      value: {
        name: 'order_status',
        description: 'Looks up where an order is. Call it when a person asks about an order.',
        parameters: {
          type: 'object',
          properties: { order_id: { type: 'string', description: 'Number on the receipt.' } },
          required: ['order_id'],
          additionalProperties: false,
        },
        url: 'https://example.com/tools/order-status',
      },
    },
  })
  @ApiEnvelope(CreatedToolDto, { status: 201 })
  create(@CurrentCaller() caller: Caller, @Body() request: CreateToolDto) {
    assertMayChangeTools(caller);
    return this.tools.create(caller.environment, request);
  }

  @Get()
  @RequireScope('admin:settings')
  @ApiOperation({
    summary: 'List tools',
    description: 'Returns the tools of the key’s environment, without their secrets.',
  })
  @ApiPage(ToolDto)
  list(@CurrentCaller() { environment }: Caller, @Query() query: ToolListQuery) {
    return this.tools.list(environment, query);
  }

  @Get(':tool_id')
  @RequireScope('admin:settings')
  @ApiOperation({ summary: 'Read a tool', description: 'Returns a tool, without its secret.' })
  @ApiEnvelope(ToolDto)
  get(@CurrentCaller() { environment }: Caller, @ToolId() id: string) {
    return this.tools.read(environment, id);
  }

  @Patch(':tool_id')
  @RequireScope('admin:settings')
  @ApiOperation({
    summary: 'Change a tool',
    description: 'Changes the fields in the body. A key with an `ai_budget` cannot change tools.',
  })
  @ApiExamples({
    disable: { summary: 'Disable it', value: { enabled: false } },
    secret: { summary: 'A new secret', value: { secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' } },
  })
  @ApiEnvelope(ToolDto)
  update(@CurrentCaller() caller: Caller, @ToolId() id: string, @Body() request: UpdateToolDto) {
    assertMayChangeTools(caller);
    return this.tools.update(caller.environment, id, request);
  }

  @Delete(':tool_id')
  @RequireScope('admin:settings')
  @ApiOperation({
    summary: 'Delete a tool',
    description: 'Deletes a tool. The assistant no longer calls it. A key with an `ai_budget` cannot change tools.',
  })
  @ApiEnvelope(DeletedToolDto)
  delete(@CurrentCaller() caller: Caller, @ToolId() id: string) {
    assertMayChangeTools(caller);
    return this.tools.delete(caller.environment, id);
  }

  @Post(':tool_id/test')
  @HttpCode(200)
  @RequireScope('admin:settings')
  @ApiOperation({
    summary: 'Call a tool at once',
    description:
      'Calls the tool with the arguments and returns the outcome, whatever the receiver answers. It works while the tool is disabled. The call is not listed.',
  })
  @ApiExamples({ order: { summary: 'An order', value: { arguments: { order_id: '1042' } } } })
  @ApiEnvelope(TestedToolDto)
  test(@CurrentCaller() { environment }: Caller, @ToolId() id: string, @Body() { arguments: given }: TestToolDto) {
    return this.calls.test(environment, id, given);
  }

  @Get(':tool_id/calls')
  @RequireScope('admin:settings')
  @ApiOperation({
    operationId: 'tools.listCalls',
    summary: 'List the calls of a tool',
    description:
      'Returns the calls that have ended, newest first, with their arguments and results. The key also needs the scope `read:messages`.',
  })
  @ApiPage(ToolCallDto)
  listCalls(@CurrentCaller() caller: Caller, @ToolId() id: string, @Query() query: ToolCallListQuery) {
    assertMayReadCalls(caller);
    return this.calls.list(caller.environment, id, query);
  }
}
