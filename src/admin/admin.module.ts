import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ENVIRONMENTS } from '#contracts';
import { Retention } from '../core/events/retention.service';
import { AuditEntryEntity } from './audit/audit-entry.entity';
import { AuditLogController } from './audit/list/audit-log.controller';
import { AuditLogService } from './audit/list/audit-log.service';
import { SettingsController } from './settings/settings.controller';
import { StatisticsController } from './statistics/statistics.controller';
import { StatisticsService } from './statistics/statistics.service';

@Module({
  imports: [TypeOrmModule.forFeature([AuditEntryEntity])],
  controllers: [SettingsController, StatisticsController, AuditLogController],
  providers: [StatisticsService, AuditLogService],
})
export class AdminModule {
  constructor(retention: Retention) {
    retention.keepDaysOf('audit_days', [...ENVIRONMENTS, null], (environment, rows, before) =>
      rows
        .createQueryBuilder(AuditEntryEntity, 'old')
        .where(environment ? 'old.environment = :environment' : 'old.environment IS NULL', { environment })
        .andWhere('old.createdAt < :before', { before })
        .orderBy('old.createdAt'),
    );
    retention.dropDaysOf('audit_days', 'audit_log');
  }
}
