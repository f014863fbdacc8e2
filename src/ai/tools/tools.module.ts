import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ENVIRONMENTS } from '#contracts';
import { firstIdOf } from '../../core/events/id-times';
import { Retention } from '../../core/events/retention.service';
import { ToolCallErasure } from './calls/tool-call-erasure.service';
import { ToolCalls } from './calls/tool-calls.service';
import { ToolClient } from './calls/tool-client.service';
import { ToolCallEntity } from './entities/tool-call.entity';
import { ToolEntity } from './entities/tool.entity';
import { EnabledTools } from './enabled-tools.service';
import { ArgumentChecks } from './schema/argument-checks.service';
import { ToolsController } from './tools.controller';
import { ToolsService } from './tools.service';

/** Tools that the assistant may call while it answers. */
@Module({
  imports: [TypeOrmModule.forFeature([ToolEntity, ToolCallEntity])],
  controllers: [ToolsController],
  providers: [ToolsService, EnabledTools, ToolCalls, ToolClient, ArgumentChecks, ToolCallErasure],
  exports: [EnabledTools, ToolClient, ArgumentChecks],
})
export class ToolsModule {
  constructor(retention: Retention) {
    retention.keepDaysOf('delivery_days', ENVIRONMENTS, (environment, rows, before) =>
      rows
        .createQueryBuilder(ToolCallEntity, 'old')
        .where('old.environment = :environment', { environment })
        .andWhere('old.createdAt < :before AND old.id < :first', { before, first: firstIdOf(before) })
        .orderBy('old.id'),
    );
    retention.dropDaysOf('delivery_days', 'tool_calls');
  }
}
