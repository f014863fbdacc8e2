import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { IsNull, Not, Repository } from 'typeorm';
import { newUuid, toPublicId, type Environment } from '#contracts';
import { Clock } from '../../../core/clock/clock.service';
import { createdWithin, findPage } from '../../../core/pagination/find-page';
import type { Page } from '../../../core/pagination/list-page';
import { parseSort } from '../../../core/pagination/sort';
import type { TestedToolDto, ToolCallDto } from '../dto/tool.dto';
import { SORTABLE_CALLS, type ToolCallListQuery } from '../dto/tool-requests.dto';
import { ToolCallEntity } from '../entities/tool-call.entity';
import { ArgumentChecks } from '../schema/argument-checks.service';
import { toToolCall } from '../tool-record';
import { ToolsService } from '../tools.service';
import { FROM_NOWHERE, ToolClient } from './tool-client.service';
import type { ToolOutcome } from './tool-outcome';

/** The calls of a tool, and calls to try it. */
@Injectable()
export class ToolCalls {
  constructor(
    @InjectRepository(ToolCallEntity) private readonly calls: Repository<ToolCallEntity>,
    private readonly tools: ToolsService,
    private readonly client: ToolClient,
    private readonly schemas: ArgumentChecks,
    private readonly clock: Clock,
  ) {}

  /** Calls a tool for the operator: no conversation knows of it. @throws ApiError RESOURCE_NOT_FOUND */
  async test(environment: Environment, toolId: string, given: object): Promise<TestedToolDto> {
    const tool = await this.tools.find(environment, toolId, { withSecrets: true });
    const id = newUuid(this.clock.now());
    const fault = this.schemas.argumentFault(tool.parameters, given);
    const outcome: ToolOutcome =
      fault === undefined
        ? await this.client.call(tool, { id, environment, arguments: given, from: FROM_NOWHERE })
        : { status: 'refused', ms: 0, result: null, error: fault };
    return { call_id: toPublicId('tool_call', id), ...outcome };
  }

  /** @throws ApiError RESOURCE_NOT_FOUND */
  async list(environment: Environment, toolId: string, query: ToolCallListQuery): Promise<Page<ToolCallDto>> {
    await this.tools.find(environment, toolId);
    const where = { toolId, status: query.status ?? Not(IsNull()), ...createdWithin(query) };
    const sort = parseSort(query.sort ?? '-created_at', SORTABLE_CALLS);
    return findPage(this.calls, { where, sort, query }, toToolCall);
  }
}
