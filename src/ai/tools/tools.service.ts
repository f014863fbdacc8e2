import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Not, Repository, type EntityManager } from 'typeorm';
import { newUuid, toPublicId, type Environment } from '#contracts';
import { Clock } from '../../core/clock/clock.service';
import { lockForTransaction } from '../../core/database/advisory-locks';
import { announce } from '../../core/database/database-listener.service';
import { AddressGuard } from '../../core/egress/address-guard.service';
import { ApiError } from '../../core/http/lifecycle/api-error';
import { createdWithin, findPage } from '../../core/pagination/find-page';
import type { Page } from '../../core/pagination/list-page';
import { parseSort } from '../../core/pagination/sort';
import { generateSecret } from '../../core/secrets/generate-secret';
import { rolledSecret } from '../../core/secrets/rolled-secret';
import { SecretBox } from '../../core/secrets/secret-box.service';
import { ParameterChecks } from '../../core/validation/parameter-checks.service';
import { parameterError } from '../../core/validation/request-faults';
import type { CreatedToolDto, DeletedToolDto, ToolDto } from './dto/tool.dto';
import { CreateToolDto, SORTABLE, UpdateToolDto, type ToolListQuery } from './dto/tool-requests.dto';
import { EnabledTools, TOOLS_CHANGED } from './enabled-tools.service';
import { ToolEntity } from './entities/tool.entity';
import { HAND_OVER } from './hand-over.tool';
import { ArgumentChecks } from './schema/argument-checks.service';
import { schemaFault, type JsonSchema } from './schema/schema-fault';
import { MAX_DEFINITION_BYTES, MAX_TOOLS } from './tool-limits';
import { toTool } from './tool-record';

/** The tools of an environment. */
@Injectable()
export class ToolsService {
  constructor(
    @InjectRepository(ToolEntity) private readonly tools: Repository<ToolEntity>,
    private readonly clock: Clock,
    private readonly secrets: SecretBox,
    private readonly enabled: EnabledTools,
    schemas: ArgumentChecks,
    guard: AddressGuard,
    checks: ParameterChecks,
  ) {
    const nameFault = (name: string) => (name === HAND_OVER.name ? 'is reserved' : undefined);
    const faultOf = (schema: JsonSchema) => schemaFault(schema) ?? schemas.compileFault(schema);
    checks.add(CreateToolDto, 'name', nameFault);
    checks.add(UpdateToolDto, 'name', nameFault);
    checks.add(CreateToolDto, 'parameters', faultOf);
    checks.add(UpdateToolDto, 'parameters', faultOf);
    checks.add(CreateToolDto, 'url', (url) => guard.urlFault(url));
    checks.add(UpdateToolDto, 'url', (url) => guard.urlFault(url));
  }

  /** @throws ApiError INVALID_PARAMETER if the name is taken, INVALID_REQUEST above a limit */
  async create(environment: Environment, request: CreateToolDto): Promise<CreatedToolDto> {
    const now = this.clock.date();
    const id = newUuid(now.getTime());
    const { name, description, parameters, url, timeout_seconds, enabled } = request;
    const secret = request.secret ?? generateSecret();
    const tool = this.tools.create({
      id,
      environment,
      name,
      description,
      parameters,
      url,
      timeoutSeconds: timeout_seconds,
      enabled,
      secret: this.secrets.seal(secret, id),
      createdAt: now,
      updatedAt: now,
    });
    await this.change(environment, async (manager) => {
      if ((await manager.countBy(ToolEntity, { environment })) >= MAX_TOOLS)
        throw tooMany(`an environment may have at most ${MAX_TOOLS} tools`, MAX_TOOLS);
      await mustBeFree(manager, tool);
      await manager.save(ToolEntity, tool, { reload: false });
      await mustFit(manager, environment);
    });
    return { ...toTool(tool), ...(request.secret === undefined && { secret }) };
  }

  list(environment: Environment, query: ToolListQuery): Promise<Page<ToolDto>> {
    const where = { environment, ...createdWithin(query) };
    const sort = parseSort(query.sort ?? '-created_at', SORTABLE);
    return findPage(this.tools, { where, sort, query }, toTool);
  }

  async read(environment: Environment, id: string): Promise<ToolDto> {
    return toTool(await this.find(environment, id));
  }

  /** @param withSecrets the sealed secrets too, which other reads leave out @throws ApiError RESOURCE_NOT_FOUND */
  async find(environment: Environment, id: string, { withSecrets = false } = {}): Promise<ToolEntity> {
    const found = this.tools.createQueryBuilder('tool').where({ id, environment });
    if (withSecrets) found.addSelect(['tool.secret', 'tool.previousSecret', 'tool.previousSecretUntil']);
    const tool = await found.getOne();
    if (!tool) throw unknownTool(id);
    return tool;
  }

  /** @throws ApiError RESOURCE_NOT_FOUND; as `create` */
  async update(environment: Environment, id: string, request: UpdateToolDto): Promise<ToolDto> {
    const { name, description, parameters, url, timeout_seconds, enabled, secret } = request;
    await this.change(environment, async (manager) => {
      const current = await manager.findOne(ToolEntity, {
        where: { id, environment },
        select: { id: true, name: true, secret: true },
      });
      if (!current) throw unknownTool(id);
      if (name !== undefined) await mustBeFree(manager, { id, environment, name });
      await manager.update(
        ToolEntity,
        { id },
        {
          name,
          description,
          // The types of TypeORM take a value of JSON for an object with columns.
          parameters: parameters as never,
          url,
          timeoutSeconds: timeout_seconds,
          enabled,
          ...(secret !== undefined && rolledSecret(this.secrets, current, secret)),
          updatedAt: this.clock.date(),
        },
      );
      await mustFit(manager, environment);
    });
    return this.read(environment, id);
  }

  async delete(environment: Environment, id: string): Promise<DeletedToolDto> {
    await this.change(environment, async (manager) => {
      const { affected } = await manager.delete(ToolEntity, { id, environment });
      if (!affected) throw unknownTool(id);
    });
    return { id: toPublicId('tool', id), deleted: true };
  }

  /** One change at a time. In force on this instance when it resolves, and on the others within a second. */
  private async change(environment: Environment, work: (manager: EntityManager) => Promise<void>): Promise<void> {
    await this.tools.manager.transaction(async (manager) => {
      await lockForTransaction(manager, 'tools');
      await work(manager);
      await announce(manager, TOOLS_CHANGED, environment);
    });
    await this.enabled.reread();
  }
}

function unknownTool(id: string): ApiError {
  return ApiError.notFound('tool', toPublicId('tool', id));
}

function tooMany(reason: string, limit: number): ApiError {
  return new ApiError('INVALID_REQUEST', { reason, limit }, `The request is malformed: ${reason}.`);
}

async function mustBeFree(
  manager: EntityManager,
  { id, environment, name }: Pick<ToolEntity, 'id' | 'environment' | 'name'>,
): Promise<void> {
  if (!(await manager.existsBy(ToolEntity, { environment, name, id: Not(id) }))) return;
  throw parameterError([{ parameter: 'name', reason: 'is registered already', value: name }]);
}

/** Each call of the model has the definitions of all enabled tools. */
async function mustFit(manager: EntityManager, environment: Environment): Promise<void> {
  const tools = await manager.findBy(ToolEntity, { environment, enabled: true });
  const bytes = tools.reduce((sum, tool) => sum + definitionBytes(tool), 0);
  if (bytes <= MAX_DEFINITION_BYTES) return;
  throw tooMany(
    `the names, descriptions and schemas of the enabled tools may have at most ${MAX_DEFINITION_BYTES} bytes together`,
    MAX_DEFINITION_BYTES,
  );
}

function definitionBytes({ name, description, parameters }: ToolEntity): number {
  return Buffer.byteLength(name + description + JSON.stringify(parameters));
}
