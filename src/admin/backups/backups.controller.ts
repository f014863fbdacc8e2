import { Controller, Get, Post, Query, Res, UseGuards } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { RequireScope } from '../../core/http/access.decorator';
import { EnvironmentGuard } from '../../core/http/environment.guard';
import { ApiEnvelope, ApiPage } from '../../core/openapi/api-envelope.decorator';
import { ApiErrors } from '../../core/openapi/api-errors.decorator';
import { IdParam } from '../../core/validation/id-param.decorator';
import { BackupDto, BackupListQuery } from './backup.dto';
import { BackupRunner } from './backup-runner.service';
import { BackupsService } from './backups.service';

@ApiTags('Backups')
@Controller({ path: 'admin/backups', version: '1' })
// A backup holds the data of both environments.
@UseGuards(new EnvironmentGuard('live'))
export class BackupsController {
  constructor(
    private readonly backups: BackupsService,
    private readonly runner: BackupRunner,
  ) {}

  @Post()
  @RequireScope('admin:settings')
  @ApiOperation({
    summary: 'Start a backup',
    description:
      'Answers 201 at once, and the backup goes on: `GET /admin/backups/{backup_id}` and the events `backup.completed` and `backup.failed` tell how it ended. While one runs, on whatever instance, the answer is 200 with that one.',
  })
  @ApiErrors('RESOURCE_NOT_FOUND')
  @ApiEnvelope(BackupDto, { status: 201 })
  @ApiEnvelope(BackupDto)
  async start(@Res({ passthrough: true }) reply: FastifyReply): Promise<BackupDto> {
    const { backup, started } = await this.runner.start('api');
    reply.status(started ? 201 : 200);
    return this.backups.read(backup.id);
  }

  @Get()
  @RequireScope('admin:settings')
  @ApiErrors('RESOURCE_NOT_FOUND')
  @ApiOperation({ summary: 'List backups', description: 'Also those whose file was rotated away.' })
  @ApiPage(BackupDto)
  list(@Query() query: BackupListQuery) {
    return this.backups.list(query);
  }

  @Get(':backup_id')
  @RequireScope('admin:settings')
  @ApiOperation({ summary: 'Read a backup', description: 'How far it is, and its checksum once it is whole.' })
  @ApiEnvelope(BackupDto)
  read(@IdParam('backup_id', 'backup', 'The backup.') id: string): Promise<BackupDto> {
    return this.backups.read(id);
  }
}
