import { Body, Controller, Get, HttpCode, Post, Query, Res, UseGuards } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { RequireScope } from '../../core/http/access.decorator';
import { EnvironmentGuard } from '../../core/http/environment.guard';
import { ApiExamples } from '../../core/openapi/api-examples.decorator';
import { ApiEnvelope, ApiPageWithMeta } from '../../core/openapi/api-envelope.decorator';
import { ApiErrors } from '../../core/openapi/api-errors.decorator';
import { IdParam } from '../../core/validation/id-param.decorator';
import { BackupDto, BackupListQuery, BackupPage, BackupPageMetaDto, CreateBackupDto } from './backup.dto';
import { BackupRunner } from './backup-runner.service';
import { BackupSchedule } from './backup-schedule.service';
import { BackupStore } from './backup-store.service';
import { BackupVerifier } from './backup-verifier.service';
import { BackupsService } from './backups.service';

const RUNNING = {
  status: 'running',
  trigger: 'api',
  started_at: '2026-01-31T12:00:00.000Z',
  finished_at: null,
  size_bytes: null,
  sha256: null,
  rows: null,
  files: null,
  verified_at: null,
};

@ApiTags('Backups')
@Controller({ path: 'admin/backups', version: '1' })
// A backup holds the data of both environments.
@UseGuards(new EnvironmentGuard('live'))
export class BackupsController {
  constructor(
    private readonly backups: BackupsService,
    private readonly runner: BackupRunner,
    private readonly verifier: BackupVerifier,
    private readonly schedule: BackupSchedule,
    private readonly store: BackupStore,
  ) {}

  @Post()
  @RequireScope('admin:settings')
  @ApiOperation({
    summary: 'Start a backup',
    description:
      'Returns 201 at once and makes the backup in the background: `GET /admin/backups/{backup_id}` and the events `backup.completed` and `backup.failed` report its end. While a backup runs on any instance, the response is 200 with that backup, or INVALID_REQUEST if that backup excludes message files and this request includes them. The API makes at most 10 backups per hour across all keys (`RATE_LIMIT_EXCEEDED`).',
  })
  @ApiErrors('RESOURCE_NOT_FOUND')
  @ApiExamples({
    whole: { summary: 'With message files', value: {} },
    rows: { summary: 'Without message files', value: { media: false } },
  })
  @ApiEnvelope(BackupDto, { status: 201, example: RUNNING })
  @ApiEnvelope(BackupDto, { example: { ...RUNNING, started_at: '2026-01-31T11:59:58.730Z' } })
  async create(
    @Body() { media }: CreateBackupDto,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<BackupDto> {
    const { backup, started } = await this.runner.start('api', { media });
    reply.status(started ? 201 : 200);
    return this.backups.read(backup.id);
  }

  @Get()
  @RequireScope('admin:settings')
  @ApiErrors('RESOURCE_NOT_FOUND')
  @ApiOperation({
    summary: 'List backups',
    description:
      'Includes backups whose file was rotated away. `meta.schedule` has the time of the next backup and the places where backups are stored.',
  })
  @ApiPageWithMeta(BackupPageMetaDto, BackupDto)
  async list(@Query() query: BackupListQuery): Promise<BackupPage> {
    return new BackupPage(await this.backups.list(query), {
      next_run_at: this.schedule.nextRunAt()?.toISOString() ?? null,
      folder: this.store.folder.path,
      s3: this.store.remoteAddress,
    });
  }

  @Get(':backup_id')
  @RequireScope('admin:settings')
  @ApiOperation({
    summary: 'Read a backup',
    description: 'Returns the status of a backup, and its checksum once it is complete.',
  })
  @ApiEnvelope(BackupDto)
  get(@IdParam('backup_id', 'backup', 'The backup.') id: string): Promise<BackupDto> {
    return this.backups.read(id);
  }

  @Post(':backup_id/verify')
  @HttpCode(200)
  @RequireScope('admin:settings')
  @ApiOperation({
    summary: 'Verify a backup',
    description:
      'Reads the backup file and its copy in object storage, checks both against their checksums and the HMAC, and returns the backup: `verify_error` is null if it can be restored. A large backup takes a minute or more. If this instance cannot access any file of the backup, the response is INVALID_REQUEST.',
  })
  @ApiEnvelope(BackupDto)
  async verify(@IdParam('backup_id', 'backup', 'The backup.') id: string): Promise<BackupDto> {
    await this.verifier.verify(id);
    return this.backups.read(id);
  }
}
